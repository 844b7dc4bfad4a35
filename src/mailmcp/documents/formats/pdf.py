"""Reads PDF with pypdf: a hostile file can only waste time and memory, which are limited.

Parsers in C read somewhat better and faster, but a bug in one can run a stranger's code in this process. Only
`pdf_page` uses one, for pages that somebody wants to see.
"""

from typing import BinaryIO, Final

from pypdf import PageObject, PasswordType, PdfReader

from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.writer import Writer
from mailmcp.wording import counted

_NAMED_MAX: Final = 10
"""Pages that a note lists."""

_SHOW: Final = "imap_get_attachment with mode=image shows a page."


def read(content: BinaryIO, out: Writer) -> None:
    """Write the pages, and name those that can't be read in a note."""
    reader = PdfReader(content, strict=False)
    # Most locked files have an owner password, which only restricts, and an empty user password.
    if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
        raise UnreadableError(Cause.ENCRYPTED)
    damaged: list[int] = []
    pictured: list[int] = []
    number = 0
    for number, page in enumerate(reader.pages, start=1):
        out.begin_section(f"Page {number}")
        text = _read_page(page, number, damaged, out)
        if text.strip():
            out.write_line(text.strip("\n"))
        elif number not in damaged and _has_picture(page):
            pictured.append(number)
    if damaged:
        out.add_note(f"Pages that can't be read: {_list(damaged)}.")
    if out.is_empty and number and not damaged:
        out.is_scanned = True
        out.add_note(f"{counted(number, 'page')} without text, probably scanned. {_SHOW}")
    elif pictured:
        out.add_note(f"Pages with pictures and no text: {_list(pictured)}. {_SHOW}")


def _list(pages: list[int]) -> str:
    return ", ".join(map(str, pages[:_NAMED_MAX])) + (" and more" if len(pages) > _NAMED_MAX else "")


def _has_picture(page: PageObject) -> bool:
    try:
        return "/XObject" in page["/Resources"]  # type: ignore[operator]
    except Exception:  # noqa: BLE001 - as below
        return False


def _read_page(page: PageObject, number: int, damaged: list[int], out: Writer) -> str:
    """Read a page, checking the time before each operator."""
    try:
        return page.extract_text(visitor_operand_before=lambda *_: out.check_time())
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - pypdf raises anything on damaged pages; the others can still be read
        damaged.append(number)
        return ""
