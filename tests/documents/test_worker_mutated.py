"""Damaged files: whatever becomes of them, the worker answers and the server goes on."""

import json
from collections.abc import Iterator
from random import Random

import anyio
import pytest

from documents import tnef_file
from documents.documents import zipped
from documents.old_office import CELL, ROW_END, doc, plain, ppt, saved, shape, slide, text, xls
from documents.ole_file import file_time, msg_tree, ole_file
from documents.pdf_file import pdf
from documents.pictures import image
from documents.reading import writer
from documents.stand_in import children
from documents.tars import COMPRESSIONS, tarred
from documents.tnef_file import packed_rtf, tnef
from mailmcp.documents import worker
from mailmcp.documents.extraction import Cause, Job, Picture, Task, UnreadableError
from mailmcp.documents.kind import Kind
from mailmcp.documents.process import run_job
from thinning import thin

_RTF = packed_rtf(b"{\\rtf1\\ansi Text}", [(207, 9)])
_INSIDE: dict[int, str | bytes | int] = {0x3707: "a.txt", 0x3701: b"content"}
_FIELDS: dict[int, str | bytes | int] = {0x37: "Subject", 0x39: file_time(1_700_000_000), 0x1009: _RTF}
_MESSAGE = msg_tree(
    _FIELDS, recipients=[{0x3001: "Bob"}], attachments=[_INSIDE, msg_tree({0x37: "Inner"}, header=24)]
)
_WINMAIL = tnef(
    tnef_file.message({0x37: "Subject", 0x1009: _RTF}),
    tnef_file.recipients({0x3001: "Bob"}),
    tnef_file.file("a.txt", b"content"),
    tnef_file.attached_message(tnef(tnef_file.message({0x37: "Inner"}))),
)
_FILES = [("a.txt", b"content"), ("b", bytes(3_000))]
WHOLE = {
    ("zip", "a.txt"): zipped(dict(_FILES)),
    ("tar", "a.txt"): tarred(_FILES),
    **{("tar", f"a.txt of {each}"): COMPRESSIONS[each](tarred(_FILES)) for each in ("gz", "bz2", "xz")},
    ("msg", "a.txt"): ole_file(_MESSAGE),
    ("tnef", "a.txt"): _WINMAIL,
    ("doc", ""): doc(
        [plain("content 1\r"), plain("A\x07", 0, CELL), plain("\x07", 0, ROW_END)], [plain("note\r")]
    ),
    ("ppt", ""): ppt([slide(shape(text("content"))), slide(shape(text("content 2", 0)), notes_id=1)]),
    ("xls", ""): saved(xls({"S": {(0, 0): "content", (1, 1): 2.5}, "T": {(2, 2): "content 2"}})),
}


def mutated(whole: bytes, seed: int) -> bytes:
    """Change, remove, repeat or cut octets; some seeds change one octet, some many."""
    chance = Random(seed)  # noqa: S311 - it must repeat
    octets = bytearray(whole)
    for _ in range(chance.choice((1, 2, 8, 40))):
        place = chance.randrange(len(octets) or 1)
        match chance.randrange(5):
            case 0:
                octets[place : place + 1] = chance.randbytes(1)
            case 1:
                octets[place : place + 4] = chance.choice(
                    (b"\xff\xff\xff\xff", bytes(4), b"\xff\xff\xff\x7f")
                )
            case 2:
                del octets[place : place + chance.randrange(1, 20)]
            case 3:
                octets[place:place] = octets[place : place + chance.randrange(1, 200)]
            case _:
                del octets[max(place, 1) :]
    return bytes(octets)


def answers(kind: str, member: str, content: bytes) -> Iterator[dict[str, object]]:
    """Read the text, and a file within if it is named, as the worker does."""
    for task in (Task.TEXT, Task.MEMBER) if member else (Task.TEXT,):
        job = Job(task=task, kind=kind, member=member, time_s=60, memory_octets=0)
        answer = worker.answer(worker.load_reader(job), content, job, writer(max_chars=10_000))
        yield json.loads(answer.partition(b"\n")[0])


@pytest.mark.parametrize(("kind", "name"), WHOLE)
def test_damaged_files_are_answered(kind: str, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    whole, member = WHOLE[kind, name], name.partition(" ")[0]
    text, *_ = undamaged = list(answers(kind, member, whole))
    assert not any("cause" in each for each in undamaged)
    assert member or "content" in str(text["text"])
    for seed in range(300 if member else 600):
        for answer in answers(kind, member, mutated(whole, seed)):
            assert set(answer) == {"cause"} or "notes" in answer
            if "cause" in answer:
                Cause[str(answer["cause"])]
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "content" not in captured.err


PICTURES = {
    **{name: image(40, 30, kind=name) for name in ("PNG", "JPEG", "GIF", "WEBP", "BMP")},
    "TIFF": image(40, 30, kind="TIFF", frames=["lime"]),
    "PDF": pdf(["Text", b"0 0 9 9 re f"]),
}


@pytest.mark.parametrize("seed", thin(range(40), keep_every=10))
def test_the_server_goes_on_whatever_a_picture_does(seed: int) -> None:
    """In processes: decoders in C may crash."""

    async def draw(name: str, content: bytes) -> bool:
        try:
            kind = Kind.PDF if name == "PDF" else Kind.IMAGE
            picture = await run_job(content, Job(task=Task.PICTURE, kind=kind), Picture)
        except UnreadableError:
            return False
        return picture.octets != b""

    async def run() -> None:
        name, whole = list(PICTURES.items())[seed % len(PICTURES)]
        await draw(name, mutated(whole, seed))
        assert children() == []
        assert await draw(name, whole)

    anyio.run(run)
