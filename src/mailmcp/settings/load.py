"""Loads the settings: merges file and environment, and reports every mistake at once.

The environment wins over the file, and the file over the defaults. `os.environ` isn't read: the caller passes
the environment.
"""

import os
import stat
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mailmcp.imap.account import Account
from mailmcp.settings.check import check_account, check_table, make_account, make_owner
from mailmcp.settings.hosted import OAuthTable, find_faults, load_oauth
from mailmcp.settings.model import TABLES, AccountTable, ServerTable, Table
from mailmcp.settings.sources import (
    CONFIG_VARIABLE,
    PREFIX,
    Origin,
    SettingsError,
    choose_config_path,
    format_key,
    read_toml,
    read_variables,
    suggest,
    variable,
)
from mailmcp.tools.preferences import Preferences


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

    oauth: OAuthTable | None = None
    """Who can sign in over HTTP; the only account is then the template of theirs. None for its owner."""


def load_settings(config: Path | None, environ: Mapping[str, str], *, needs_account: bool = True) -> Settings:
    """Find, check and merge all settings.

    Args:
        config: The file named on the command line, which must exist. None for `MAILMCP_CONFIG`, or else
            for the default place, where it may be missing.
        environ: The environment. It is kept: passwords are looked up at each login.
        needs_account: Whether it is a mistake to have no account.

    Raises:
        SettingsError: With all mistakes of all sources.
    """
    path = choose_config_path(config, environ)
    problems, text, data, listed = list[str](), "", dict[str, Any](), list[dict[str, Any]]()
    try:
        text, data, listed = read_toml(path, optional=not (config or environ.get(CONFIG_VARIABLE)))
    except SettingsError as error:
        problems += error.lines
    for key in data.keys() - TABLES.keys() - {"accounts", "http"}:
        hint = suggest(key, [*(f"[{name}]" for name in TABLES), "[http.oauth]", "[[accounts]]"])
        problems.append(f"{path}: {format_key(key)}: is not a table of the settings; {hint}")

    merged: dict[str, Any] = {}
    for name, model in TABLES.items():
        variables = read_variables(model, environ)
        origin = Origin(place=f"{path}: {name}", variables=variables)
        raw = data.get(name, {})
        table, found = check_table(model, raw | variables if isinstance(raw, dict) else raw, origin.describe)
        problems += found
        merged[name] = table or model()

    sources: list[tuple[Origin, object]] = [
        (Origin(place=f"{path}: accounts[{number}]", folder=path.parent), each)
        for number, each in enumerate(listed, start=1)
    ]
    of_variables = read_variables(AccountTable, environ)
    if of_variables:
        sources.append((Origin(), {"account_id": "default", **of_variables}))
    tables: dict[str, AccountTable] = {}
    accounts: list[Account] = []
    for origin, raw in sources:
        account, found = check_account(raw, origin)
        problems += found
        if account is None:
            continue
        if account.account_id in tables:
            problems.append(origin.describe("account_id", "is used twice; choose another id"))
        tables[account.account_id] = account
        accounts.append(make_account(account, origin, environ))
    if not (problems or accounts) and needs_account:
        ways = ", ".join(map(variable, ("host", "user", "password")))
        problems.append(
            f"No account is configured. Run mailmcp setup, set the variables {ways}, "
            f"or add a table [[accounts]] with account_id, host, user and a password to {path}"
        )
    oauth = None
    if "http" in data:
        oauth, found = load_oauth(data["http"], path)
        problems += found
        problems += find_faults(oauth, merged, tables, path) if oauth and not problems else ()
    if problems:
        raise SettingsError(problems)
    attachments, journal = merged["attachments"], merged["server"].journal_folder
    return Settings(
        server=merged["server"],
        accounts=tuple(accounts),
        source=path if text else None,
        warnings=(
            *_readable_secrets(path, [*data.values(), *data.get("http", {}).values(), *listed]),
            *_unknown_variables(environ),
        ),
        preferences=Preferences(
            save_folder=_folder(attachments.save_folder),
            attach_folder=_folder(attachments.attach_folder),
            journal_folder=_folder(journal),
            zone=zoneinfo.ZoneInfo(merged["search"].time_zone),
            owners={name: make_owner(table) for name, table in tables.items()},
        ),
        tables=tables,
        oauth=oauth,
    )


def _folder(path: str) -> Path | None:
    return Path(path).expanduser() if path else None


def _readable_secrets(path: Path, tables: list[object]) -> list[str]:
    """Warn of secrets in a file that others can read; nothing is known of Windows's permissions."""
    keys = {key for table in tables if isinstance(table, dict) for key in table}
    secrets = keys & {"password", "client_secret", "http_token"}
    if not secrets or os.name == "nt" or not path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        return []
    named = ", ".join(sorted(secrets))
    return [f"{path}: contains {named}, and other users of this machine can read it; run chmod 600 on it"]


def _unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """Warn of each variable that looks like ours and isn't."""
    models: tuple[type[Table], ...] = (*TABLES.values(), AccountTable)
    known = [CONFIG_VARIABLE, *(variable(key) for model in models for key in model.model_fields)]
    return [
        f"{format_key(name)}: is not a known variable and is ignored; {suggest(name, known)}"
        for name, value in sorted(environ.items())
        if value and name.startswith(PREFIX) and name not in known
    ]
