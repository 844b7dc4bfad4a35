"""The files of a draft: from the one folder that the user allows, by name alone. Blocking."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mailmcp.reasons import Reason
from mailmcp.tools.attachment.save import TYPES
from mcp_envelope import BaseReason, InvalidInputError
from mcp_envelope.markdown import quote

FILES_OCTETS_MAX: Final = 18_874_368
"""All files of a draft: as Base64 they take a third more, and most providers accept messages of 25 MB."""

_FLAGS: Final[int] = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""No link is followed, and no pipe waited for; Windows has neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file to attach."""

    name: str
    content_type: str
    octets: bytes = field(repr=False)


def read_files(folder: Path | None, names: Sequence[str]) -> tuple[File, ...]:
    """Read files that are right in the folder: no path, no link, nothing hidden.

    Raises:
        InvalidInputError: There is no folder (reason `switched_off`), no such file, or they are too large.
    """
    if not names:
        return ()
    if folder is None:
        problem = "is switched off: the user must name a folder as attach_folder in [attachments]."
        raise InvalidInputError.of("attachments", Reason.SWITCHED_OFF, problem)
    files: list[File] = []
    for name in dict.fromkeys(names):
        octets = _read(folder, name)
        if octets is None:
            there = sorted(each.name for each in folder.iterdir() if _is_allowed(each) and each.is_file())
            named = ", ".join(map(quote, there[:20])) + (", …" if there[20:] else "")
            problem = f"has a name that no file in the user's folder has. Its files: {named or 'none'}."
            raise InvalidInputError.of("attachments", BaseReason.INVALID_VALUE, problem)
        guessed, encoding = TYPES.guess_type(name)
        content_type = guessed if guessed and not encoding else "application/octet-stream"
        files.append(File(name=name, content_type=content_type, octets=octets))
        check_size("attachments", sum(len(each.octets) for each in files))
    return tuple(files)


def check_size(argument: str, octets: int) -> None:
    """Raise InvalidInputError, with reason `too_large`, if all files together have too many octets."""
    if octets > FILES_OCTETS_MAX:
        problem = f"has files of more than {FILES_OCTETS_MAX // 2**20} MiB, which mail doesn't carry."
        raise InvalidInputError.of(argument, Reason.TOO_LARGE, problem)


def _is_allowed(path: Path) -> bool:
    return not path.name.startswith(".") and not path.is_symlink()


def _read(folder: Path, name: str) -> bytes | None:
    """Read a file, or as much as is too large; None if there is none that may be read."""
    try:
        path = folder / name
        if path.name != name or not _is_allowed(path):
            return None
        with open(path, "rb", opener=lambda path, flags: os.open(path, flags | _FLAGS)) as file:
            is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read(FILES_OCTETS_MAX + 1) if is_file else None
    except OSError:
        return None
