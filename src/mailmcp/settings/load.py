"""Loads the settings: merges file, environment and command line, and reports every mistake at once.

The command line wins over the environment, the environment over the file, and the file over the defaults.
`os.environ` isn't read: the caller passes the environment.
"""

import os
import stat
import zoneinfo
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from mailmcp.imap.account import Account
from mailmcp.settings.check import check_account, check_table, make_account, make_owner
from mailmcp.settings.model import TABLES, AccountTable, ServerTable, Table
from mailmcp.settings.sources import (
    CONFIG_VARIABLE,
    PREFIX,
    Origin,
    SettingsError,
    choose_config_path,
    format_key,
    keys_with_variable,
    option,
    read_toml,
    read_variables,
    suggest,
    variable,
)
from mailmcp.tools.preferences import Preferences

ENVIRONMENT_ACCOUNT_ID: Final = "default"
"""Id of the account that variables set up."""

_VARIABLES: Final = Origin(name=variable)
_OPTIONS: Final = Origin(name=option)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything the user configured, checked, with defaults filled in."""

    server: ServerTable
    accounts: tuple[Account, ...]
    """The file's accounts in its order, then the environment's; ids are unique."""

    source: Path | None
    """The file that was read; None if there is none."""

    warnings: tuple[str, ...]
    """What works but the user should know, one line each; never contains a value."""

    preferences: Preferences = field(default_factory=Preferences)
    tables: Mapping[str, AccountTable] = field(default_factory=dict)
    """The table of each account, by its id."""


def load_settings(
    config: Path | None,
    environ: Mapping[str, str],
    *,
    overrides: Mapping[str, object] | None = None,
    needs_account: bool = True,
) -> Settings:
    """Find, check and merge all settings.

    Args:
        config: The file named on the command line, which must exist. None for `MAILMCP_CONFIG`, or else
            for the default place, where it may be missing.
        environ: The environment. It is kept: passwords are looked up at each login.
        overrides: Keys of `[server]` from the command line; None as a value is not given.
        needs_account: Whether it is a mistake to have no account.

    Raises:
        SettingsError: With all mistakes of all sources.
    """
    path = choose_config_path(config, environ)
    by_variable = config is None and bool(environ.get(CONFIG_VARIABLE))
    problems, text, data = list[str](), "", dict[str, Any]()
    try:
        text, data = read_toml(path, optional=config is None and not by_variable)
    except SettingsError as error:
        named_by = f" ({CONFIG_VARIABLE} names this file)" if by_variable else ""
        problems += [line + named_by for line in error.lines]
    listed = data.pop("accounts", [])
    if not isinstance(listed, list):
        problems.append(f"{path}: accounts: must be an array of tables; write [[accounts]]")
        listed = []
    for key in data.keys() - TABLES.keys():
        hint = suggest(key, [*(f"[{name}]" for name in TABLES), "[[accounts]]"])
        problems.append(f"{path}: {format_key(key)}: is not a table of the settings; {hint}")

    options = {key: value for key, value in (overrides or {}).items() if value is not None}
    merged: dict[str, Any] = {}
    for name, model in TABLES.items():
        of_file = Origin(place=f"{path}: {name}", folder=path.parent), data.get(name, {})
        of_environment = _VARIABLES, read_variables(model, environ)
        of_options = _OPTIONS, options if model is ServerTable else {}
        merged[name] = _merge(model, (of_file, of_environment, of_options), problems)

    named = {
        str(value) for key, value in _values(data, listed) if key in {"password_env", "client_secret_env"}
    }
    raw: list[tuple[Origin, object]] = [
        (Origin(place=f"{path}: accounts[{number}]", folder=path.parent), each)
        for number, each in enumerate(listed, start=1)
    ]
    of_variables = read_variables(AccountTable, environ)
    if any(variable(key) not in named for key in of_variables):
        raw.append((_VARIABLES, {"account_id": ENVIRONMENT_ACCOUNT_ID, **of_variables}))
    tables = _check_accounts(raw, problems)
    if not (problems or tables) and needs_account:
        variables = ", ".join(map(variable, ("host", "user", "password")))
        problems.append(
            f"No account is configured. Run mailmcp setup, set the variables {variables}, "
            f"or add a table [[accounts]] with account_id, host, user and a password to {path}"
        )
    if problems:
        raise SettingsError(problems)
    folder = merged["attachments"].save_folder
    return Settings(
        server=merged["server"],
        accounts=tuple(make_account(table, origin, environ) for origin, table in tables.values()),
        source=path if text else None,
        warnings=(*_readable_secrets(path, data, listed), *_unknown_variables(environ, named)),
        preferences=Preferences(
            save_folder=Path(folder).expanduser() if folder else None,
            zone=zoneinfo.ZoneInfo(merged["search"].time_zone),
            owners={name: make_owner(table) for name, (_, table) in tables.items()},
        ),
        tables={name: table for name, (_, table) in tables.items()},
    )


def _check_accounts(
    raw: list[tuple[Origin, object]], problems: list[str]
) -> dict[str, tuple[Origin, AccountTable]]:
    """Check accounts and return those without problems, by id; adds what is wrong to `problems`."""
    tables: dict[str, tuple[Origin, AccountTable]] = {}
    for origin, each in raw:
        table, found = check_account(each, origin)
        problems += found
        if table is not None and table.account_id in tables:
            problems.append(origin.describe("account_id", "is used twice; choose another id"))
        if table is not None:
            tables[table.account_id] = origin, table
    return tables


def _merge(model: type[Table], sources: tuple[tuple[Origin, object], ...], problems: list[str]) -> Table:
    """Merge what several sources say of a table, the later ones winning; adds what is wrong to `problems`."""
    values: dict[str, object] = {}
    origins: dict[str, Origin] = {}
    for origin, raw in sources:
        if isinstance(raw, dict):
            values |= raw
            origins |= dict.fromkeys(raw, origin)
        else:
            problems.append(origin.describe("", "must be a table"))
    table, found = check_table(model, values, lambda key, fault: origins[key].describe(key, fault))
    problems += found
    return table or model()


def _values(data: Mapping[str, object], accounts: list[object]) -> Iterator[tuple[str, object]]:
    """Yield each key of the file, in any table, with its value, unchecked."""
    for table in (*data.values(), *accounts):
        if isinstance(table, dict):
            yield from table.items()


def _readable_secrets(path: Path, data: Mapping[str, object], accounts: list[object]) -> list[str]:
    """Warn of secrets in a file that others can read; nothing is known of Windows's permissions."""
    secrets = {key for key, _ in _values(data, accounts)} & {"password", "client_secret", "http_token"}
    if not secrets or os.name == "nt" or not path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        return []
    keys = ", ".join(sorted(secrets))
    return [f"{path}: contains {keys}, and other users of this machine can read it; run chmod 600 on it"]


def _unknown_variables(environ: Mapping[str, str], named_in_file: set[str]) -> list[str]:
    """Warn of each variable that looks like ours and isn't."""
    models: tuple[type[Table], ...] = (*TABLES.values(), AccountTable)
    known = [CONFIG_VARIABLE, *(variable(key) for model in models for key in keys_with_variable(model))]
    return [
        f"{format_key(name)}: is not a known variable and is ignored; {suggest(name, known)}"
        for name, value in sorted(environ.items())
        if value and name.startswith(PREFIX) and name not in known and name not in named_in_file
    ]
