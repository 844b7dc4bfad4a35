"""Finds out what kind of document a file is: by its labels before it is fetched, by its content afterwards.

The content decides: senders often label documents as application/octet-stream. This runs in the server's
process, so it reads only a few octets and, within limits, the directory of a zip.
"""

import re
import struct
from collections.abc import Iterator
from enum import StrEnum, unique
from typing import Final

_ZIP_MAGIC: Final = b"PK\x03\x04"
_OLE_MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PDF_HEADER_WITHIN: Final = 1024
"""Readers accept this much before `%PDF-` (ISO 32000-1, annex H.3.4.1)."""

_ZIP_END: Final = b"PK\x05\x06"
_ZIP_END_WITHIN: Final = 65_557
"""The end record of a zip and its longest comment."""

_ZIP_ENTRY: Final = b"PK\x01\x02"
_ZIP_ENTRY_OCTETS: Final = 46
_ZIP_NAMES_MAX: Final = 1_000
"""Names to read of a zip; the folders that reveal its kind come among the first."""


@unique
class Kind(StrEnum):
    """Documents that are recognised; those in `UNREADABLE` can't be read."""

    PDF = "pdf"
    DOCX = "docx"
    XLSX = "xlsx"
    PPTX = "pptx"
    ODT = "odt"
    ODS = "ods"
    ODP = "odp"
    RTF = "rtf"
    DOC = "doc"
    XLS = "xls"
    PPT = "ppt"
    ENCRYPTED_OFFICE = "encrypted-office"
    """DOCX, XLSX or PPTX with a password: an OLE file around the encrypted zip."""


UNREADABLE: Final = frozenset({Kind.DOC, Kind.XLS, Kind.PPT, Kind.ENCRYPTED_OFFICE})
"""Recognised, so that a reply can name them, but not read."""

_OPENXML: Final = "application/vnd.openxmlformats-officedocument."
_ODF: Final = "application/vnd.oasis.opendocument."
_BY_TYPE: Final = {
    "application/pdf": Kind.PDF,
    "application/x-pdf": Kind.PDF,
    f"{_OPENXML}wordprocessingml.document": Kind.DOCX,
    f"{_OPENXML}wordprocessingml.template": Kind.DOCX,
    "application/vnd.ms-word.document.macroenabled.12": Kind.DOCX,
    f"{_OPENXML}spreadsheetml.sheet": Kind.XLSX,
    f"{_OPENXML}spreadsheetml.template": Kind.XLSX,
    "application/vnd.ms-excel.sheet.macroenabled.12": Kind.XLSX,
    f"{_OPENXML}presentationml.presentation": Kind.PPTX,
    f"{_OPENXML}presentationml.slideshow": Kind.PPTX,
    f"{_OPENXML}presentationml.template": Kind.PPTX,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": Kind.PPTX,
    f"{_ODF}text": Kind.ODT,
    f"{_ODF}text-template": Kind.ODT,
    f"{_ODF}spreadsheet": Kind.ODS,
    f"{_ODF}spreadsheet-template": Kind.ODS,
    f"{_ODF}presentation": Kind.ODP,
    f"{_ODF}presentation-template": Kind.ODP,
    "application/rtf": Kind.RTF,
    "text/rtf": Kind.RTF,
    "application/msword": Kind.DOC,
    "application/vnd.ms-excel": Kind.XLS,
    "application/vnd.ms-powerpoint": Kind.PPT,
}
_BY_EXTENSION: Final = {
    **{kind.value: kind for kind in Kind if kind is not Kind.ENCRYPTED_OFFICE},
    **dict.fromkeys(("docm", "dotx", "dotm"), Kind.DOCX),
    **dict.fromkeys(("xlsm", "xltx", "xltm"), Kind.XLSX),
    **dict.fromkeys(("pptm", "ppsx", "ppsm", "potx"), Kind.PPTX),
    "ott": Kind.ODT,
    "ots": Kind.ODS,
    "otp": Kind.ODP,
    "dot": Kind.DOC,
    "xlt": Kind.XLS,
    "pps": Kind.PPT,
}
_BY_FOLDER: Final = {b"word/": Kind.DOCX, b"xl/": Kind.XLSX, b"ppt/": Kind.PPTX}
_ODF_MIMETYPE: Final = re.compile(rb"mimetype(application/vnd\.oasis\.opendocument\.[a-z-]{1,40})")
_BY_STREAM: Final = {
    "EncryptedPackage": Kind.ENCRYPTED_OFFICE,
    "WordDocument": Kind.DOC,
    "PowerPoint Document": Kind.PPT,
    "Workbook": Kind.XLS,
    "Book": Kind.XLS,
}


def guess_kind(content_type: str, filename: str) -> Kind | None:
    """Guess the kind from the labels of a part; None if they name no document.

    The extension decides first: mail programs derive the type from it, or don't know the type.
    """
    extension = filename.rpartition(".")[2].strip().lower()
    media_type = content_type.partition(";")[0].strip().lower()
    return _BY_EXTENSION.get(extension) or _BY_TYPE.get(media_type)


def detect_kind(content: bytes, guess: Kind | None) -> Kind | None:
    """Return the kind of a content; None if it is not a known document.

    `guess` decides only between kinds that look alike: zips with a damaged directory, and OLE files without
    a known stream.
    """
    if b"%PDF-" in content[:_PDF_HEADER_WITHIN]:
        return Kind.PDF
    if content[:64].lstrip().startswith(b"{\\rt"):
        return Kind.RTF
    if content.startswith(_ZIP_MAGIC):
        return _detect_zip(content, guess)
    if content.startswith(_OLE_MAGIC):
        return _detect_ole(content, guess)
    return None


def _detect_zip(content: bytes, guess: Kind | None) -> Kind | None:
    """Recognise ODF by its first entry (ODF 1.3 part 2, section 3.3), Office Open XML by its folders."""
    labelled = _ODF_MIMETYPE.match(content, 30)
    if labelled:
        return _BY_TYPE.get(labelled[1].decode("ascii").removesuffix("-master"))
    named = False
    for name in _zip_names(content):
        named = True
        for folder, kind in _BY_FOLDER.items():
            if name.startswith(folder):
                return kind
    is_zip_kind = guess in {Kind.DOCX, Kind.XLSX, Kind.PPTX, Kind.ODT, Kind.ODS, Kind.ODP}
    return guess if is_zip_kind and (not named or guess in {Kind.ODT, Kind.ODS, Kind.ODP}) else None


def _zip_names(content: bytes) -> Iterator[bytes]:
    """Walk the central directory; only its position is trusted."""
    end = content.rfind(_ZIP_END, max(0, len(content) - _ZIP_END_WITHIN))
    if end < 0 or end + 20 > len(content):
        return
    position: int = struct.unpack_from("<I", content, end + 16)[0]
    for _ in range(_ZIP_NAMES_MAX):
        if content[position : position + 4] != _ZIP_ENTRY or position + _ZIP_ENTRY_OCTETS > len(content):
            return
        name, extra, comment = struct.unpack_from("<HHH", content, position + 28)
        start = position + _ZIP_ENTRY_OCTETS
        yield content[start : start + name]
        position = start + name + extra + comment


def _detect_ole(content: bytes, guess: Kind | None) -> Kind | None:
    """Recognise OLE files by the names of their streams, in UTF-16 in the directory ([MS-CFB] 2.6.1)."""
    for name, kind in _BY_STREAM.items():
        if name.encode("utf-16-le") + b"\0\0" in content:
            return kind
    return guess if guess in UNREADABLE else None
