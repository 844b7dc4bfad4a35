"""Where settings are written, what their keys are called there, and how a mistake in them is reported.

No error contains a configured value: a password may have ended up under any key.
"""

import difflib
import json
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import platformdirs

from mailmcp.settings.model import Table

CONFIG_VARIABLE: Final = "MAILMCP_CONFIG"

PREFIX: Final = "MAILMCP_"
"""Of every variable of ours."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KEY_CHARS_MAX = 64


class SettingsError(Exception):
    """The settings can't be used. Has every mistake, not just the first."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        """One mistake a line, ready to print."""
        super().__init__("\n".join(self.lines))


def format_key(name: str) -> str:
    """Write a key or variable on one line: bare if TOML allows it, otherwise quoted, escaped and cut."""
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name[:_KEY_CHARS_MAX])


def suggest(name: str, known: Iterable[str]) -> str:
    """Suggest the known name that is closest, or else list them all."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else f"the known ones are {', '.join(names)}"


def variable(key: str) -> str:
    """Return the variable that sets a key."""
    return PREFIX + key.upper()


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a table is written."""

    place: str = ""
    """The file and the table, for errors; empty for the environment."""

    folder: Path = Path()
    """Where relative paths start."""

    variables: Collection[str] = ()
    """Keys that variables set, in place of the file."""

    def name(self, key: str) -> str:
        """Return what the user calls a key here."""
        return format_key(key) if self.place and key not in self.variables else variable(key)

    def describe(self, key: str, fault: str) -> str:
        """Write what is wrong with a key, or with the whole table if it is empty, on one line."""
        if not self.place or key in self.variables:
            return f"{variable(key)}: {fault}"
        return f"{self.place}{key and '.' + format_key(key)}: {fault}"

    def resolve(self, path: str) -> Path:
        """Make a path absolute; `~` is the user's home."""
        return (self.folder / Path(path).expanduser()).absolute()


def read_toml(path: Path, *, optional: bool = False) -> tuple[str, dict[str, Any], list[dict[str, Any]]]:
    """Return the text of a file, its content, and the accounts in it, unchecked.

    All are empty if the file is optional and missing.

    Raises:
        SettingsError: It can't be read, is not TOML, or has accounts that are no tables.
    """
    try:
        # Editors on Windows write a byte order mark.
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        data = tomllib.loads(text)
        accounts = data.get("accounts", [])
        if isinstance(accounts, list) and all(isinstance(each, dict) for each in accounts):
            return text, data, accounts
        fault = "accounts: must be an array of tables; write [[accounts]]"
    except OSError as error:
        if optional and isinstance(error, FileNotFoundError | NotADirectoryError):
            return "", {}, []
        fault = f"can't be read: {error.strerror}"
    except UnicodeDecodeError:
        fault = "is not UTF-8 text"
    except RecursionError:
        fault = "is nested too deeply"
    except tomllib.TOMLDecodeError as error:
        # The message names a place, a key or a character, never a value.
        fault = f"{error}. A string needs quotes, and each account starts with [[accounts]]"
    # Raised here, since the parser's exception contains the text of the file.
    raise SettingsError([f"{path}: {fault}"])


def read_variables(model: type[Table], environ: Mapping[str, str]) -> dict[str, object]:
    """Return the keys of a table that variables set. Empty ones don't count: hosts pass blank fields so."""
    return {key: environ[name] for key in model.model_fields if environ.get(name := variable(key))}


def choose_config_path(config: Path | None, environ: Mapping[str, str]) -> Path:
    """Return the file that the command line names, or the environment, or else the default; absolute."""
    if config is None and (named := environ.get(CONFIG_VARIABLE)):
        return Path(named).expanduser().absolute()
    # Without appauthor=False, Windows would get a folder mailmcp in a folder mailmcp.
    default = platformdirs.user_config_path("mailmcp", appauthor=False) / "config.toml"
    return (config or default).absolute()
