"""Plans changes of settings files, shows them, and makes them."""

import stat
from codecs import BOM_UTF8
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from os.path import commonprefix
from pathlib import Path

from mailmcp.atomic import write_atomically
from mailmcp.hosts.edit import add_entry, find_entry, remove_entry
from mailmcp.hosts.syntax import TextError
from mailmcp.hosts.table import Host, Launch

BACKUP_SUFFIX = ".before-mailmcp"

_LINE_CHARS_MAX = 160
"""Of lines that are shown whole. A file may be all on one line."""


class FileError(Exception):
    """A settings file can't be used. The message names it and says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a file has and shall have; None is no file."""

    path: Path
    before: bytes | None = field(repr=False)
    after: bytes | None = field(repr=False)

    @property
    def backup(self) -> Path:
        """Where the file is kept as it was."""
        return _backup_of(self.path)

    def diff(self) -> list[str]:
        """Return what differs, without what is next to it: other servers may have secrets there."""
        old, new = ((each or b"").decode("utf-8-sig") for each in (self.before, self.after))
        olds, news = old.splitlines(), new.splitlines()
        # The line above an entry may get a comma, which is no reason to show it.
        matcher = SequenceMatcher(a=_without_commas(olds), b=_without_commas(news))
        lines = []
        for tag, start, end, new_start, new_end in matcher.get_opcodes():
            if tag != "equal":
                lines += [f"-{line}" for line in olds[start:end]]
                lines += [f"+{line}" for line in news[new_start:new_end]]
        if all(len(line) <= _LINE_CHARS_MAX for line in lines):
            return lines
        return [f"-{line}" for line in _middle(old, new)] + [f"+{line}" for line in _middle(new, old)]


def _without_commas(lines: list[str]) -> list[str]:
    return [line.removesuffix(",") for line in lines]


def _middle(text: str, other: str) -> list[str]:
    """Return the lines of a text from where it begins to differ from another to where it ends to."""
    start = len(commonprefix([text, other]))  # noqa: RUF071 - it is characters that are compared
    end = len(commonprefix([text[start:][::-1], other[start:][::-1]]))  # noqa: RUF071
    return text[start : len(text) - end].splitlines()


def plan_install(path: Path, host: Host, name: str, launch: Launch) -> Change | None:
    """Return how a file gets the entry, or None if it has it.

    Raises:
        FileError: The file can't be read, parsed or edited.
    """
    real, before = _read(path)
    try:
        text = add_entry(_decode(before), host.syntax, (host.key, name), host.make_entry(name, launch))
    except TextError as error:
        raise FileError(f"{path}: {error}. Nothing was changed; --print shows the entry to add") from None
    after = _encode(text, before)
    return None if after == before else Change(path=real, before=before, after=after)


def plan_uninstall(path: Path, host: Host, name: str) -> Change | None:
    """Return how a file loses the entry, or None if it doesn't have it.

    If nothing else has changed since the entry was added, the file becomes what it was: it gets the octets of
    the backup, or is deleted if it wasn't there.

    Raises:
        FileError: The file can't be read, parsed or edited.
    """
    real, before = _read(path)
    keys = (host.key, name)
    try:
        text = _decode(before)
        entry = find_entry(text, host.syntax, keys)
        if entry is None:
            return None
        backup = _backup_of(real)
        original = backup.read_bytes() if backup.is_file() else None
        if _is_original(original, text, host, keys, entry):
            return Change(path=real, before=before, after=original)
        return Change(path=real, before=before, after=_encode(remove_entry(text, host.syntax, keys), before))
    except OSError as error:
        raise FileError(f"{path}: its backup can't be read: {error.strerror}") from error
    except TextError as error:
        raise FileError(f"{path}: {error}. Nothing was changed; remove the entry {name} by hand") from None


def has_entry(path: Path, host: Host, name: str) -> bool:
    """Return whether a file has the entry.

    Raises:
        FileError: The file can't be read or parsed.
    """
    try:
        return find_entry(_decode(_read(path)[1]), host.syntax, (host.key, name)) is not None
    except TextError as error:
        raise FileError(f"{path}: {error}") from None


def apply(change: Change) -> None:
    """Back up the file, then write another one and rename it: a crash leaves one of the two, whole.

    Raises:
        FileError: The file is read-only, was changed meanwhile, or can't be written.
    """
    path = change.path
    if _read(path)[1] != change.before:
        raise FileError(f"{path}: was changed meanwhile. Close the host, then try again")
    try:
        mode = stat.S_IMODE(path.stat().st_mode) if change.before is not None else 0o600
        if not mode & stat.S_IWUSR:
            raise FileError(f"{path}: is read-only. Nothing was changed")
        if change.before is not None:
            write_atomically(change.backup, change.before, mode=mode)
        if change.after is None:
            path.unlink()
        else:
            write_atomically(path, change.after, mode=mode)
    except OSError as error:
        raise FileError(f"{path}: can't be written: {error.strerror}") from error


def _backup_of(path: Path) -> Path:
    return path.with_name(path.name + BACKUP_SUFFIX)


def _is_original(
    original: bytes | None, text: str, host: Host, keys: tuple[str, str], entry: dict[str, object]
) -> bool:
    """Return whether adding the entry to the original gives the text."""
    try:
        old = _decode(original)
        return find_entry(old, host.syntax, keys) is None and add_entry(old, host.syntax, keys, entry) == text
    except TextError:  # an old backup of something else
        return False


def _read(path: Path) -> tuple[Path, bytes | None]:
    """Return the file behind symbolic links, and its octets; None if the file is missing."""
    if path.is_symlink() and not path.exists():
        raise FileError(f"{path}: is a link to a file that doesn't exist")
    try:
        real = path.resolve()
        return real, real.read_bytes() if real.exists() else None
    except OSError as error:
        raise FileError(f"{path}: can't be read: {error.strerror}") from error


def _decode(octets: bytes | None) -> str:
    try:
        return (octets or b"").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise TextError("is not UTF-8 text") from None


def _encode(text: str, before: bytes | None) -> bytes:
    mark = BOM_UTF8 if before and before.startswith(BOM_UTF8) else b""
    return mark + text.encode()
