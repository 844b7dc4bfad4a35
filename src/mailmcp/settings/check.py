"""Whether the tables of one source are right: each key, and the keys with each other.

Every check runs whatever the others found, so that all mistakes are told at once.
"""

import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from mailmcp.imap.account import Account, Tls, is_loopback
from mailmcp.settings.model import (
    HTTP_TOKEN_KEYS,
    PASSWORD_KEYS,
    AccountTable,
    AttachmentsTable,
    SearchTable,
    ServerTable,
    Table,
)
from mailmcp.settings.paths import resolve_path
from mailmcp.settings.preferences import folder_problems
from mailmcp.settings.problems import Problem, Where, suggest
from mailmcp.settings.secret import (
    CommandPassword,
    EnvironmentPassword,
    FilePassword,
    FixedPassword,
    PasswordSource,
)

_PORTS = {Tls.IMPLICIT: 993, Tls.STARTTLS: 143, Tls.NONE: 143}
"""The ports of IMAP (RFC 8314 section 7.3 and RFC 9051 section 2.1)."""

TABLES: Mapping[str, type[Table]] = {
    "server": ServerTable,
    "attachments": AttachmentsTable,
    "search": SearchTable,
}
"""The tables of a file beside its accounts."""

AnyTable = TypeVar("AnyTable", bound=Table)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where an account is written: the file, or the environment."""

    folder: Path
    """Where its relative paths start."""

    folder_name: str
    """What that is to the user."""

    environ: Mapping[str, str] = field(repr=False)
    names: Mapping[str, str]
    """The keys it can give, and what the user calls them there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTables:
    """What a settings file holds, as far as it is right."""

    server: ServerTable
    attachments: AttachmentsTable
    search: SearchTable
    accounts: tuple[Account, ...]
    problems: tuple[Problem, ...]


def check_document(data: Mapping[str, object], origin: Origin) -> FileTables:
    """Check a whole settings file."""
    problems = list(_unknown_tables(data))
    server, found = check_table(ServerTable, data.get("server", {}))
    problems += [_below(("server",), problem) for problem in (*found, *_token_problems(raw_server(data)))]
    attachments, found = check_attachments(data.get("attachments", {}), origin.environ)
    problems += [_below(("attachments",), problem) for problem in found]
    search, found = check_table(SearchTable, data.get("search", {}))
    problems += [_below(("search",), problem) for problem in found]
    accounts = []
    for position, raw in enumerate(raw_accounts(data)):
        account, found = check_account(raw, origin)
        problems += [_below(("accounts", position), problem) for problem in found]
        accounts += [account] if account else []
    problems += _repeated_ids(data)
    return FileTables(
        server=server or ServerTable(),
        attachments=attachments or AttachmentsTable(),
        search=search or SearchTable(),
        accounts=tuple(accounts),
        problems=tuple(problems),
    )


def raw_server(data: Mapping[str, object]) -> Mapping[str, object]:
    """Take the table `[server]` of a file, unchecked; empty if it is not even a table."""
    server = data.get("server")
    return server if isinstance(server, dict) else {}


def raw_accounts(data: Mapping[str, object]) -> list[object]:
    """Take the accounts of a file, unchecked; none if they are not even a list."""
    accounts = data.get("accounts", [])
    return accounts if isinstance(accounts, list) else []


def given_values(data: Mapping[str, object], key: str) -> list[tuple[int, object]]:
    """Take the values that accounts of a file give for a key, unchecked, with the account's position."""
    return [
        (position, raw[key])
        for position, raw in enumerate(raw_accounts(data))
        if isinstance(raw, dict) and key in raw
    ]


def check_table(model: type[AnyTable], raw: object) -> tuple[AnyTable | None, list[Problem]]:
    """Check each key of a table by itself; the table is None if there is any problem."""
    try:
        return model.model_validate(raw), []
    except ValidationError as error:
        faults = {
            each["loc"][:1]: each["type"]
            for each in error.errors(include_url=False, include_context=False, include_input=False)
        }
    return None, [Problem(where=where, message=_tell(model, where, fault)) for where, fault in faults.items()]


def check_attachments(
    raw: object, environ: Mapping[str, str]
) -> tuple[AttachmentsTable | None, list[Problem]]:
    """Check the table `[attachments]` and the folder it names; the table is None if there is any problem."""
    table, problems = check_table(AttachmentsTable, raw)
    if table is not None:
        problems += folder_problems(table, environ)
    return (None if problems else table), problems


def check_account(raw: object, origin: Origin) -> tuple[Account | None, list[Problem]]:
    """Check an account and make it; it is None if there is any problem."""
    table, problems = check_table(AccountTable, raw)
    if isinstance(raw, dict):
        wrong = {problem.where[0] for problem in problems}
        problems += _password_problems(raw, origin)
        if not wrong & {"tls", "host", "allow_plaintext"}:
            problems += _plaintext_problems(raw, origin)
        if "ca_file" not in wrong:
            problems += _ca_file_problems(raw, origin)
    if table is None or problems:
        return None, problems
    return _make_account(table, origin), []


def _make_account(table: AccountTable, origin: Origin) -> Account:
    return Account(
        account_id=table.account_id,
        host=table.host,
        port=table.port or _PORTS[table.tls],
        user=table.user,
        read_password=_password_source(table, origin),
        tls=table.tls,
        ca_file=_resolve(table.ca_file, origin) if table.ca_file else None,
        max_sessions=table.max_sessions,
        connect_timeout_s=table.connect_timeout_s,
        command_timeout_s=table.command_timeout_s,
    )


def _password_source(table: AccountTable, origin: Origin) -> PasswordSource:
    if table.password is not None:
        return FixedPassword(table.password)
    if table.password_env is not None:
        return EnvironmentPassword(table.password_env, origin.environ)
    if table.password_file is not None:
        return FilePassword(_resolve(table.password_file, origin))
    return CommandPassword(tuple(table.password_command or ()), origin.environ)


def _resolve(path: str, origin: Origin) -> Path:
    return resolve_path(path, folder=origin.folder, environ=origin.environ)


def _below(where: Where, problem: Problem) -> Problem:
    return Problem(where=where + problem.where, message=problem.message)


def _tell(model: type[Table], where: tuple[int | str, ...], fault: str) -> str:
    """Say what is wrong with a key, from its description and the kind of pydantic's error alone."""
    if not where:
        return "must be a table"
    key = str(where[0])
    if fault == "extra_forbidden":
        return f"is not a known key; {suggest(key, model.model_fields)}"
    allowed = model.model_fields[key].description
    return f"is missing; it must be {allowed}" if fault == "missing" else f"must be {allowed}"


def _unknown_tables(data: Mapping[str, object]) -> Iterator[Problem]:
    if not isinstance(data.get("accounts", []), list):
        yield Problem(where=("accounts",), message="must be an array of tables: write [[accounts]]")
    for key in data:
        if key in {*TABLES, "accounts"}:
            continue
        homes = [f"the table [{name}]" for name, model in TABLES.items() if key in model.model_fields]
        if key in AccountTable.model_fields:
            homes = ["a table [[accounts]]"]
        hint = f"it belongs in {homes[0]}" if homes else suggest(key, [*TABLES, "accounts"])
        yield Problem(where=(key,), message=f"is not a known key here; {hint}")


def _repeated_ids(data: Mapping[str, object]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for position, account_id in given_values(data, "account_id"):
        if isinstance(account_id, str) and first.setdefault(account_id, position) != position:
            other = first[account_id] + 1
            yield Problem(
                where=("accounts", position, "account_id"),
                message=f"is the same as that of accounts[{other}]; each must be unique",
            )


def _token_problems(raw: Mapping[str, object]) -> Iterator[Problem]:
    first, *others = [key for key in HTTP_TOKEN_KEYS if key in raw] or [""]
    for key in others:
        yield Problem(where=(key,), message=f"cannot stand beside {first}; give one of them, or none")


def _password_problems(raw: Mapping[str, object], origin: Origin) -> Iterator[Problem]:
    given = [key for key in PASSWORD_KEYS if key in raw]
    choices = ", ".join(origin.names[key] for key in PASSWORD_KEYS if key in origin.names)
    if not given:
        yield Problem(where=("password",), message=f"is missing; give exactly one of {choices}")
    for key in given[1:]:
        other = origin.names[given[0]]
        yield Problem(where=(key,), message=f"cannot stand beside {other}; give exactly one of {choices}")


def _plaintext_problems(raw: Mapping[str, object], origin: Origin) -> Iterator[Problem]:
    host = raw.get("host")
    if raw.get("tls") != Tls.NONE or raw.get("allow_plaintext") is True or not isinstance(host, str):
        return
    if not is_loopback(host):
        yield Problem(
            where=("tls",),
            message="would send the password in plain text; without TLS the host must be loopback "
            f"(localhost, 127.0.0.0/8 or ::1), or {origin.names['allow_plaintext']} must be true",
        )


def _ca_file_problems(raw: Mapping[str, object], origin: Origin) -> Iterator[Problem]:
    path = raw.get("ca_file")
    if not isinstance(path, str) or not path:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=_resolve(path, origin))
    except ssl.SSLError:
        yield Problem(where=("ca_file",), message="must be a PEM file that holds certificates")
    except OSError as error:
        yield Problem(
            where=("ca_file",),
            message=f"must be a PEM file, and this one cannot be read: {error.strerror}; "
            f"a relative path starts at {origin.folder_name}",
        )
