"""Reads PDF with pypdf: a hostile file can only waste time and memory, which are limited.

Parsers in C read somewhat better and faster, but a bug in one can run a stranger's code in this process.
"""

from typing import BinaryIO, Final

from pypdf import PageObject, PasswordType, PdfReader

from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.writer import Writer

_NAMED_MAX: Final = 10
"""Damaged pages that the note lists."""


def read(content: BinaryIO, out: Writer) -> None:
    """Write the pages, and name those that can't be read in a note.

    Raises:
        UnreadableError: It needs a password.
        StopReading: A limit is reached.
    """
    reader = PdfReader(content, strict=False)
    # Most locked files have an owner password, which only restricts, and an empty user password.
    if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
        raise UnreadableError(Cause.ENCRYPTED)
    damaged: list[int] = []
    number = 0
    for number, page in enumerate(reader.pages, start=1):
        out.begin_section(f"Page {number}")
        text = _read_page(page, number, damaged, out)
        if text.strip():
            out.write_line(text.strip("\n"))
    if damaged:
        shown = ", ".join(map(str, damaged[:_NAMED_MAX])) + (" and more" if len(damaged) > _NAMED_MAX else "")
        out.add_note(f"Pages that can't be read: {shown}.")
    if out.is_empty and number and not damaged:
        out.add_note(
            f"The document has no text layer: its {number} page(s) are probably scanned images. "
            "Look at the file itself to read it."
        )


def _read_page(page: PageObject, number: int, damaged: list[int], out: Writer) -> str:
    """Read a page, checking the time before each operator."""
    try:
        return page.extract_text(visitor_operand_before=lambda *_: out.check_time())
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - pypdf raises anything on damaged pages; the others can still be read
        damaged.append(number)
        return ""
