"""Documents are known by their content, whatever the sender calls them."""

import struct
import zipfile

import pytest

from documents.documents import docx, open_document, xlsx, zipped
from documents.ole_file import ole_file
from documents.pdf_file import pdf
from mailmcp.documents.kind import Kind, detect_kind, guess_kind


@pytest.mark.parametrize(
    ("content_type", "filename", "kind"),
    [
        ("application/octet-stream", "Bill.PDF", Kind.PDF),
        ("application/msword", "contract.docx", Kind.DOCX),
        ("application/octet-stream", "prices.xlsm", Kind.XLSX),
        ("text/plain", "notes.txt", None),
        ("image/png", "", Kind.IMAGE),
        ("", "x.encrypted-office", None),
        ("application/octet-stream", "a.tar.gz", Kind.TAR),
        ("application/octet-stream", "WINMAIL.DAT", Kind.TNEF),
    ],
)
def test_labels(content_type: str, filename: str, kind: Kind | None) -> None:
    assert guess_kind(content_type, filename) is kind


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (pdf(["x"]), Kind.PDF),
        (b"junk before\r\n" * 70 + b"%PDF-1.4", Kind.PDF),
        (b"junk before\r\n" * 90 + b"%PDF-1.4", None),
        (b"\r\n {\\rtf1 x}", Kind.RTF),
        (docx(""), Kind.DOCX),
        (open_document("text", ""), Kind.ODT),
        (open_document("drawing", ""), Kind.ZIP),
        (zipped({"word/embedded.zip": xlsx({})}, method=zipfile.ZIP_STORED), Kind.DOCX),
        (zipped({"readme.txt": "x"}), Kind.ZIP),
        (ole_file({"WordDocument": b""}), Kind.DOC),
        (ole_file({"EncryptedPackage": b""}), Kind.ENCRYPTED_OFFICE),
        (ole_file({"__properties_version1.0": b""}), Kind.MSG),
        (ole_file({"WordDocument": b"", "__properties_version1.0": b""}), Kind.MSG),
        (ole_file({"something": b""}), None),
        (b"\x89PNG\r\n\x1a\n", Kind.IMAGE),
        (b"RIFF\n\n\n\nWEBPVP8 ", Kind.IMAGE),
        (b"RIFF\0\0\0\0WAVE", None),
        (b"BM" + bytes(12) + b"\x28\0\0\0", Kind.IMAGE),
        (b"BMW drivers ask for", None),
        (b"\0\0\0\x18ftypheic", Kind.HEIC),
        (b"\0\0\0\x18ftypmp42", None),
        (b"\x1f\x8b\x08", Kind.TAR),
        (bytes(257) + b"ustar", Kind.TAR),
        (b"7z\xbc\xaf\x27\x1c", Kind.OTHER_ARCHIVE),
        (b"\x78\x9f\x3e\x22", Kind.TNEF),
    ],
)  # fmt: skip
def test_content(content: bytes, kind: Kind | None) -> None:
    assert detect_kind(content, None) is kind


def test_labels_decide_only_where_content_says_nothing() -> None:
    whole = docx("")
    assert detect_kind(whole, Kind.XLSX) is Kind.DOCX
    assert detect_kind(whole[:200], Kind.XLSX) is Kind.XLSX
    assert detect_kind(whole[:200], Kind.PDF) is Kind.ZIP
    assert detect_kind(zipped({"content.xml": ""}), Kind.ODT) is Kind.ODT
    assert detect_kind(zipped({"content.xml": ""}), Kind.DOCX) is Kind.ZIP
    assert detect_kind(ole_file({"something": b""}), Kind.PPT) is Kind.PPT
    assert detect_kind(ole_file({"something": b""}), Kind.DOCX) is None
    assert detect_kind(b"no document", Kind.PDF) is None


def test_directories_that_lie_are_walked_to_their_end_only() -> None:
    """It points outside, at itself, or names more than anybody reads."""
    end = b"PK\x05\x06" + bytes(12)
    assert detect_kind(b"PK\x03\x04" + end + struct.pack("<IH", 2**32 - 1, 0), None) is Kind.ZIP
    assert detect_kind(b"PK\x03\x04" + end[:10], None) is Kind.ZIP
    truncated_entry = b"PK\x03\x04" + b"PK\x01\x02" + end + struct.pack("<I", 4)
    assert detect_kind(truncated_entry, None) is Kind.ZIP
