"""The worker's answers; its process is tested in `test_process.py`."""

import json
from typing import Any

import pytest

from documents.documents import docx, open_document, paragraph, zipped
from documents.pdf_file import pdf
from documents.reading import writer
from mailmcp.documents import worker
from mailmcp.documents.extraction import Job, Task
from mailmcp.documents.formats import word
from mailmcp.documents.kind import CONTAINERS, DRAWABLE, UNREADABLE, Kind

_MANY = "".join(paragraph(f"line {number}") for number in range(20_000))


def _answer(content: bytes, kind: str = "docx", max_chars: int = 1_000_000) -> dict[str, Any]:
    job = Job(task=Task.TEXT, kind=kind, time_s=60, memory_octets=0)
    line, _, octets = worker.answer(
        worker.load_reader(job), content, job, writer(max_chars=max_chars)
    ).partition(b"\n")
    assert octets == b""
    answer: dict[str, Any] = json.loads(line)
    return answer


def test_every_kind_has_a_reader_for_what_can_be_done_with_it() -> None:
    kinds = {kind for kind in Kind if kind not in UNREADABLE}
    assert worker.FORMATS.keys() == kinds - {Kind.IMAGE}
    assert worker.PICTURES.keys() == DRAWABLE
    readers = {kind: worker.load_reader(Job(task=Task.MEMBER, kind=kind)) for kind in worker.FORMATS}
    assert {kind for kind, reader in readers.items() if hasattr(reader, "files")} == CONTAINERS


@pytest.mark.parametrize(
    ("content", "kind", "cause"),
    [
        (b"garbage", "docx", "MALFORMED"),
        (b"%PDF-1.7 garbage", "pdf", "MALFORMED"),
        (pdf(["x"])[:60], "pdf", "MALFORMED"),
        (pdf(["x"]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]"), "pdf", "MALFORMED"),
        (docx("x")[:-40], "docx", "MALFORMED"),
        (zipped({"a": "b"}), "xlsx", "MALFORMED"),
        (open_document("text", "", manifest="<m><encryption-data/></m>"), "odt", "ENCRYPTED"),
    ],
)
def test_failures_are_answers(
    content: bytes, kind: str, cause: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert _answer(content, kind) == {"cause": cause}
    assert "garbage" not in capfd.readouterr().err


def test_what_was_read_before_a_failure_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = _answer(docx(_MANY + "</unmatched>"))
    assert damaged["text"].endswith("\nline 19998\nline 19999")
    assert damaged["truncated"]
    assert damaged["notes"] == ["The document is damaged: only the text before the damage was read."]

    def exhausted(_: object, out: Any) -> None:
        out.write_line("beginning")
        raise MemoryError

    monkeypatch.setattr(word, "read", exhausted)
    exhausting = _answer(b"")
    assert exhausting["text"] == "beginning"
    assert exhausting["notes"] == ["Reading the document took too much memory: only its beginning was read."]
