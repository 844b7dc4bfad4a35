"""PDF, honest and hostile; what burns time or memory for good is in `test_process_hostile.py`."""

import io

import pytest
from pypdf import PdfReader, PdfWriter

from documents.pdf_file import pdf, show
from documents.reading import read_with, writer
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats.pdf import read
from mailmcp.documents.writer import StopReading

_BAD = b"BT [ TJ"
"""An array that never ends."""


def encrypted(content: bytes, *, user: str, algorithm: str) -> bytes:
    """Encrypt a PDF; the owner's password is another one."""
    made = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    made.encrypt(user, "owner", algorithm=algorithm)
    saved = io.BytesIO()
    made.write(saved)
    return saved.getvalue()


def test_pages_are_named() -> None:
    reading = read_with(read, pdf(["Grüße (1)\nline 2", "Second"]))
    assert reading.text == "[Page 1]\nGrüße (1)\nline 2\n\n[Page 2]\nSecond"
    assert reading.sections == [("Page 1", 0), ("Page 2", reading.text.index("[Page 2]"))]
    assert reading.notes == []


@pytest.mark.parametrize(("texts", "pages"), [([""], "1 page"), (["", ""], "2 pages")])
def test_scans_are_said_to_be_images(texts: list[str], pages: str) -> None:
    reading = read_with(read, pdf(texts, bitmap=True))
    assert reading.is_scanned
    assert reading.notes == [
        f"{pages} without text, probably scanned. imap_get_attachment with mode=image shows a page."
    ]


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_locked_files_open_with_an_empty_password_only(algorithm: str) -> None:
    assert "Open" in read_with(read, encrypted(pdf(["Open"]), user="", algorithm=algorithm)).text
    with pytest.raises(UnreadableError) as refused:
        read_with(read, encrypted(pdf(["Shut"]), user="fake password", algorithm=algorithm))
    assert refused.value.cause is Cause.ENCRYPTED


def test_bad_pages_do_not_spoil_the_others() -> None:
    reading = read_with(read, pdf(["Before", _BAD, "After"]))
    assert reading.text == "[Page 1]\nBefore\n\n[Page 2]\n[Page 3]\nAfter"
    assert reading.notes == ["Pages that can't be read: 2."]
    assert not reading.truncated


def test_time_is_looked_at_within_a_page() -> None:
    out = writer(time_s=-1)
    with pytest.raises(StopReading):
        read(io.BytesIO(pdf([show("x") * 3])), out)
    assert out.result()["notes"] == ["Reading the document took too long: only its beginning was read."]
