"""Saves a stranger's file in the user's folder, under a safe name and never over another file.

Names that Windows reserves are avoided on every system: saved files travel. Blocking.
"""

import mimetypes
import os
import re
import unicodedata
from pathlib import Path
from typing import BinaryIO, Final

from mailmcp.documents.kind import extension_of
from mailmcp.mail.clean import clean_line
from mailmcp.mail.mime.structure import Part
from mailmcp.reasons import Reason
from mcp_envelope import InternalError

_NAME_OCTETS_MAX: Final = 255
"""UTF-8 in a name: what file systems accept."""

_NAMES_TRIED_MAX: Final = 1_000
"""Names tried for one file, " (2)" and so on; then the folder needs tidying."""

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
TYPES: Final = mimetypes.MimeTypes()
"""Python's own table, not the machine's."""

TYPES.add_type("text/calendar", ".ics")


def save_file(folder: Path, part: Part, octets: bytes) -> Path:
    """Save octets as a new file that only its owner can read, and return its path.

    Args:
        folder: An existing folder.
        part: Its file name, type and part id make the name; if it is taken, " (2)" and so on is added.
        octets: The decoded file. If it can't be written whole, nothing is left behind.

    Raises:
        InternalError: With reason `save_failed`.
    """
    try:
        file, path = _create(folder, safe_filename(part))
        try:
            with file:
                file.write(octets)
        except OSError:
            path.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InternalError(
            f"The file was not saved: {error.strerror or 'the system refused'}. "
            "The user must check the folder that save_folder in [attachments] names.",
            reason=Reason.SAVE_FAILED,
        ) from error
    return path


def _create(folder: Path, name: str) -> tuple[BinaryIO, Path]:
    """Create the file under the first free name: an exclusive open neither overwrites nor follows links."""
    for number in range(1, _NAMES_TRIED_MAX + 1):
        path = folder / _numbered(name, number)
        try:
            return open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)), path
        except FileExistsError:
            continue
    raise InternalError(
        f"The file was not saved: the folder already has {_NAMES_TRIED_MAX} files with this name. "
        "The user must delete some.",
        reason=Reason.SAVE_FAILED,
    )


def safe_filename(part: Part) -> str:
    """Choose the name of a saved file: never empty, and never a path on any system.

    The sender's name may be anything. Without one, the type decides the extension.
    """
    line = clean_line(unicodedata.normalize("NFC", clean_line(part.filename).text)).text
    name = _FORBIDDEN.sub("_", line).lstrip(_LEADING).rstrip(_TRAILING)
    if not name.strip("_ "):
        extension = extension_of(part.content_type) or TYPES.guess_extension(part.content_type) or ".bin"
        name = f"part-{part.part_id}{extension}"
    if _RESERVED.fullmatch(name.partition(".")[0]):
        name = f"_{name}"
    return _numbered(name, 1)


def _numbered(name: str, number: int) -> str:
    """Return the `number`-th name to try, shortened before its extension to what file systems accept."""
    stem, dot, extension = name.rpartition(".")
    if not stem or len(extension.encode()) > _EXTENSION_OCTETS_MAX:
        stem, dot, extension = name, "", ""
    end = (f" ({number})" if number > 1 else "") + dot + extension
    room = _NAME_OCTETS_MAX - len(end.encode())
    if len(stem.encode()) > room:
        stem = stem.encode()[:room].decode(errors="ignore").rstrip(_TRAILING)
    return stem + end
