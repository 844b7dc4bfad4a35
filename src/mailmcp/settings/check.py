"""Checks a table, and builds an account of its table."""

import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from mailmcp.auth.provider import known_provider
from mailmcp.auth.tokens import TokenSource
from mailmcp.imap.account import Account, BearerToken, Mechanism, Password, Tls, is_loopback
from mailmcp.model.owner import Owner
from mailmcp.settings.model import AccountTable, Table, is_address
from mailmcp.settings.passwords import command_password, password_reader, secret_key
from mailmcp.settings.sources import Origin, suggest
from mcp_envelope.arguments import say_what_must_be

if TYPE_CHECKING:
    from mailmcp.auth.client import OAuthClient

PASSWORD_KEYS: Final = ("password", "password_file", "password_command")
_OAUTH_KEYS: Final = (
    *("provider", "issuer", "tenant", "client_id", "client_secret", "scope", "token_command", "sasl"),
)

TableT = TypeVar("TableT", bound=Table)


def check_table(
    model: type[TableT], raw: object, describe: Callable[[str, str], str]
) -> tuple[TableT | None, list[str]]:
    """Check each key of a table.

    Args:
        model: The table.
        raw: Its values, unchecked.
        describe: Writes a fault of a key, as `Origin.describe` does.

    Returns:
        The table, None if a key is wrong; and what is wrong.
    """
    try:
        return model.model_validate(raw), []
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
    faults: dict[str, ErrorDetails] = {}
    for each in details:
        faults.setdefault(str(each["loc"][0]) if each["loc"] else "", each)
    return None, [describe(key, _explain(model, key, each)) for key, each in faults.items()]


def check_account(raw: object, origin: Origin) -> tuple[AccountTable | None, list[str]]:
    """Check each key of an account, then keys with each other; returns as `check_table`."""
    table, problems = check_table(AccountTable, raw, origin.describe)
    if table is not None:
        problems = [origin.describe(key, fault) for key, fault in _account_faults(table, origin)]
    return table, problems


def _explain(model: type[Table], key: str, error: ErrorDetails) -> str:
    """Write what is wrong with a key; no error of these types quotes the value."""
    if not key:
        return "must be a table"
    if error["type"] == "extra_forbidden":
        return f"is not a known key; {suggest(key, model.model_fields)}"
    if error["type"] == "missing":
        return "is missing"
    if error["type"] == "too_short":
        return "must not be empty"
    return say_what_must_be(error).removeprefix("Value error, ")


def _account_faults(table: AccountTable, origin: Origin) -> Iterator[tuple[str, str]]:
    given, oauth = table.model_fields_set, f'{origin.name("auth")} = "oauth2"'
    passwords = [key for key in PASSWORD_KEYS if key in given]
    if table.auth == "password":
        yield from ((key, f"needs {oauth}") for key in _OAUTH_KEYS if key in given)
        for key in passwords[1:]:
            yield key, f"can't be combined with {origin.name(passwords[0])}; set only one of them"
    else:
        yield from ((key, f"can't be combined with {oauth}") for key in passwords)
        if table.token_command is None:
            if table.client_id is None:
                yield "client_id", "is missing; register a client at the provider, or set token_command"
            if (table.provider is None) == (table.issuer is None):
                fault = "is missing" if table.provider is None else "can't be combined with issuer"
                yield "provider", f"{fault}; set one of provider, issuer"
    if table.tls is Tls.NONE and not (table.allow_plaintext or is_loopback(table.host)):
        yield (
            "tls",
            'must be "implicit" or "starttls": "none" would send the password in plain text, which is '
            f"allowed only to localhost, 127.0.0.0/8 and ::1, or if {origin.name('allow_plaintext')} is true",
        )
    if table.ca_file:
        path = origin.resolve(table.ca_file)
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
        except ssl.SSLError:
            yield "ca_file", "must be a PEM file that contains certificates"
        except OSError as error:
            yield "ca_file", f"{path} can't be read: {error.strerror}"


def make_account(table: AccountTable, origin: Origin, environ: Mapping[str, str]) -> Account:
    """Build the account of a table without problems. Secrets are looked up at each login."""
    special = {
        table.sent_mailbox: "\\Sent",
        table.drafts_mailbox: "\\Drafts",
        table.trash_mailbox: "\\Trash",
        table.junk_mailbox: "\\Junk",
        table.archive_mailbox: "\\Archive",
    }
    credentials: Password | BearerToken
    if table.auth == "password":
        credentials = Password(password_reader(table, origin, environ))
    else:
        mechanism = Mechanism(table.sasl.upper())
        credentials = BearerToken(read=_token_reader(table, environ), mechanism=mechanism)
    return Account(
        account_id=table.account_id,
        host=table.host,
        port=table.port or table.tls.default_port,
        user=table.user,
        credentials=credentials,
        tls=table.tls,
        ca_file=origin.resolve(table.ca_file) if table.ca_file else None,
        max_sessions=table.max_sessions,
        connect_timeout_s=table.connect_timeout_s,
        command_timeout_s=table.command_timeout_s,
        special_uses={name: use for name, use in special.items() if name},
        writes=table.writes,
        protected_mailboxes=frozenset(table.protected_mailboxes),
        writes_per_call=table.writes_per_call,
        writes_per_hour=table.writes_per_hour,
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


def make_client(table: AccountTable) -> "OAuthClient":
    """Make the OAuth client of an account, fetching its provider's metadata if necessary.

    Raises:
        SignInError: The metadata can't be fetched or used.
    """
    from mailmcp.auth.client import OAuthClient, discover  # noqa: PLC0415 - 150 ms, for sign-in alone

    if table.issuer:
        provider = discover(table.issuer, scope=table.scope)
    else:
        provider = known_provider(table.provider or "", tenant=table.tenant)
        provider = replace(provider, scope=table.scope or provider.scope)
    secret = table.client_secret.get_secret_value() if table.client_secret else ""
    return OAuthClient(provider=provider, client_id=table.client_id or "", client_secret=secret)


def _token_reader(table: AccountTable, environ: Mapping[str, str]) -> Callable[[str], str]:
    if not table.token_command:
        return TokenSource(table.account_id, partial(make_client, table), key=secret_key(table))
    command = command_password(table.token_command, environ, what="token command")
    return lambda _refused: command()  # which is run at each login, so it has another one if it can
