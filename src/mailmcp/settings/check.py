"""Checks the values of one source: each key, and keys with each other.

Every check runs whatever the others find, so that the user sees all mistakes at once.
"""

import os
import re
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from pydantic import ValidationError

from mailmcp.auth.sign_in import SignIn
from mailmcp.auth.store import FileStore
from mailmcp.imap.account import Account, BearerToken, Mechanism, Password, Tls, is_loopback
from mailmcp.model.message_ref import ACCOUNT_ID_PATTERN
from mailmcp.model.owner import Owner
from mailmcp.settings.model import ADDRESS_PATTERN, AccountTable, AttachmentsTable, Table
from mailmcp.settings.passwords import (
    PasswordSource,
    command_password,
    file_password,
    fixed_password,
    stored_password,
    variable_password,
)
from mailmcp.settings.problems import Problem, suggest
from mailmcp.settings.sources import Source, keys_with_variable

_PASSWORD_KEYS: Final = ("password", "password_env", "password_file", "password_command")
_OAUTH_KEYS: Final = (
    "provider",
    "issuer",
    "tenant",
    "client_id",
    "client_secret",
    "client_secret_env",
    "scope",
    "grant",
    "token_command",
    "sasl",
)

TableT = TypeVar("TableT", bound=Table)


def check_table(model: type[TableT], raw: object, source: Source) -> tuple[TableT | None, list[Problem]]:
    """Check a table; it is None if a key is wrong, not if keys can't be combined."""
    table, faults = None, {}
    try:
        table = model.model_validate(raw, strict=False if source.is_text else None)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        faults = {each["loc"][:1]: each["type"] for each in details}
    problems = [Problem(where, _explain(model, where, fault)) for where, fault in faults.items()]
    if isinstance(raw, Mapping):
        problems += _alternative_problems(model, raw, source)
    if isinstance(table, AttachmentsTable):
        problems += _folder_problems(table, source)
    return table, problems


def check_account(
    raw: object, source: Source, *, needs_password: bool = True
) -> tuple[AccountTable | None, list[Problem]]:
    """Check an account, as `check_table` does; `needs_password` tells whether it must have one by now."""
    table, problems = check_table(AccountTable, raw, source)
    if isinstance(raw, Mapping):
        problems += _credential_problems(raw, source, needs_password=needs_password)
        if "ca_file" not in (problem.where[0] for problem in problems):
            problems += _ca_file_problems(raw, source)
    if table is not None and table.tls is Tls.NONE and not (table.allow_plaintext or is_loopback(table.host)):
        problems.append(
            Problem(
                ("tls",),
                'must be "implicit" or "starttls": "none" would send the password in plain text, which is '
                "allowed only to localhost, 127.0.0.0/8 and ::1, or "
                f"if {source.name_key('allow_plaintext')} is true",
            )
        )
    return table, problems


def make_account(table: AccountTable, source: Source, sign_in: SignIn) -> Account:
    """Build the account of a table without problems."""
    return Account(
        account_id=table.account_id,
        host=table.host,
        port=table.port or table.tls.default_port,
        user=table.user,
        credentials=_make_credentials(table, source, sign_in),
        tls=table.tls,
        ca_file=source.resolve(table.ca_file) if table.ca_file else None,
        max_sessions=table.max_sessions,
        connect_timeout_s=table.connect_timeout_s,
        command_timeout_s=table.command_timeout_s,
    )


def make_owner(table: AccountTable) -> Owner:
    """Return who owns an account. A login name that looks like an address is one of the owner's."""
    addresses = list(table.addresses)
    known = {address.lower() for address in addresses}
    if re.fullmatch(ADDRESS_PATTERN, table.user) and table.user.lower() not in known:
        addresses.append(table.user)
    return Owner(
        names=tuple(table.names),
        addresses=tuple(addresses),
        trusted_authserv_ids=None
        if table.trusted_authserv_ids is None
        else tuple(table.trusted_authserv_ids),
    )


def make_sign_in(table: AccountTable, source: Source) -> SignIn:
    """Return how an account signs in."""
    secret = table.client_secret.get_secret_value() if table.client_secret else ""
    if table.client_secret_env:
        secret = source.environ.get(table.client_secret_env, "")
    return SignIn(
        account_id=table.account_id,
        user=table.user,
        host=table.host,
        store=table.secrets,
        method="command" if table.token_command else table.auth,
        provider=table.provider or "",
        issuer=table.issuer or "",
        tenant=table.tenant,
        scope=table.scope,
        client_id=table.client_id or "",
        client_secret=secret,
        as_application=table.grant == "application",
        has_other_password=any(getattr(table, key) is not None for key in _PASSWORD_KEYS),
    )


def _make_credentials(table: AccountTable, source: Source, sign_in: SignIn) -> Password | BearerToken:
    if table.auth == "password":
        return Password(_password_source(table, source, sign_in))
    return BearerToken(
        read=_token_reader(table, source, sign_in),
        mechanism=Mechanism(table.sasl.upper()),
    )


def _token_reader(table: AccountTable, source: Source, sign_in: SignIn) -> Callable[[str], str]:
    if not table.token_command:
        return sign_in.make_token_source()
    command = command_password(tuple(table.token_command), source.environ, what="token command")
    return lambda _refused: command()  # which is run at each login, so it has another one if it can


def _password_source(table: AccountTable, source: Source, sign_in: SignIn) -> PasswordSource:
    store = sign_in.open_store()
    if store is not None:
        return stored_password(store, sign_in.key, account_id=table.account_id)
    if table.password is not None:
        return fixed_password(table.password)
    if table.password_env is not None:
        return variable_password(table.password_env, source.environ)
    if table.password_file is not None:
        return file_password(source.resolve(table.password_file))
    if table.password_command is not None:
        return command_password(tuple(table.password_command), source.environ)
    return stored_password(FileStore(), sign_in.key, account_id=table.account_id)  # not stored yet


def _explain(model: type[Table], where: tuple[int | str, ...], fault: str) -> str:
    """Explain a mistake by the key's description and the kind of pydantic's error: its text may quote."""
    if not where:
        return "must be a table"
    key = str(where[0])
    if fault == "extra_forbidden":
        return f"is not a known key; {suggest(key, model.model_fields)}"
    allowed = model.model_fields[key].description
    return f"is missing; it must be {allowed}" if fault == "missing" else f"must be {allowed}"


def _credential_problems(
    raw: Mapping[str, object], source: Source, *, needs_password: bool
) -> Iterator[Problem]:
    """Find keys that contradict `auth`, and those that it needs and that are missing."""
    given = [key for key in raw if key in _OAUTH_KEYS]
    if raw.get("auth") != "oauth2":
        for key in given:
            yield Problem((key,), f'needs {source.name_key("auth")} = "oauth2"')
        if needs_password and not given and not any(key in raw for key in (*_PASSWORD_KEYS, "secrets")):
            choices = _choices(AccountTable, source, _PASSWORD_KEYS)
            yield Problem(
                ("password",), f"is missing; run mailmcp password {_id_of(raw)}, or set one of {choices}"
            )
        return
    for key in _PASSWORD_KEYS:
        if key in raw:
            yield Problem((key,), f'can\'t be combined with {source.name_key("auth")} = "oauth2"')
    if "token_command" in raw:
        return
    if "client_id" not in raw:
        yield Problem(("client_id",), "is missing; register a client at the provider, or set token_command")
    if ("provider" in raw) == ("issuer" in raw):
        fault = "can't be combined with issuer" if "provider" in raw else "is missing"
        yield Problem(("provider",), f"{fault}; set one of provider, issuer")


def _id_of(raw: Mapping[str, object]) -> str:
    account_id = raw.get("account_id")
    return (
        account_id if isinstance(account_id, str) and re.fullmatch(ACCOUNT_ID_PATTERN, account_id) else "ID"
    )


def _alternative_problems(model: type[Table], raw: Mapping[str, object], source: Source) -> Iterator[Problem]:
    first, *others = [key for key in model.alternatives if key in raw] or [""]
    choices = _choices(model, source)
    for key in others:
        yield Problem((key,), f"can't be combined with {source.name_key(first)}; set only one of {choices}")


def _choices(model: type[Table], source: Source, keys: Sequence[str] = ()) -> str:
    available = keys_with_variable(model) if source.is_text else model.model_fields
    return ", ".join(source.name_key(key) for key in keys or model.alternatives if key in available)


def _folder_problems(table: AttachmentsTable, source: Source) -> Iterator[Problem]:
    """Find out whether files can be saved; nothing is written to try."""
    if not table.save_folder:
        return
    folder = source.resolve(table.save_folder)
    if not folder.is_dir():
        yield Problem(
            ("save_folder",), "must be an existing folder; create it, or remove this key to save nothing"
        )
    elif not os.access(folder, os.W_OK | os.X_OK):
        yield Problem(("save_folder",), "must be a folder that mailmcp can write to")


def _ca_file_problems(raw: Mapping[str, object], source: Source) -> Iterator[Problem]:
    path = raw.get("ca_file")
    if not isinstance(path, str) or not path:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=source.resolve(path))
    except ssl.SSLError:
        yield Problem(("ca_file",), "must be a PEM file that contains certificates")
    except OSError as error:
        yield Problem(
            ("ca_file",),
            f"can't be read: {error.strerror}; a relative path starts at {source.folder_name}",
        )
