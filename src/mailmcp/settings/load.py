"""The whole way: find the sources, check each, merge them, and report every mistake at once.

The command line wins over the environment, it over the file, and that over the
defaults. Nothing is read of `os.environ`: the caller passes the environment in.
"""

from collections.abc import Mapping
from pathlib import Path

from mailmcp.settings import environment
from mailmcp.settings.check import (
    Origin,
    check_account,
    check_attachments,
    check_document,
    check_table,
    given_values,
    raw_accounts,
    raw_server,
)
from mailmcp.settings.model import (
    HTTP_TOKEN_KEYS,
    AccountTable,
    AttachmentsTable,
    SearchTable,
    ServerTable,
    Settings,
)
from mailmcp.settings.paths import default_config_path, resolve_path
from mailmcp.settings.permissions import find_changeable
from mailmcp.settings.preferences import make_preferences
from mailmcp.settings.problems import Problem, SettingsError
from mailmcp.settings.toml_file import Document, read_document


def load_settings(
    config: Path | None,
    environ: Mapping[str, str],
    *,
    overrides: Mapping[str, object] | None = None,
    default_config: Path | None = None,
) -> Settings:
    """Find, check and merge all settings.

    Args:
        config: The file named on the command line; it must exist. None for
            `MAILMCP_CONFIG`, or else for the default place, where none need be.
        environ: The environment; kept, since passwords are looked up at each login.
        overrides: Keys of `[server]` from the command line; None as a value is not given.
        default_config: The default place; None for the user's own configuration folder.

    Raises:
        SettingsError: With all mistakes of all sources.
    """
    variables = environment.drop_empty(environ)
    default_config = default_config or default_config_path()
    document, problems = _read(config, variables, default_config)
    names = {key: key for key in AccountTable.model_fields}
    folder = document.path.parent if document.path else Path()
    origin = Origin(
        folder=folder, folder_name="the folder of the settings file", environ=environ, names=names
    )
    file = check_document(document.data, origin)
    problems += [document.locate(problem) for problem in file.problems]
    lent = _lent(document)

    server, found = _merge_server(file.server, variables, overrides or {})
    problems += found
    attachments, search, found = _merge_choices(file.attachments, file.search, variables, environ)
    problems += found

    accounts = list(file.accounts)
    values = environment.account_values(variables, lent=lent)
    if values:
        origin = Origin(
            folder=Path(),
            folder_name="the folder that mailmcp is started in",
            environ=environ,
            names=environment.ACCOUNT_VARIABLES,
        )
        account, wrong = check_account(values, origin)
        problems += _name(wrong, environment.ACCOUNT_VARIABLES)
        problems += [document.locate(problem) for problem in _clashes(document)]
        accounts += [account] if account else []
    if not (problems or accounts):
        problems.append(_no_account(document.path or default_config))
    if problems:
        raise SettingsError(problems)
    warnings = (
        *_exposed(document),
        *_changeable(document),
        *environment.unknown_variables(variables, lent=lent),
    )
    tables = [
        AccountTable.model_validate(raw) for raw in (*raw_accounts(document.data), *filter(None, [values]))
    ]
    return Settings(
        server=server,
        accounts=tuple(accounts),
        source=document.path,
        warnings=warnings,
        preferences=make_preferences(attachments, search, tables, environ),
    )


def load_settings_without_accounts(
    environ: Mapping[str, str], *, overrides: Mapping[str, object] | None = None
) -> Settings:
    """Check and merge what the environment and the command line say beside accounts; no file is read.

    Raises:
        SettingsError: With all mistakes of both.
    """
    variables = environment.drop_empty(environ)
    server, problems = _merge_server(ServerTable(), variables, overrides or {})
    attachments, search, found = _merge_choices(AttachmentsTable(), SearchTable(), variables, environ)
    if problems + found:
        raise SettingsError(problems + found)
    return Settings(
        server=server,
        accounts=(),
        source=None,
        warnings=tuple(environment.unknown_variables(variables, lent=())),
        preferences=make_preferences(attachments, search, (), environ),
    )


def _read(
    config: Path | None, variables: Mapping[str, str], default_config: Path
) -> tuple[Document, list[str]]:
    """Read the file, which must exist if it was named; with what is wrong with it."""
    named = variables.get(environment.CONFIG_VARIABLE)
    by_variable = ""
    if config is None and named:
        config = resolve_path(named, folder=Path(), environ=variables)
        by_variable = f" ({environment.CONFIG_VARIABLE} names this file)"
    try:
        return read_document((config or default_config).absolute(), optional=config is None), []
    except SettingsError as error:
        return Document(), [line + by_variable for line in error.lines]


def _merge_server(
    of_file: ServerTable, variables: Mapping[str, str], overrides: Mapping[str, object]
) -> tuple[ServerTable, list[str]]:
    values = environment.table_values(environment.SERVER_VARIABLES, variables)
    of_environment, wrong = check_table(ServerTable, values)
    problems = _name(wrong, environment.SERVER_VARIABLES)
    given = {
        key: environment.from_text(key, value) if isinstance(value, str) else value
        for key, value in overrides.items()
        if value is not None
    }
    of_command_line, wrong = check_table(ServerTable, given)
    problems += _name(wrong, {key: "--" + key.replace("_", "-") for key in given})
    update: dict[str, object] = {}
    for table in (of_environment, of_command_line):
        if table:
            update |= table.model_dump(exclude_unset=True)
    if update.keys() & set(HTTP_TOKEN_KEYS):
        # They are one setting: a token of the environment is not to stand beside one that the file names.
        update = dict.fromkeys(HTTP_TOKEN_KEYS) | update
    return of_file.model_copy(update=update), problems


def _merge_choices(
    attachments: AttachmentsTable,
    search: SearchTable,
    variables: Mapping[str, str],
    environ: Mapping[str, str],
) -> tuple[AttachmentsTable, SearchTable, list[str]]:
    """Let what the environment says, whole tables, take the place of the tables of the file."""
    values = environment.table_values(environment.ATTACHMENTS_VARIABLES, variables)
    saving, wrong = check_attachments(values, environ)
    problems = _name(wrong, environment.ATTACHMENTS_VARIABLES)
    if values and saving:
        attachments = saving
    values = environment.table_values(environment.SEARCH_VARIABLES, variables)
    searching, wrong = check_table(SearchTable, values)
    problems += _name(wrong, environment.SEARCH_VARIABLES)
    return attachments, searching if values and searching else search, problems


def _lent(document: Document) -> set[str]:
    """Find the variables that hold secrets of the file, and mean nothing by themselves."""
    names = [value for _, value in given_values(document.data, "password_env")]
    names.append(raw_server(document.data).get("http_token_env"))
    return {name for name in names if isinstance(name, str)}


def _name(problems: list[Problem], names: Mapping[str, str]) -> list[str]:
    """Tell problems by what the user calls the keys in a source that is not a file."""
    return [f"{names[str(problem.where[0])]}: {problem.message}" for problem in problems]


def _clashes(document: Document) -> list[Problem]:
    made_by = environment.ACCOUNT_VARIABLES["host"]
    return [
        Problem(
            where=("accounts", position, "account_id"),
            message=f"is the id of the account that {made_by} and its companions make; "
            "choose another, or unset those variables",
        )
        for position, account_id in given_values(document.data, "account_id")
        if account_id == environment.ACCOUNT_ID
    ]


def _no_account(path: Path) -> str:
    of = environment.ACCOUNT_VARIABLES
    return (
        f"There is no account. Either set {of['host']}, {of['user']} and {of['password']}, "
        f"or write a table [[accounts]] with account_id, host, user and a password into {path}"
    )


def _exposed(document: Document) -> list[str]:
    secrets = []
    if given_values(document.data, "password"):
        secrets.append(("a password", "password_command"))
    if "http_token" in raw_server(document.data):
        secrets.append(("the HTTP token", "http_token_env"))
    if not secrets or not document.is_exposed():
        return []
    return [
        f"{document.path}: holds {secret} and other users of this machine can read it; "
        f"take their permission away (chmod 600), or use {instead}"
        for secret, instead in secrets
    ]


def _changeable(document: Document) -> list[str]:
    if document.path is None:
        return []
    file = document.path.resolve()
    return [
        f"{place}: other users of this machine can change "
        + (
            "it, and it names"
            if place == file
            else "this folder, and so replace the settings in it, which name"
        )
        + " mail servers and programs to run; take their permission away (chmod go-w)"
        for place in find_changeable(document.path)
    ]
