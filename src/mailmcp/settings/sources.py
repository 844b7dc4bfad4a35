"""Where settings are written: the file, the environment and the command line.

A source has raw values, unchecked, and knows what the user calls a key there.
"""

import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import platformdirs

from mailmcp.settings.model import FILE_ONLY, TABLES, AccountTable, Table
from mailmcp.settings.problems import SettingsError, format_key, suggest

CONFIG_VARIABLE: Final = "MAILMCP_CONFIG"

ENVIRONMENT_ACCOUNT_ID: Final = "default"
"""Id of the account that variables set up."""

_PREFIX: Final = "MAILMCP_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Raw values from one place."""

    name_key: Callable[[str], str] = format_key
    """Returns what the user calls a key here."""

    path: Path | None = None
    """The file; None if the source isn't one, or if there is none."""

    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    tables: Mapping[str, object] = field(default_factory=dict, repr=False)
    """Tables besides the accounts, by name."""

    accounts: Sequence[object] = field(default=(), repr=False)

    def describe(self, table: str, key: str, message: str) -> str:
        """Write a problem of a key, or of a whole table, on one line; a file is named with its table."""
        if self.path is None:
            return f"{self.name_key(key)}: {message}"
        return f"{self.path}: {table}{key and '.' + format_key(key)}: {message}"

    def resolve(self, path: str) -> Path:
        """Make a path absolute: a relative one starts at the folder of the file."""
        return ((self.path.parent if self.path else Path()) / Path(path).expanduser()).absolute()


def read_toml(path: Path, *, optional: bool = False) -> tuple[str, dict[str, Any]]:
    """Return the text and the content of a file; both are empty if it is optional and missing.

    Raises:
        SettingsError: It can't be read, or is not TOML.
    """
    try:
        # Editors on Windows write a byte order mark.
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        return text, tomllib.loads(text)
    except OSError as error:
        if optional and isinstance(error, FileNotFoundError | NotADirectoryError):
            return "", {}
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


def read_file(path: Path, environ: Mapping[str, str], *, optional: bool) -> tuple[Source, list[str]]:
    """Read the settings file; with what is wrong with the names of its tables.

    Raises:
        SettingsError: It can't be read, or is not TOML.
    """
    text, data = read_toml(path, optional=optional)
    accounts = data.pop("accounts", [])
    problems = []
    if not isinstance(accounts, list):
        problems.append(f"{path}: accounts: must be an array of tables; write [[accounts]]")
        accounts = []
    for key in data.keys() - TABLES.keys():
        hint = suggest(key, [*(f"[{name}]" for name in TABLES), "[[accounts]]"])
        problems.append(f"{path}: {format_key(key)}: is not a table of the settings; {hint}")
    tables = {name: data.get(name, {}) for name in TABLES}
    source = Source(path=path if text else None, environ=environ, tables=tables, accounts=accounts)
    return source, problems


def read_environment(environ: Mapping[str, str], *, named_in_file: Collection[str] = ()) -> Source:
    """Read the variables `MAILMCP_*`, with an account if one asks for it that the file doesn't name.

    An empty one counts as unset, since hosts pass blank fields so.
    """

    def read(model: type[Table]) -> dict[str, object]:
        return {key: environ[name] for key in keys_with_variable(model) if environ.get(name := variable(key))}

    account = read(AccountTable)
    is_set_up = any(variable(key) not in named_in_file for key in account)
    return Source(
        name_key=variable,
        environ=environ,
        tables={name: read(model) for name, model in TABLES.items()},
        accounts=[{"account_id": ENVIRONMENT_ACCOUNT_ID, **account}] if is_set_up else [],
    )


def command_line(options: Mapping[str, object]) -> Source:
    """Take options, by their key of `[server]`; None as a value is not given."""
    return Source(
        name_key=lambda key: "--" + key.replace("_", "-"),
        tables={"server": {key: value for key, value in options.items() if value is not None}},
    )


def unknown_variables(environ: Mapping[str, str], *, named_in_file: Collection[str] = ()) -> list[str]:
    """Warn of each variable that looks like ours and isn't."""
    models: tuple[type[Table], ...] = (*TABLES.values(), AccountTable)
    known = [CONFIG_VARIABLE, *(variable(key) for model in models for key in keys_with_variable(model))]
    return [
        f"{format_key(name)}: is not a known variable and is ignored; {suggest(name, known)}"
        for name, value in sorted(environ.items())
        if value and name.startswith(_PREFIX) and name not in known and name not in named_in_file
    ]


def variable(key: str) -> str:
    """Return the variable that sets a key."""
    return _PREFIX + key.upper()


def keys_with_variable(model: type[Table]) -> list[str]:
    """Return the keys that a variable can set."""
    return [key for key, field in model.model_fields.items() if FILE_ONLY not in field.metadata]


def choose_config_path(config: Path | None, environ: Mapping[str, str]) -> Path:
    """Return the file that the command line names, or the environment, or else the default; absolute."""
    if config is None and (named := environ.get(CONFIG_VARIABLE)):
        return Path(named).expanduser().absolute()
    # Without appauthor=False, Windows would get a folder mailmcp in a folder mailmcp.
    default = platformdirs.user_config_path("mailmcp", appauthor=False) / "config.toml"
    return (config or default).absolute()
