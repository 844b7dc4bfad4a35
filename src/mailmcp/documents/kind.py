"""Finds out what kind of document a file is: by its labels before it is fetched, by its content afterwards.

The content decides: senders often label documents as application/octet-stream. This runs in the server's
process, so it reads only a few octets and, within limits, the directory of a zip.
"""

import re
from enum import StrEnum, unique
from typing import Final

from mailmcp.documents.extraction import Cause

_ZIP_MAGIC: Final = b"PK\x03\x04"
_OLE_MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PDF_HEADER_WITHIN: Final = 1024
"""Readers accept this much before `%PDF-` (ISO 32000-1, annex H.3.4.1)."""

_ZIP_END: Final = b"PK\x05\x06"
_ZIP_END_WITHIN: Final = 65_557
"""The end record of a zip and its longest comment."""

_ZIP_ENTRY: Final = b"PK\x01\x02"


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

    IMAGE = "image"
    """PNG, JPEG, GIF, WebP, BMP or TIFF."""

    HEIC = "heic"
    """HEIC, HEIF or AVIF."""

    ZIP = "zip"
    """Any zip that isn't one of the documents above."""

    TAR = "tar"
    """A tar archive, or anything compressed by gzip, bzip2 or xz."""

    OTHER_ARCHIVE = "other-archive"
    """7-Zip or RAR."""

    MSG = "msg"
    """A message saved by Outlook."""

    TNEF = "tnef"
    """winmail.dat: a message in Outlook's own format, within an internet message."""


UNREADABLE: Final = {
    Kind.ENCRYPTED_OFFICE: Cause.ENCRYPTED,
    Kind.HEIC: Cause.UNSUPPORTED_IMAGE,
    Kind.OTHER_ARCHIVE: Cause.UNSUPPORTED_ARCHIVE,
}
"""Recognised, so that a reply can name them, but not read."""

WITHOUT_TEXT: Final = frozenset({Kind.IMAGE, Kind.HEIC, Kind.OTHER_ARCHIVE})
"""Their labels promise no text."""

DRAWABLE: Final = frozenset({Kind.IMAGE, Kind.PDF})
"""Shown as pictures."""

CONTAINERS: Final = frozenset({Kind.ZIP, Kind.TAR, Kind.MSG, Kind.TNEF})
"""Their files can be read one by one."""

_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_ODF: Final = "application/vnd.oasis.opendocument"
_LABELS: Final = {
    Kind.PDF: "application/pdf application/x-pdf pdf",
    Kind.DOCX: f"{_OFFICE}.wordprocessingml.document docx docm dotx dotm",
    Kind.XLSX: f"{_OFFICE}.spreadsheetml.sheet xlsx xlsm xltx xltm",
    Kind.PPTX: f"{_OFFICE}.presentationml.presentation pptx pptm ppsx ppsm potx",
    Kind.ODT: f"{_ODF}.text odt ott",
    Kind.ODS: f"{_ODF}.spreadsheet ods ots",
    Kind.ODP: f"{_ODF}.presentation odp otp",
    Kind.RTF: "application/rtf text/rtf rtf",
    Kind.DOC: "application/msword doc dot",
    Kind.XLS: "application/vnd.ms-excel xls xlt",
    Kind.PPT: "application/vnd.ms-powerpoint ppt pps",
    Kind.IMAGE: "image/png image/jpeg image/jpg image/pjpeg image/gif image/webp image/bmp image/tiff"
    " png jpg jpeg jfif gif webp bmp tif tiff",
    Kind.HEIC: "image/heic image/heif image/avif heic heif avif",
    Kind.ZIP: "application/zip application/x-zip-compressed zip",
    Kind.TAR: "application/x-tar application/gzip application/x-gzip application/x-bzip2 application/x-xz"
    " tar tgz gz tbz2 bz2 txz xz",
    Kind.OTHER_ARCHIVE: "application/x-7z-compressed application/vnd.rar application/x-rar-compressed 7z rar",
    Kind.MSG: "application/vnd.ms-outlook msg",
    Kind.TNEF: "application/ms-tnef application/vnd.ms-tnef",
}
"""The media types and the extensions of each kind."""

_BY_LABEL: Final = {label: kind for kind, labels in _LABELS.items() for label in labels.split()}
_BY_FOLDER: Final = {b"word/": Kind.DOCX, b"xl/": Kind.XLSX, b"ppt/": Kind.PPTX}
_ENTRY_IN_FOLDER: Final = re.compile(rb"PK\x01\x02.{42}(word/|xl/|ppt/)", re.DOTALL)
_ODF_MIMETYPE: Final = re.compile(rb"mimetype(application/vnd\.oasis\.opendocument\.[a-z]{1,20})")
_BY_STREAM: Final = {
    "EncryptedPackage": Kind.ENCRYPTED_OFFICE,
    "WordDocument": Kind.DOC,
    "PowerPoint Document": Kind.PPT,
    "Workbook": Kind.XLS,
    "Book": Kind.XLS,
}
_MSG_STREAM: Final = "__properties_version1.0"
_TNEF_NAME: Final = "winmail.dat"

_MAGICS: Final = (
    (
        re.compile(rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|RIFF.{4}WEBP", re.DOTALL),
        Kind.IMAGE,
    ),
    # "BM" alone may begin a text: the size of the second header is one of few.
    (re.compile(rb"BM.{12}[\x0c\x28\x34\x38\x40\x6c\x7c]\0\0\0", re.DOTALL), Kind.IMAGE),
    (re.compile(rb".{4}ftyp(?:hei[cxms]|hev[cx]|mif1|msf1|avi[fs])", re.DOTALL), Kind.HEIC),
    (re.compile(rb"\x1f\x8b\x08|BZh[1-9](?:1AY&SY|\x17rE8P\x90)|\xfd7zXZ\0"), Kind.TAR),
    (re.compile(rb".{257}ustar", re.DOTALL), Kind.TAR),
    (re.compile(rb"7z\xbc\xaf\x27\x1c|Rar!\x1a\x07"), Kind.OTHER_ARCHIVE),
    (re.compile(rb"\x78\x9f\x3e\x22"), Kind.TNEF),
)
"""How files of other kinds begin."""


def guess_kind(content_type: str, filename: str) -> Kind | None:
    """Guess the kind from the labels of a part; None if they name no document.

    The extension decides first: mail programs derive the type from it, or don't know the type.
    """
    extension = filename.rpartition(".")[2].strip().lower()
    media_type = content_type.partition(";")[0].strip().lower()
    if filename.strip().lower() == _TNEF_NAME:
        return Kind.TNEF
    return _BY_LABEL.get(extension) or _BY_LABEL.get(media_type)


def extension_of(content_type: str) -> str:
    """Return the extension of a document's media type, with its dot; "" if there is not just one."""
    kind = _BY_LABEL.get(content_type)
    return f".{kind}" if kind is not None and _BY_LABEL.get(kind) is kind else ""


def detect_kind(content: bytes, guess: Kind | None) -> Kind | None:
    """Return the kind of a content; None if it is not a known document.

    `guess` decides only between kinds that look alike: zips with a damaged directory, and OLE files without
    a known stream.
    """
    if content.startswith((_ZIP_MAGIC, _ZIP_END)):
        return _detect_zip(content, guess)
    if content.startswith(_OLE_MAGIC):
        return _detect_ole(content, guess)
    if b"%PDF-" in content[:_PDF_HEADER_WITHIN]:  # later than the others, which may contain one
        return Kind.PDF
    if content[:64].lstrip().startswith(b"{\\rt"):
        return Kind.RTF
    return next((kind for magic, kind in _MAGICS if magic.match(content)), None)


def _detect_zip(content: bytes, guess: Kind | None) -> Kind:
    """Recognise ODF by its first entry (ODF 1.3 part 2, section 3.3), Office Open XML by its folders.

    Of the central directory, only its position is trusted.
    """
    labelled = _ODF_MIMETYPE.match(content, 30)
    if labelled:
        return _BY_LABEL.get(labelled[1].decode("ascii"), Kind.ZIP)
    end = content.rfind(_ZIP_END, max(0, len(content) - _ZIP_END_WITHIN))
    directory = int.from_bytes(content[end + 16 : end + 20], "little") if end >= 0 else len(content)
    if found := _ENTRY_IN_FOLDER.search(content, directory, max(end, 0)):
        return _BY_FOLDER[found[1]]
    is_damaged = not content.startswith(_ZIP_ENTRY, directory)
    is_likely = guess in {Kind.ODT, Kind.ODS, Kind.ODP} or (is_damaged and guess in _BY_FOLDER.values())
    return guess if guess is not None and is_likely else Kind.ZIP


def _detect_ole(content: bytes, guess: Kind | None) -> Kind | None:
    """Recognise OLE files by the names of their streams, in UTF-16 in the directory ([MS-CFB] 2.6.1)."""
    # First, because a message may have a DOC attached.
    if _MSG_STREAM.encode("utf-16-le") in content:
        return Kind.MSG
    for name, kind in _BY_STREAM.items():
        if name.encode("utf-16-le") + b"\0\0" in content:
            return kind
    return guess if guess in {Kind.DOC, Kind.XLS, Kind.PPT} else None
