"""PDF, by pypdf: pure Python, so that a hostile file can waste time and memory, and no more.

Both are bounded. Parsers in C read somewhat better, and faster, but one error in
them is a stranger's program in this process.
"""

from typing import BinaryIO, Final

from pypdf import PageObject, PasswordType, PdfReader

from mailmcp.documents.extraction import Cause
from mailmcp.documents.refusal import Refusal
from mailmcp.documents.writer import Writer

_NAMED_MAX: Final = 10
"""Damaged pages that are named one by one."""


def read(content: BinaryIO, out: Writer) -> None:
    """Write the pages; those that cannot be read are named in a note.

    Raises:
        Refusal: It needs a password.
        StopReading: Enough was read.
    """
    reader = PdfReader(content, strict=False)
    # The owner's password only forbids; most locked files open with an empty user's password.
    if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
        raise Refusal(Cause.ENCRYPTED)
    damaged: list[int] = []
    number = 0
    for number, page in enumerate(reader.pages, start=1):
        out.begin(f"Page {number}")
        text = _text_of(page, number, damaged, out)
        if text.strip():
            out.line(text.strip("\n"))
    if damaged:
        shown = ", ".join(map(str, damaged[:_NAMED_MAX])) + (" and more" if len(damaged) > _NAMED_MAX else "")
        out.note(f"Pages that could not be read: {shown}.")
    if out.is_empty and number and not damaged:
        out.note(
            f"The document has no text layer: its {number} page(s) are most likely images, such as scans. "
            "The file must be looked at to be read."
        )


def _text_of(page: PageObject, number: int, damaged: list[int], out: Writer) -> str:
    """Read a page, looking at the clock before each of its operators."""
    try:
        return page.extract_text(visitor_operand_before=lambda *_: out.check_time())
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - pypdf raises anything on damaged pages; the others are still worth reading
        damaged.append(number)
        return ""
