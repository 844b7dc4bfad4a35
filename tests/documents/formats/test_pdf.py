"""PDF, honest and hostile; what burns time or memory for good is in `test_process.py`."""

import io

import pytest
from pypdf import PdfReader, PdfWriter

from documents.pdf_file import pdf
from documents.pictures import opened
from documents.reading import read_with
from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats.pdf import read
from mailmcp.documents.formats.pdf_page import draw

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


@pytest.mark.parametrize(("count", "pages"), [(1, "1 page"), (2, "2 pages")])
def test_scans_are_said_to_be_images(count: int, pages: str) -> None:
    reading = read_with(read, pdf([b""] * count))
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


_SIDE = limits.PICTURE_SIDE_MAX


def _box(height: float) -> bytes:
    return pdf(["x"]).replace(b"0 0 595 842", f"0 0 {height / 2:g} {height:g}".encode())


def test_each_page_is_drawn() -> None:
    content = pdf(["", "Hello", b"1 0 0 rg 0 0 595 842 re f"])
    colors = []
    for page in (1, 2, 3):
        facts, octets = draw(io.BytesIO(content), page)
        picture = opened(octets)
        assert picture.size == (facts["width"], facts["height"])
        assert picture.height == _SIDE
        assert (facts["pages"], facts["source_width"], facts["notes"]) == (3, 0, [])
        colors.append(picture.convert("RGB").getextrema())
    assert colors[0] == ((255, 255),) * 3
    assert colors[1] == ((0, 255),) * 3
    assert colors[2] == ((255, 255), (0, 0), (0, 0))
    facts, octets = draw(io.BytesIO(content), 4)
    assert (facts["pages"], octets) == (3, b"")


@pytest.mark.parametrize(("height", "pixels"), [(842, _SIDE), (10, 40), (14_400, _SIDE)])
def test_small_pages_stay_small_and_large_ones_fit(height: float, pixels: int) -> None:
    facts, _ = draw(io.BytesIO(_box(height)), 1)
    assert facts["height"] == pixels
