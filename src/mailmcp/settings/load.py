"""Loads the settings: finds the sources, checks each, merges them, and reports every mistake at once.

The command line wins over the environment, the environment over the file, and the file over the defaults.
`os.environ` isn't read: the caller passes the environment.
"""

import os
import stat
import zoneinfo
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mailmcp.auth.sign_in import SignIn
from mailmcp.imap.account import Account
from mailmcp.model.owner import Owner
from mailmcp.settings.check import check_table, make_account, make_owner, make_sign_in
from mailmcp.settings.model import TABLES, AccountTable, Settings
from mailmcp.settings.problems import SettingsError
from mailmcp.settings.sources import (
    CONFIG_VARIABLE,
    Source,
    choose_config_path,
    command_line,
    read_environment,
    read_file,
    unknown_variables,
    variable,
)
from mailmcp.tools.preferences import Preferences


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
    is_optional = config is None and not environ.get(CONFIG_VARIABLE)
    from_file, problems = Source(), list[str]()
    try:
        from_file, problems = read_file(path, environ, optional=is_optional)
    except SettingsError as error:
        named_by = "" if config or is_optional else f" ({CONFIG_VARIABLE} names this file)"
        problems = [line + named_by for line in error.lines]
    named = _named_variables(from_file)
    sources = [from_file, read_environment(environ, named_in_file=named), command_line(overrides or {})]
    warnings = [*_readable_secrets(from_file), *unknown_variables(environ, named_in_file=named)]
    settings = _merge(sources, problems, warnings)
    if needs_account and not settings.accounts:
        variables = ", ".join(map(variable, ("host", "user", "password")))
        raise SettingsError(
            [
                f"No account is configured. Run mailmcp setup, set the variables {variables}, "
                f"or add a table [[accounts]] with account_id, host, user and a password to {path}"
            ]
        )
    return settings


def _merge(sources: Sequence[Source], problems: list[str], warnings: Sequence[str]) -> Settings:
    """Check each source, and let the later ones win.

    Raises:
        SettingsError: With `problems` and those that are found.
    """
    tables: dict[str, Any] = {name: model() for name, model in TABLES.items()}
    accounts: dict[str, Account] = {}
    owners: dict[str, Owner] = {}
    sign_ins: dict[str, SignIn] = {}
    for source in sources:
        for name, raw in source.tables.items():
            table, found = check_table(TABLES[name], raw, source)
            problems += [source.describe(name, key, message) for key, message in found]
            if table is not None:
                given = {key: getattr(table, key) for key in table.model_fields_set}
                tables[name] = tables[name].model_copy(update=given)
        for number, raw in enumerate(source.accounts, start=1):
            account, found = check_table(AccountTable, raw, source)
            place = f"accounts[{number}]"
            problems += [source.describe(place, key, message) for key, message in found]
            if account is None or found:
                continue
            name = account.account_id
            if name in accounts:
                problems.append(source.describe(place, "account_id", "is used twice; choose another id"))
            sign_ins[name] = make_sign_in(account, source)
            accounts[name] = make_account(account, source, sign_ins[name])
            owners[name] = make_owner(account)
    if problems:
        raise SettingsError(problems)
    folder = tables["attachments"].save_folder
    preferences = Preferences(
        save_folder=sources[0].resolve(folder) if folder else None,
        zone=zoneinfo.ZoneInfo(tables["search"].time_zone),
        owners=owners,
    )
    return Settings(
        server=tables["server"],
        accounts=tuple(accounts.values()),
        source=sources[0].path,
        warnings=tuple(warnings),
        preferences=preferences,
        sign_ins=sign_ins,
    )


def _file_values(source: Source, *keys: str) -> list[tuple[str, object]]:
    """Return each of these keys that the file has, in any table, with its value, unchecked."""
    tables = [each for each in (*source.tables.values(), *source.accounts) if isinstance(each, dict)]
    return [(key, each[key]) for each in tables for key in keys if key in each]


def _named_variables(source: Source) -> set[str]:
    """Return the variables that the file takes secrets from: they mean nothing else."""
    found = _file_values(source, "password_env", "client_secret_env")
    return {name for _, name in found if isinstance(name, str)}


def _readable_secrets(source: Source) -> list[str]:
    """Warn of secrets in a file that others can read; nothing is known of Windows's permissions."""
    if source.path is None or os.name == "nt":
        return []
    if not source.path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        return []
    secrets = dict(_file_values(source, "password", "client_secret", "http_token"))
    return [
        f"{source.path}: contains {key}, and other users of this machine can read it; run chmod 600 on it"
        for key in secrets
    ]
