"""Turns a stranger's file name into one that every system accepts and that can't leave its folder.

Names that Windows reserves are avoided on every system: saved files travel.
"""

import mimetypes
import re
import unicodedata
from typing import Final

from mailmcp import limits
from mailmcp.mail.clean import clean_line

_FORBIDDEN: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f\ufffd]')
_LEADING: Final = " .-~"
"""Hidden files, command options, home folders."""

_TRAILING: Final = " ."
"""Windows drops them and finds another file."""

_RESERVED: Final = re.compile(
    r"(con|prn|aux|nul|clock\$|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])[ .]*", re.IGNORECASE
)
"""Device names, whatever follows the first dot."""

_EXTENSION_OCTETS_MAX: Final = 20
_TYPES: Final = mimetypes.MimeTypes()
"""Python's own table, not the machine's."""

_EXTENSIONS: Final = {
    "message/rfc822": ".eml",
    "message/global": ".eml",
    "text/plain": ".txt",
    "text/html": ".html",
    "text/calendar": ".ics",
    "image/jpeg": ".jpg",
    "application/rtf": ".rtf",
    "application/gzip": ".gz",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
}


def safe_filename(filename: str, *, content_type: str, part_id: str) -> str:
    """Choose the name of a saved file: never empty, and never a path on any system.

    Args:
        filename: The sender's name for it; may be anything.
        content_type: In lower case; decides the extension if the sender gave no name.
        part_id: Numbers and dots.
    """
    line = clean_line(unicodedata.normalize("NFC", clean_line(filename).text)).text
    name = _FORBIDDEN.sub("_", line).lstrip(_LEADING).rstrip(_TRAILING)
    if not name.strip("_ "):
        name = f"part-{part_id}{_extension(content_type)}"
    if _RESERVED.fullmatch(name.partition(".")[0]):
        name = f"_{name}"
    return numbered(name, 1)


def numbered(name: str, number: int) -> str:
    """Return the `number`-th name to try: the name itself, then `name (2).pdf` and so on.

    It is shortened, before its extension, to what file systems accept.
    """
    stem, extension = _split(name)
    mark = f" ({number})" if number > 1 else ""
    room = limits.SAVED_NAME_OCTETS_MAX - len(f"{mark}{extension}".encode())
    return f"{_cut(stem, room)}{mark}{extension}"


def _split(name: str) -> tuple[str, str]:
    stem, dot, extension = name.rpartition(".")
    if not stem or len(extension.encode()) > _EXTENSION_OCTETS_MAX:
        return name, ""
    return stem, dot + extension


def _cut(stem: str, octets: int) -> str:
    encoded = stem.encode()
    return stem if len(encoded) <= octets else encoded[:octets].decode(errors="ignore").rstrip(_TRAILING)


def _extension(content_type: str) -> str:
    return _EXTENSIONS.get(content_type) or _TYPES.guess_extension(content_type) or ".bin"
