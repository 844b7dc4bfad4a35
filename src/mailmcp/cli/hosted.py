"""What `mailmcp serve` needs for many users, made of the settings."""

import logging
from dataclasses import replace
from functools import cache, partial
from typing import Final
from urllib.parse import urlsplit

import click

from mailmcp.auth.client import OAuthClient, discover
from mailmcp.cli.options import fail
from mailmcp.hosted import telemetry
from mailmcp.hosted.credentials import MakeCredentials, by_exchange, by_master_user, by_store
from mailmcp.hosted.issuer import Issuer
from mailmcp.hosted.principal import Principal
from mailmcp.hosted.resource_server import ResourceServer
from mailmcp.hosted.state import LocalState, State
from mailmcp.hosted.tokens import TokenChecker
from mailmcp.hosted.users import HostedUsers, account_of
from mailmcp.imap.account import Account, Mechanism, Password
from mailmcp.server.http import HttpOptions
from mailmcp.settings.hosted import OAuthTable, table_of_user
from mailmcp.settings.load import Settings
from mailmcp.settings.passwords import PasswordReader, secret_key, stored_password
from mailmcp.tools.journal_files import JournalFiles

_INSTALL: Final = 'pip install "mailmcp[cluster]"'
_log = logging.getLogger(__name__)

CONNECTIONS_PER_USER = 2
"""Open HTTP connections for each user who can be served: most come through a proxy that keeps a few."""


def make_hosted(
    settings: Settings, oauth: OAuthTable, options: HttpOptions
) -> tuple[HttpOptions, HostedUsers]:
    """Return how to serve over HTTP, and whom."""
    secret = oauth.client_secret.get_secret_value() if oauth.client_secret else ""
    try:
        if telemetry.export():
            _log.info("traces and metrics go where %s says", telemetry.EXPORT_VARIABLE)
    except ImportError:
        fail(f"{telemetry.EXPORT_VARIABLE} is set: run {_INSTALL} or unset it")
    issuer = Issuer(
        oauth.issuer, client=(oauth.client_id, secret), introspects=oauth.check == "introspection"
    )
    verifier = TokenChecker(issuer, audience=oauth.audience or oauth.url, user_claim=oauth.user_claim)
    sign_in = ResourceServer(url=oauth.url, scopes=oauth.scopes, issuer=issuer, verifier=verifier)
    users = HostedUsers(
        settings.accounts[0],
        _make_credentials(settings, oauth, secret),
        settings.preferences,
        issuer=issuer,
        state=_make_state(settings, oauth),
        users_max=oauth.users_max,
        lean_rows=settings.server.rows == "lean",
    )
    options = replace(
        options,
        sign_in=sign_in,
        allowed_hosts=(*options.allowed_hosts, urlsplit(oauth.url).netloc),
        connections_max=max(options.connections_max, CONNECTIONS_PER_USER * oauth.users_max),
        grace_s=settings.server.call_timeout_s + 1,  # calls in flight end; the proxy sends others elsewhere
    )
    return options, users


def make_account(settings: Settings, oauth: OAuthTable, user: str) -> Account:
    """Make the account of one user, who has sent no token.

    Raises:
        UsageError: One is needed.
    """
    if oauth.sign_in == "exchange":
        raise click.UsageError("Nobody but the users can sign in: their tokens are exchanged.")
    principal = Principal(issuer=oauth.issuer, subject="", user=user)
    credentials = _make_credentials(settings, oauth, secret="")
    return account_of(principal, settings.accounts[0], credentials, lambda: "")


def _make_state(settings: Settings, oauth: OAuthTable) -> State:
    """Return where journals and confirmations are kept; exits if that takes what isn't installed."""
    if oauth.valkey_url is None:
        folder = settings.preferences.journal_folder or JournalFiles().folder
        return LocalState(folder=folder / "users")
    try:
        from mailmcp.hosted.cluster import ClusterState  # noqa: PLC0415 - it comes with an extra
    except ImportError:
        fail(f"valkey_url in [http.oauth] can't be used: run {_INSTALL}")
    return ClusterState(oauth.valkey_url.get_secret_value())


def _make_credentials(settings: Settings, oauth: OAuthTable, secret: str) -> MakeCredentials:
    [table] = settings.tables.values()
    if oauth.sign_in == "master":
        own = settings.accounts[0].credentials
        assert isinstance(own, Password)  # noqa: S101 - as the settings were checked
        return by_master_user(oauth.master_user, own.read)
    if oauth.sign_in == "exchange":
        client = cache(partial(_make_client, oauth, secret))  # a failure isn't kept
        mechanism = Mechanism(oauth.sasl.upper())
        return by_exchange(client, audience=oauth.mail_audience, mechanism=mechanism)

    def reader_of(user: str) -> PasswordReader:
        key = secret_key(table_of_user(table, user))
        return stored_password(key, f"The administrator must run: mailmcp password --user {user}")

    return by_store(reader_of)


def _make_client(oauth: OAuthTable, secret: str) -> OAuthClient:
    provider = replace(discover(oauth.issuer), scope=oauth.mail_scope)
    return OAuthClient(provider=provider, client_id=oauth.client_id, client_secret=secret)
