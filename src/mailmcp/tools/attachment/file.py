"""Saves a stranger's file in the user's folder: completely or not at all, and never over another file.

The octets go to a new file with a random name. When they are complete, the file gets its own name through
a hard link, which fails if the name is taken. (Without hard links, as on FAT, an empty file takes the name
first and the finished file replaces it.) Names are resolved in the folder as it was opened, and symbolic
links in it are not followed. Blocking.
"""

import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mailmcp import limits
from mailmcp.reasons import Reason
from mailmcp.tools.attachment.name import numbered
from mcp_envelope import InternalError

_MODE: Final = 0o600
_NEW_FILE: Final = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_HAS_DIR_FD: Final = {os.open, os.link, os.unlink} <= os.supports_dir_fd
"""Whether names can be resolved in an open folder; false on Windows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFile:
    """A saved file."""

    path: Path
    size_octets: int
    sha256: str
    """As hexadecimal digits."""


def save_file(folder: Path, name: str, octets: Iterable[bytes]) -> SavedFile:
    """Save octets as a new file that only its owner can read.

    Args:
        folder: An existing folder.
        name: From `safe_filename`; if it is taken, " (2)" and so on is added.
        octets: Written as they come. If they raise, nothing is left behind.

    Raises:
        InternalError: With reason `save_failed`.
    """
    with _translate_errors(), _open_folder(folder) as place:
        partial = f".mailmcp-{secrets.token_hex(8)}.part"
        descriptor = os.open(place.at(partial), _NEW_FILE, _MODE, **place.within)
        try:
            size, digest = _write(descriptor, octets)
            final = _give_name(place, partial, name)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(place.at(partial), **place.within)
    return SavedFile(path=folder / final, size_octets=size, sha256=digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A folder in which names are resolved."""

    folder: Path
    descriptor: int | None

    def at(self, name: str) -> str | Path:
        return name if self.descriptor is not None else self.folder / name

    @property
    def within(self) -> dict[str, Any]:
        return {} if self.descriptor is None else {"dir_fd": self.descriptor}

    @property
    def between(self) -> dict[str, Any]:
        if self.descriptor is None:
            return {}
        return {"src_dir_fd": self.descriptor, "dst_dir_fd": self.descriptor}

    @property
    def linking(self) -> dict[str, Any]:
        return self.between | ({"follow_symlinks": False} if self.between else {})


@contextmanager
def _open_folder(folder: Path) -> Iterator[_Place]:
    if not _HAS_DIR_FD:
        yield _Place(folder=folder, descriptor=None)
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield _Place(folder=folder, descriptor=descriptor)
    finally:
        os.close(descriptor)


def _write(descriptor: int, octets: Iterable[bytes]) -> tuple[int, str]:
    size, digest = 0, hashlib.sha256()
    with os.fdopen(descriptor, "wb") as file:
        for chunk in octets:
            file.write(chunk)
            digest.update(chunk)
            size += len(chunk)
        file.flush()
        os.fsync(file.fileno())
    return size, digest.hexdigest()


def _give_name(place: _Place, partial: str, name: str) -> str:
    """Rename the finished file to the first free name, in one step that can't overwrite."""
    for number in range(1, limits.SAVED_NAMES_TRIED + 1):
        candidate = numbered(name, number)
        with suppress(FileExistsError):
            _rename(place, partial, candidate)
            return candidate
    raise InternalError(
        f"The file was not saved: the folder already has {limits.SAVED_NAMES_TRIED} files with this name. "
        "The user must delete some.",
        reason=Reason.SAVE_FAILED,
    )


def _rename(place: _Place, partial: str, candidate: str) -> None:
    try:
        os.link(place.at(partial), place.at(candidate), **place.linking)
    except FileExistsError:
        raise
    except OSError:
        # No hard links, as on FAT: take the name with an empty file, then replace it.
        os.close(os.open(place.at(candidate), _NEW_FILE, _MODE, **place.within))
        try:
            os.replace(place.at(partial), place.at(candidate), **place.between)  # noqa: PTH105 - needs dir_fd
        except OSError:
            os.unlink(place.at(candidate), **place.within)
            raise


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InternalError(
            f"The file was not saved: {error.strerror or 'the system refused'}. "
            "The user must check the folder that save_folder in [attachments] names.",
            reason=Reason.SAVE_FAILED,
        ) from error
