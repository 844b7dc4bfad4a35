"""Loads the settings: finds the sources, checks each, merges them, and reports every mistake at once.

The command line wins over the environment, the environment over the file, and the file over the defaults.
`os.environ` isn't read: the caller passes the environment.
"""

import zoneinfo
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from mailmcp.auth.sign_in import SignIn
from mailmcp.imap.account import Account
from mailmcp.model.owner import Owner
from mailmcp.settings.check import check_account, check_table, make_account, make_owner, make_sign_in
from mailmcp.settings.model import (
    HTTP_TOKEN,
    TABLES,
    ServerTable,
    Settings,
    Table,
    is_http_token,
)
from mailmcp.settings.permissions import permission_warnings
from mailmcp.settings.problems import Problem, SettingsError
from mailmcp.settings.sources import (
    CONFIG_VARIABLE,
    ENVIRONMENT_ACCOUNT_ID,
    CommandLineSource,
    EnvironmentSource,
    FileSource,
    Source,
    default_config_path,
    resolve_path,
)
from mailmcp.settings.toml_file import TomlFile, read_toml
from mailmcp.tools.preferences import Preferences


def load_settings(
    config: Path | None,
    environ: Mapping[str, str],
    *,
    overrides: Mapping[str, object] | None = None,
    default_config: Path | None = None,
    needs_passwords: bool = True,
    needs_account: bool = True,
) -> Settings:
    """Find, check and merge all settings.

    Args:
        config: The file named on the command line, which must exist. None for `MAILMCP_CONFIG`, or else
            for the default place, where it may be missing.
        environ: The environment. It is kept: passwords are looked up at each login.
        overrides: Keys of `[server]` from the command line; None as a value is not given.
        default_config: The default place; None for the user's configuration folder.
        needs_passwords: Whether an account without one is a mistake; not for commands that store them.
        needs_account: Whether it is a mistake to have no account.

    Raises:
        SettingsError: With all mistakes of all sources.
    """
    default_config = default_config or default_config_path()
    file, problems = _read_file(config, environ, default_config)
    from_file = FileSource(file, environ)
    from_environment = EnvironmentSource(environ, named_in_file=from_file.named_variables())
    wrong = (*from_file.check_names(), *_id_problems(from_file, from_environment))
    problems += [from_file.describe(where, message) for where, message in wrong]
    settings = _merge(
        [from_file, from_environment, CommandLineSource(overrides or {})],
        problems,
        [*permission_warnings(from_file), *from_environment.warn_of_unknown()],
        needs_passwords=needs_passwords,
    )
    if needs_account and not settings.accounts:
        host, user, password = map(from_environment.name_key, ("host", "user", "password"))
        raise SettingsError(
            [
                f"No account is configured. Run mailmcp setup, set {host}, {user} and {password}, "
                "or add a table [[accounts]] "
                f"with account_id, host, user and a password to {file.path or default_config}"
            ]
        )
    return settings


def load_settings_without_accounts(
    environ: Mapping[str, str], *, overrides: Mapping[str, object] | None = None
) -> Settings:
    """Check and merge what the environment and the command line say besides accounts; read no file.

    Raises:
        SettingsError: With all mistakes of both.
    """
    source = EnvironmentSource(environ)
    source.accounts = []
    return _merge([source, CommandLineSource(overrides or {})], [], source.warn_of_unknown())


def read_http_token(server: ServerTable, environ: Mapping[str, str]) -> SecretStr | None:
    """Read the token that each request over HTTP must have; None if the settings have none.

    Over stdio no token is needed, so a variable without one must not keep mailmcp from starting.

    Raises:
        SettingsError: The variable that `http_token_env` names has no token.
    """
    name = server.http_token_env
    if name is None:
        return server.http_token
    token = environ.get(name, "")
    if is_http_token(token):
        return SecretStr(token)
    fault = f"must be {HTTP_TOKEN}" if token else "is not set or is empty"
    raise SettingsError([f"environment variable {name}, which server.http_token_env names: {fault}"])


def _read_file(
    config: Path | None, environ: Mapping[str, str], default_config: Path
) -> tuple[TomlFile, list[str]]:
    """Read the file, which must exist if it was named; with what is wrong with it."""
    named_by = ""
    if config is None and (named := environ.get(CONFIG_VARIABLE)):
        config = resolve_path(named, folder=Path(), environ=environ)
        named_by = f" ({CONFIG_VARIABLE} names this file)"
    try:
        return read_toml((config or default_config).absolute(), optional=config is None), []
    except SettingsError as error:
        return TomlFile(), [line + named_by for line in error.lines]


def _merge(
    sources: Sequence[Source], problems: list[str], warnings: Sequence[str], *, needs_passwords: bool = True
) -> Settings:
    """Check each source, and let the later ones win.

    Raises:
        SettingsError: With `problems` and those that are found.
    """
    tables: dict[str, Any] = {name: model() for name, model in TABLES.items()}
    accounts: list[Account] = []
    owners: dict[str, Owner] = {}
    sign_ins: dict[str, SignIn] = {}
    for source in sources:
        for name, raw in source.tables.items():
            table, found = check_table(TABLES[name], raw, source)
            problems += [source.describe((name, *where), message) for where, message in found]
            if table is not None:
                tables[name] = _overlay(tables[name], table)
        for position, raw in enumerate(source.accounts):
            account, found = check_account(raw, source, needs_password=needs_passwords)
            problems += [source.describe(("accounts", position, *where), message) for where, message in found]
            if account is not None and not found:
                sign_ins[account.account_id] = make_sign_in(account, source)
                accounts.append(make_account(account, source, sign_ins[account.account_id]))
                owners[account.account_id] = make_owner(account)
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
        accounts=tuple(accounts),
        source=sources[0].path,
        warnings=tuple(warnings),
        preferences=preferences,
        sign_ins=sign_ins,
    )


def _overlay(below: Table, above: Table) -> Table:
    """Let the keys that one table sets win over those of another."""
    update = {key: getattr(above, key) for key in above.model_fields_set}
    if update.keys() & set(above.alternatives):
        # Alternatives are one setting: a token of the environment replaces any of the file.
        update = dict.fromkeys(above.alternatives) | update
    return below.model_copy(update=update)


def _id_problems(from_file: FileSource, from_environment: EnvironmentSource) -> Iterator[Problem]:
    """Find ids that are used twice; the accounts may have other mistakes."""
    first: dict[object, int] = {}
    for position, account_id in from_file.account_values("account_id"):
        where = ("accounts", position, "account_id")
        if not isinstance(account_id, str):
            continue
        if first.setdefault(account_id, position) != position:
            yield Problem(where, f"is also the id of accounts[{first[account_id] + 1}]; ids must be unique")
        elif account_id == ENVIRONMENT_ACCOUNT_ID and from_environment.accounts:
            variable = from_environment.name_key("host")
            yield Problem(
                where,
                f"is the id of the account that {variable} sets up; choose another, or unset that variable",
            )
