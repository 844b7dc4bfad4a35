"""Checks the tables of one source, and builds an account of its table."""

import os
import ssl
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from pydantic import ValidationError

from mailmcp.auth.sign_in import SignIn
from mailmcp.auth.store import UserStore
from mailmcp.imap.account import Account, BearerToken, Mechanism, Password, Tls, is_loopback
from mailmcp.model.owner import Owner
from mailmcp.settings.model import AccountTable, AttachmentsTable, Table, is_address
from mailmcp.settings.passwords import (
    PasswordReader,
    command_password,
    file_password,
    fixed_password,
    stored_password,
    variable_password,
)
from mailmcp.settings.problems import Problem, suggest
from mailmcp.settings.sources import Source

_PASSWORD_KEYS: Final = ("password", "password_env", "password_file", "password_command")
_OAUTH_KEYS: Final = (
    *("provider", "issuer", "tenant", "client_id", "client_secret", "client_secret_env", "scope"),
    *("grant", "token_command", "sasl"),
)

TableT = TypeVar("TableT", bound=Table)


def check_table(model: type[TableT], raw: object, source: Source) -> tuple[TableT | None, list[Problem]]:
    """Check each key of a table, then keys with each other; it is None if a key is wrong."""
    try:
        table = model.model_validate(raw)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        faults = {str(each["loc"][0]) if each["loc"] else "": each["type"] for each in details}
        return None, [Problem(key, _explain(model, key, fault)) for key, fault in faults.items()]
    problems = list(_account_problems(table, source)) if isinstance(table, AccountTable) else []
    if isinstance(table, AttachmentsTable) and table.save_folder:
        folder = source.resolve(table.save_folder)
        if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
            fault = "must be an existing folder that mailmcp can write to; remove this key to save nothing"
            problems.append(Problem("save_folder", fault))
    return table, problems


def _explain(model: type[Table], key: str, fault: str) -> str:
    """Explain a mistake by the key's description and the kind of pydantic's error: its text may quote."""
    if not key:
        return "must be a table"
    if fault == "extra_forbidden":
        return f"is not a known key; {suggest(key, model.model_fields)}"
    allowed = model.model_fields[key].description
    return f"is missing; it must be {allowed}" if fault == "missing" else f"must be {allowed}"


def _account_problems(table: AccountTable, source: Source) -> Iterator[Problem]:
    given, auth = table.model_fields_set, source.name_key("auth")
    if table.auth == "password":
        yield from (Problem(key, f'needs {auth} = "oauth2"') for key in _OAUTH_KEYS if key in given)
        passwords = [key for key in _PASSWORD_KEYS if key in given]
        for key in passwords[1:]:
            first = source.name_key(passwords[0])
            yield Problem(key, f"can't be combined with {first}; set only one of them")
    else:
        for key in _PASSWORD_KEYS:
            if key in given:
                yield Problem(key, f'can\'t be combined with {auth} = "oauth2"')
        if table.token_command is None:
            if table.client_id is None:
                fault = "is missing; register a client at the provider, or set token_command"
                yield Problem("client_id", fault)
            if (table.provider is None) == (table.issuer is None):
                fault = "is missing" if table.provider is None else "can't be combined with issuer"
                yield Problem("provider", f"{fault}; set one of provider, issuer")
    if table.tls is Tls.NONE and not (table.allow_plaintext or is_loopback(table.host)):
        yield Problem(
            "tls",
            'must be "implicit" or "starttls": "none" would send the password in plain text, which is '
            f"allowed only to localhost, 127.0.0.0/8 and ::1, or if {source.name_key('allow_plaintext')} "
            "is true",
        )
    if table.ca_file:
        path = source.resolve(table.ca_file)
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
        except ssl.SSLError:
            yield Problem("ca_file", "must be a PEM file that contains certificates")
        except OSError as error:
            yield Problem("ca_file", f"{path} can't be read: {error.strerror}")


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
        special_uses={
            name: use
            for name, use in (
                (table.sent_mailbox, "\\Sent"),
                (table.drafts_mailbox, "\\Drafts"),
                (table.trash_mailbox, "\\Trash"),
                (table.junk_mailbox, "\\Junk"),
                (table.archive_mailbox, "\\Archive"),
            )
            if name
        },
    )


def make_owner(table: AccountTable) -> Owner:
    """Return who owns an account. A login name that looks like an address is one of the owner's."""
    addresses = list(table.addresses)
    if is_address(table.user) and table.user.lower() not in {each.lower() for each in addresses}:
        addresses.append(table.user)
    trusted = table.trusted_authserv_ids
    return Owner(
        names=tuple(table.names),
        addresses=tuple(addresses),
        trusted_authserv_ids=None if trusted is None else tuple(trusted),
        mail_server=table.host,
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
        return Password(_password_reader(table, source, sign_in))
    return BearerToken(
        read=_token_reader(table, source, sign_in),
        mechanism=Mechanism(table.sasl.upper()),
    )


def _token_reader(table: AccountTable, source: Source, sign_in: SignIn) -> Callable[[str], str]:
    if not table.token_command:
        return sign_in.make_token_source()
    command = command_password(table.token_command, source.environ, what="token command")
    return lambda _refused: command()  # which is run at each login, so it has another one if it can


def _password_reader(table: AccountTable, source: Source, sign_in: SignIn) -> PasswordReader:
    if table.password is not None:
        return fixed_password(table.password)
    if table.password_env is not None:
        return variable_password(table.password_env, source.environ)
    if table.password_file is not None:
        return file_password(source.resolve(table.password_file))
    if table.password_command is not None:
        return command_password(table.password_command, source.environ)
    return stored_password(UserStore(), sign_in.key, account_id=table.account_id)
