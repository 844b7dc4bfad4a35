"""Documents that are made to hurt, in the real worker; after each an ordinary one is read."""

import struct
from collections.abc import Awaitable, Callable

import anyio
import pytest

from documents.documents import docx, paragraph, xlsx, zipped
from documents.pdf_file import pdf, stream
from documents.pictures import image
from documents.stand_in import children
from mailmcp.documents.extraction import Cause, Extraction, Job, Picture, Task, UnreadableError
from mailmcp.documents.kind import Kind
from mailmcp.documents.process import run_job

_ORDINARY = Job(task=Task.TEXT, kind=Kind.DOCX)
_TOO_SLOW = "Reading the document took too long: only its beginning was read."


def _read(content: bytes, kind: Kind, *, time_s: float, memory: int = 10**9) -> Extraction | Cause:
    """Read it, then an ordinary one."""
    job = Job(task=Task.TEXT, kind=kind, time_s=time_s, memory_octets=memory)

    async def run() -> Extraction | Cause:
        result: Extraction | Cause
        try:
            result = await run_job(content, job, Extraction)
        except UnreadableError as error:
            result = error.cause
        assert children() == []
        assert (await run_job(docx(paragraph("ordinary")), _ORDINARY, Extraction)).text == "ordinary"
        return result

    return anyio.run(run)


def _laughs() -> bytes:
    entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(10))
    document = f'<!DOCTYPE x [<!ENTITY e0 "ha">{entities}]><x>&e9;</x>'
    return zipped({"mimetype": "x", "content.xml": document})


def _too_deep() -> bytes:
    return docx("<w:tbl><w:tr><w:tc>" * 50_000)


def _nested(levels: int = 6) -> bytes:
    content = b"0" * 1_000_000
    for _ in range(levels):
        content = zipped({f"{number}.zip": content for number in range(10)})
    return content


@pytest.mark.parametrize(
    ("make", "kind", "cause"),
    [
        (_laughs, Kind.ODT, Cause.MALFORMED),
        (_too_deep, Kind.DOCX, Cause.MALFORMED),
        (_nested, Kind.DOCX, Cause.MALFORMED),
        (lambda: docx("<w:p>" + " " * 300_000_000), Kind.DOCX, Cause.TOO_LARGE),
    ],
    ids=["entities", "too deep", "zips in zips", "zip bomb"],
)
def test_there_is_no_text(make: Callable[[], bytes], kind: Kind, cause: Cause) -> None:
    assert _read(make(), kind, time_s=100) is cause


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
    result = _read(make(), kind, time_s=2)
    assert isinstance(result, Extraction)
    assert "begin" in result.text
    assert result.truncated
    assert result.notes == (_TOO_SLOW,)


def _cause(work: Callable[[], Awaitable[object]]) -> Cause:
    """Return why there is no picture or file, then read an ordinary document."""

    async def run() -> Cause:
        with pytest.raises(UnreadableError) as refused:
            await work()
        assert children() == []
        assert (await run_job(docx(paragraph("ordinary")), _ORDINARY, Extraction)).text == "ordinary"
        return refused.value.cause

    return anyio.run(run)


def _sized(width: int, height: int) -> bytes:
    """Make an image that says it is larger than it is."""
    small = image(10, 10, kind="BMP")
    return small[:18] + struct.pack("<ii", width, height) + small[26:]


@pytest.mark.parametrize(
    ("content", "kind", "cause"),
    [
        (_sized(20_000, 20_000), Kind.IMAGE, Cause.TOO_LARGE),
        (_sized(10_900, 10_900), Kind.IMAGE, Cause.OUT_OF_MEMORY),
        (pdf([]), Kind.PDF, Cause.MALFORMED),
    ],
    ids=["bomb", "memory", "no pages"],
)
def test_there_is_no_picture(content: bytes, kind: Kind, cause: Cause) -> None:
    job = Job(task=Task.PICTURE, kind=kind, memory_octets=400_000_000)
    assert _cause(lambda: run_job(content, job, Picture)) is cause


def test_what_takes_too_much_memory_is_broken_off() -> None:
    strings = xlsx({"S": ""}, strings=f"<si><t>{'a' * 200}</t></si>" * 800_000)
    assert _read(strings, Kind.XLSX, time_s=100, memory=180_000_000) is Cause.OUT_OF_MEMORY
