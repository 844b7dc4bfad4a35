"""Adds an entry to a settings file in plain JSON, and removes it again.

A file that doesn't parse, comments included, is refused: what can't be written back isn't touched. The file
as it was is kept beside it under a name of its own, which nothing overwrites or removes.
"""

import json
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mailmcp.atomic import match_style, write_atomically
from mailmcp.hosts.table import Host, HostError, Launch

_ADDRESS_KEYS = {"url", "uri", "serverUrl", "httpUrl"}
"""Of an entry for a server that the host doesn't start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a file has and shall have; None is no file."""

    path: Path
    before: bytes | None = field(repr=False)
    after: bytes | None = field(repr=False)


def plan_install(path: Path, host: Host, name: str, launch: Launch) -> Change | None:
    """Return how a file gets the entry, or None if it has it; other keys of an existing entry stay.

    Raises:
        HostError: The file can't be read or parsed, or has an entry of this name for another kind of server.
    """
    real, before, data = _read(path)
    servers = data.setdefault(host.key, {})
    old = servers.get(name, {}) if isinstance(servers, dict) else None
    if not isinstance(old, dict):
        raise HostError(f"{path}: {host.key} isn't as {host.name} writes it. Nothing was changed")
    if _ADDRESS_KEYS & old.keys():
        raise HostError(f"{path}: {name} is a server with an address; use another --name, or remove it first")
    servers[name] = host.make_entry(launch) | old | {"command": launch.command, "args": list(launch.args)}
    if servers[name] == old:
        return None
    return Change(path=real, before=before, after=_write(path, data, before))


def plan_uninstall(path: Path, host: Host, name: str) -> Change | None:
    """Return how a file loses the entry, or None if it doesn't have it.

    Where nothing else has changed since, it gets the octets that it had before, or is deleted if it wasn't
    there.

    Raises:
        HostError: The file can't be read or parsed.
    """
    real, before, data = _read(path)
    if not isinstance(data.get(host.key), dict) or name not in data[host.key]:
        return None
    del data[host.key][name]
    without_key = {key: value for key, value in data.items() if key != host.key or value}
    for backup in reversed(list(_backups(real))):
        octets = backup.read_bytes()
        if _parse(octets) in (data, without_key):
            return Change(path=real, before=before, after=octets)
    return Change(path=real, before=before, after=_write(path, data, before) if without_key else None)


def apply(change: Change) -> Path | None:
    """Make a change, and return the backup; None if there was no file.

    Raises:
        HostError: The file is read-only, was changed meanwhile, or can't be written.
    """
    path, before = change.path, change.before
    backup, mode = None, 0o600
    try:
        if (path.read_bytes() if path.exists() else None) != before:
            raise HostError(f"{path}: was changed meanwhile. Close the host, then try again")
        if before is not None:
            mode = stat.S_IMODE(path.stat().st_mode)
            if not mode & stat.S_IWUSR:
                raise HostError(f"{path}: is read-only. Nothing was changed")
            *older, backup = _backups(path, free=True)
            if older and older[-1].read_bytes() == before:
                backup = older[-1]
            else:
                write_atomically(backup, before, mode=mode)
        if change.after is None:
            path.unlink()
        else:
            write_atomically(path, change.after, mode=mode)
    except OSError as error:
        raise HostError(f"{path}: can't be written: {error.strerror}") from error
    return backup


def _backups(path: Path, *, free: bool = False) -> Iterator[Path]:
    """Yield the backups that are there, the oldest first, and the next name if `free`."""
    backup, number = path.with_name(f"{path.name}.before-mailmcp"), 1
    while backup.is_file():
        yield backup
        number += 1
        backup = path.with_name(f"{path.name}.before-mailmcp-{number}")
    if free:
        yield backup


def _read(path: Path) -> tuple[Path, bytes | None, dict[str, Any]]:
    """Return the file behind symbolic links, its octets, None if it is missing, and its data."""
    try:
        real = path.resolve()
        octets = real.read_bytes() if real.exists() else None
    except OSError as error:
        raise HostError(f"{path}: can't be read: {error.strerror}") from error
    data = _parse(octets or b"")
    if data is None:
        raise HostError(f"{path}: isn't plain JSON (it may have comments), so it can't be rewritten safely")
    return real, octets, data


def _parse(octets: bytes) -> dict[str, Any] | None:
    """Return the object of a file, empty for an empty file; None if it can't be written back as it is."""
    try:
        text = octets.decode("utf-8-sig")
        data = json.loads(text, object_pairs_hook=_unique) if text.strip() else {}
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that is there twice: rewriting would drop one of its values."""
    data = dict(pairs)
    if len(data) < len(pairs):
        raise ValueError
    return data


def _write(path: Path, data: dict[str, Any], before: bytes | None) -> bytes:
    """Write data with the indentation, line breaks and byte order mark that the file had."""
    old = before or b""
    found = re.search(rb"\n([ \t]+)\S", old)
    indent = found[1].decode() if found else 2
    try:
        octets = json.dumps(data, indent=indent, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except ValueError:  # a number or character that JSON can't write
        raise HostError(f"{path}: has a value that can't be written back. Nothing was changed") from None
    return match_style(octets, old)
