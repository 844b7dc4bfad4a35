"""The worker's process: what it is given, how it ends, and what is left of it."""

import json
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from documents.documents import docx, paragraph, xlsx
from documents.pdf_file import pdf, stream
from documents.pictures import image
from documents.stand_in import children, program, unmeasured_environment
from mailmcp.documents.extraction import Cause, Extraction, Job, Picture, Task, UnreadableError
from mailmcp.documents.kind import Kind
from mailmcp.documents.process import run_job

_JOB = Job(task=Task.TEXT, kind=Kind.DOCX)
_LETTER = docx(paragraph("Grüße aus 東京"))
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


def _extract(
    content: bytes = _LETTER, command: Sequence[str] | None = None, *, time_limit_s: float = 20
) -> Extraction:
    async def run() -> Extraction:
        return await run_job(content, replace(_JOB, time_s=time_limit_s), Extraction, command)

    return anyio.run(run)


def _cause(command: Sequence[str], *, time_limit_s: float = 20) -> Cause:
    with pytest.raises(UnreadableError) as raised:
        _extract(_LETTER, command, time_limit_s=time_limit_s)
    assert raised.value.message.endswith(".")
    assert children() == []
    return raised.value.cause


def test_nothing_of_the_environment_reaches_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAILMCP_PASSWORD", "not a real one")
    told = program(
        "text = json.dumps([dict(os.environ), os.getcwd()])\n"
        "print(json.dumps(dict(text=text, sections=[], truncated=False, notes=[])))"
    )
    environment, folder = json.loads(_extract(command=told).text)
    assert environment.keys() <= {"LC_CTYPE", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"}
    assert folder == Path(sys.executable).anchor


def test_modules_are_the_server_s_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A stranger's json.py in the current folder, or in PYTHONPATH, is not run."""
    (tmp_path / "json.py").write_text("raise SystemExit(7)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend("")
    assert _extract().text


@pytest.mark.parametrize(
    "script",
    [
        "sys.exit(1)",
        "answer(); sys.exit(1)",
        "pass",
        "print('[' * 100_000)",
        "print('{}')",
        """print('{"cause": "no such cause"}')""",
        """print('{"text": "", "sections": [1], "truncated": false, "notes": []}')""",
        "answer(); answer()",
    ],
)
def test_an_answer_that_is_none_is_a_crash(script: str) -> None:
    assert _cause(program(script)) is Cause.CRASHED


@posix
@pytest.mark.parametrize(
    ("number", "cause"),
    [
        ("SIGSEGV", Cause.CRASHED),
        ("SIGABRT", Cause.CRASHED),
        ("SIGKILL", Cause.OUT_OF_MEMORY),
        ("SIGXCPU", Cause.TIMED_OUT),
    ],
)
def test_the_signal_that_ended_it_says_why(number: str, cause: Cause) -> None:
    assert hasattr(signal, number)
    assert _cause(program(f"os.kill(os.getpid(), signal.{number})")) is cause


@posix
def test_a_worker_that_hangs_is_killed_when_its_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mailmcp.documents.process.EXTRACT_GRACE_S", 0.1)
    stubborn = program("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(60)")
    assert _cause(stubborn, time_limit_s=0.2) is Cause.TIMED_OUT


def test_the_server_loads_no_parser() -> None:
    script = "import sys, mailmcp.documents.extractor, mailmcp.documents.kind; print(*sys.modules)"
    environment = unmeasured_environment()
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    loaded = ran.stdout.split()
    assert "mailmcp.documents.process" in loaded
    assert not {"pypdf", "zipfile", "xml", "pyexpat", "mailmcp.documents.worker", "cryptography"} & set(
        loaded
    )


@pytest.mark.full
@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: docx(paragraph("begin") + "<w:p/>" * 10_000_000), Kind.DOCX),
        (lambda: pdf(["begin", stream(b"")]).replace(stream(b""), b"0 0 m " * 2_000_000), Kind.PDF),
        (lambda: b"{\\rtf1 begin\\par " + b"{\\b}" * 5_000_000, Kind.RTF),
    ],
    ids=["docx", "pdf", "rtf"],
)
def test_what_takes_too_long_is_read_in_part(make: Callable[[], bytes], kind: Kind) -> None:
    result = anyio.run(run_job, make(), replace(_JOB, kind=kind, time_s=2), Extraction)
    assert "begin" in result.text
    assert result.truncated
    assert result.notes == ("Reading the document took too long: only its beginning was read.",)


def _claims_to_be_large() -> bytes:
    small = image(10, 10, kind="BMP")
    return small[:18] + struct.pack("<ii", 10_900, 10_900) + small[26:]


@pytest.mark.parametrize(
    ("make", "job", "result"),
    [
        (_claims_to_be_large, Job(task=Task.PICTURE, kind=Kind.IMAGE, memory_octets=400_000_000), Picture),
        (
            lambda: xlsx({"S": ""}, strings=f"<si><t>{'a' * 200}</t></si>" * 800_000),
            Job(task=Task.TEXT, kind=Kind.XLSX, memory_octets=180_000_000),
            Extraction,
        ),
    ],
    ids=["picture", "xlsx"],
)
def test_what_takes_too_much_memory_is_refused(
    make: Callable[[], bytes], job: Job, result: type[object]
) -> None:
    with pytest.raises(UnreadableError) as refused:
        anyio.run(run_job, make(), job, result)
    assert refused.value.cause is Cause.OUT_OF_MEMORY
    assert children() == []
