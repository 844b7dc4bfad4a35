"""Where settings are written: the file, the environment and the command line.

A source has raw values, unchecked, and knows what the user calls a key there.
"""

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import ClassVar, Final, get_args, get_origin

import platformdirs
from typing_extensions import override

from mailmcp.settings.model import FILE_ONLY, TABLES, AccountTable, Table
from mailmcp.settings.problems import Problem, Where, format_key, format_where, suggest
from mailmcp.settings.toml_file import TomlFile, find_line

CONFIG_VARIABLE: Final = "MAILMCP_CONFIG"

ENVIRONMENT_ACCOUNT_ID: Final = "default"
"""Id of the account that variables set up."""

_PREFIX: Final = "MAILMCP_"
_HOME: Final = "USERPROFILE" if os.name == "nt" else "HOME"


class Source:
    """Raw values from one place."""

    is_text: ClassVar[bool] = True
    """Values are text, to be converted to the type of their key. Those of a file have TOML's types."""

    folder = Path()
    """Where relative paths start."""

    folder_name = "the folder that mailmcp is started in"

    path: Path | None = None
    """The file; None if the source isn't one."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.tables: Mapping[str, object] = {}
        """Tables besides the accounts, by name."""

        self.accounts: list[object] = []

    def name_key(self, key: str) -> str:
        """Return what the user calls a key here."""
        return key

    def describe(self, where: Where, message: str) -> str:
        """Write a problem, with the place of its key, on one line."""
        return f"{self.name_key(str(where[-1]))}: {message}"

    def resolve(self, path: str) -> Path:
        """Make a path absolute: `~` is the home folder of `environ`."""
        return resolve_path(path, folder=self.folder, environ=self.environ)


class FileSource(Source):
    """The settings file, or none."""

    is_text = False
    folder_name = "the folder of the settings file"

    def __init__(self, file: TomlFile, environ: Mapping[str, str]) -> None:
        super().__init__(environ)
        self.file = file
        self.path = file.path
        self.folder = file.path.parent if file.path else Path()
        self.tables = {name: file.data.get(name, {}) for name in TABLES}
        accounts = file.data.get("accounts", [])
        self.accounts = accounts if isinstance(accounts, list) else []

    @override
    def describe(self, where: Where, message: str) -> str:
        line = find_line(self.file.text, where)
        place = f", line {line}" if line else ""
        return f"{self.path}{place}: {format_where(where)}: {message}"

    def check_names(self) -> list[Problem]:
        """Find tables that don't exist, and keys outside of their table."""
        problems = []
        if not isinstance(self.file.data.get("accounts", []), list):
            problems.append(Problem(("accounts",), "must be an array of tables; write [[accounts]]"))
        for key in self.file.data:
            if key in {*TABLES, "accounts"}:
                continue
            homes = [f"[{name}]" for name, model in TABLES.items() if key in model.model_fields]
            homes += ["[[accounts]]"] if key in AccountTable.model_fields else []
            hint = f"it belongs in {homes[0]}" if homes else suggest(key, [*TABLES, "accounts"])
            problems.append(Problem((key,), f"is not a known key here; {hint}"))
        return problems

    def account_values(self, key: str) -> list[tuple[int, object]]:
        """Return the values of a key, unchecked, each with the position of its account."""
        accounts = enumerate(self.accounts)
        return [(position, raw[key]) for position, raw in accounts if isinstance(raw, dict) and key in raw]

    def server_value(self, key: str) -> object:
        """Return the value of a key of `[server]`, unchecked; None if it isn't set."""
        server = self.tables["server"]
        return server.get(key) if isinstance(server, dict) else None

    def named_variables(self) -> set[str]:
        """Return the variables that the file takes secrets from: they mean nothing else."""
        keys = ("password_env", "client_secret_env")
        values = [value for key in keys for _, value in self.account_values(key)]
        return {each for each in (*values, self.server_value("http_token_env")) if isinstance(each, str)}


class EnvironmentSource(Source):
    """The variables `MAILMCP_*`; an empty one counts as unset, since hosts pass blank fields so."""

    def __init__(self, environ: Mapping[str, str], *, named_in_file: Collection[str] = ()) -> None:
        """Read all tables, and the account if a variable asks for it that the file doesn't name."""
        super().__init__(environ)
        self._variables = {name: value for name, value in environ.items() if value}
        self._named_in_file = named_in_file
        self.tables = {name: self._read(model) for name, model in TABLES.items()}
        account = self._read(AccountTable)
        if any(self.name_key(key) not in named_in_file for key in account):
            self.accounts = [{"account_id": ENVIRONMENT_ACCOUNT_ID, **account}]

    @override
    def name_key(self, key: str) -> str:
        return _PREFIX + key.upper()

    def _read(self, model: type[Table]) -> dict[str, object]:
        names = {key: self.name_key(key) for key in keys_with_variable(model)}
        return {
            key: split_list(model, key, self._variables[name])
            for key, name in names.items()
            if name in self._variables
        }

    def warn_of_unknown(self) -> list[str]:
        """Warn of each variable that looks like ours and isn't."""
        models: tuple[type[Table], ...] = (*TABLES.values(), AccountTable)
        keys = [key for model in models for key in keys_with_variable(model)]
        known = [CONFIG_VARIABLE, *map(self.name_key, keys)]
        return [
            f"{format_key(name)}: is not a known variable and is ignored; {suggest(name, known)}"
            for name in sorted(self._variables)
            if name.startswith(_PREFIX) and name not in known and name not in self._named_in_file
        ]


class CommandLineSource(Source):
    """Options, for keys of `[server]`."""

    def __init__(self, options: Mapping[str, object]) -> None:
        """Take the options by key; None as a value is not given."""
        super().__init__({})
        self.tables = {"server": {key: value for key, value in options.items() if value is not None}}

    @override
    def name_key(self, key: str) -> str:
        return "--" + key.replace("_", "-")


def keys_with_variable(model: type[Table]) -> list[str]:
    """Return the keys that a variable can set."""
    return [key for key, field in model.model_fields.items() if FILE_ONLY not in field.metadata]


def split_list(model: type[Table], key: str, text: str) -> object:
    """Split the text of a key that is a list at its commas."""
    annotation = model.model_fields[key].annotation
    if list not in {get_origin(annotation), *map(get_origin, get_args(annotation))}:  # `list[…] | None`, too
        return text
    return [part.strip() for part in text.split(",") if part.strip()]


def default_config_path() -> Path:
    """Return where the settings file is by default; it need not exist."""
    # Without appauthor=False, Windows would get a folder mailmcp in a folder mailmcp.
    return platformdirs.user_config_path("mailmcp", appauthor=False) / "config.toml"


def choose_config_path(config: Path | None, environ: Mapping[str, str]) -> Path:
    """Return the file that the command line names, or the environment, or else the default; absolute."""
    if config is None and (named := environ.get(CONFIG_VARIABLE)):
        return resolve_path(named, folder=Path(), environ=environ)
    return (config or default_config_path()).absolute()


def resolve_path(text: str, *, folder: Path, environ: Mapping[str, str]) -> Path:
    """Make a path absolute: `~` is the home folder of `environ`, and a relative path starts at `folder`."""
    first, *rest = Path(text).parts or (".",)
    home = environ.get(_HOME)
    if first == "~" and home:
        return Path(home, *rest)
    return (folder / text).absolute()
