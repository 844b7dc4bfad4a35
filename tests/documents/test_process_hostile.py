"""Documents that are made to hurt, in the real worker; after each an ordinary one is read."""

import struct
from collections.abc import Callable

import anyio
import pytest

from documents.documents import docx, paragraph, xlsx
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


def test_a_picture_that_takes_too_much_memory_is_refused() -> None:
    """It says that it is larger than it is."""
    small = image(10, 10, kind="BMP")
    large = small[:18] + struct.pack("<ii", 10_900, 10_900) + small[26:]
    job = Job(task=Task.PICTURE, kind=Kind.IMAGE, memory_octets=400_000_000)

    async def run() -> None:
        with pytest.raises(UnreadableError) as refused:
            await run_job(large, job, Picture)
        assert refused.value.cause is Cause.OUT_OF_MEMORY
        assert children() == []

    anyio.run(run)


def test_what_takes_too_much_memory_is_broken_off() -> None:
    strings = xlsx({"S": ""}, strings=f"<si><t>{'a' * 200}</t></si>" * 800_000)
    assert _read(strings, Kind.XLSX, time_s=100, memory=180_000_000) is Cause.OUT_OF_MEMORY
