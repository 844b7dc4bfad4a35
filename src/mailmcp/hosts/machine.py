"""Finds the settings of hosts on this machine."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mailmcp.hosts.table import Host, System

_WINDOWS_FOLDERS = {"APPDATA": "AppData/Roaming", "LOCALAPPDATA": "AppData/Local"}
"""Where they are in the home folder, should a variable be missing."""

_XDG = ("XDG_CONFIG_HOME", "~/.config")


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What decides where files are."""

    system: System
    home: Path
    environ: Mapping[str, str]


def this_machine() -> Machine:
    """Describe the machine that this runs on; other Unixes count as Linux."""
    system: System = "darwin" if sys.platform == "darwin" else "win32" if os.name == "nt" else "linux"
    return Machine(system=system, home=Path.home(), environ=os.environ)


def find_files(host: Host, machine: Machine) -> list[Path]:
    """Return the settings of each edition of a host that is there; the files themselves may be missing."""
    return [
        path
        for template in host.files[machine.system]
        for path in _matches(_expand(template, host, machine))
        if path.is_file() or _sign(host, machine, path).is_dir()
    ]


def expected_files(host: Host, machine: Machine) -> list[Path]:
    """Return where settings of a host are looked for."""
    return [_expand(template, host, machine) for template in host.files[machine.system]]


def _sign(host: Host, machine: Machine, path: Path) -> Path:
    is_moved = host.moved_by is not None and machine.environ.get(host.moved_by[0])
    return path.parent if host.sign is None or is_moved else _expand(host.sign, host, machine)


def _expand(template: str, host: Host, machine: Machine) -> Path:
    moves = [
        each for each in (host.moved_by, _XDG if machine.system == "linux" else None) if each is not None
    ]
    for variable, folder in moves:
        value = machine.environ.get(variable, "")
        if template.startswith(f"{folder}/") and Path(value).is_absolute():
            return Path(value, template.removeprefix(f"{folder}/"))
    root, _, rest = template.partition("/")
    if root == "~":
        return machine.home / rest
    variable = root.strip("%")
    value = machine.environ.get(variable, "")
    return (Path(value) if value else machine.home / _WINDOWS_FOLDERS[variable]) / rest


def _matches(path: Path) -> Iterator[Path]:
    """Fill in a `*` in the name of a folder."""
    parts = path.parts
    stars = [index for index, part in enumerate(parts) if "*" in part]
    if not stars:
        yield path
        return
    for folder in sorted(Path(*parts[: stars[0]]).glob(str(Path(*parts[stars[0] : -1])))):
        yield folder / path.name
