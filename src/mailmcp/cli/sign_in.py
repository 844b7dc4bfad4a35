"""`mailmcp login`, `logout` and `password`: the stored secret of an account."""

import threading
import webbrowser
from pathlib import Path

import click

from mailmcp.auth import store
from mailmcp.auth.client import OAuthClient, Tokens
from mailmcp.auth.provider import SignInError
from mailmcp.cli.options import (
    NAME_THE_USER,
    account_argument,
    choose_accounts,
    config_option,
    fail,
    load,
    user_option,
)
from mailmcp.settings.check import PASSWORD_KEYS, make_client
from mailmcp.settings.hosted import table_of_user
from mailmcp.settings.model import AccountTable, is_sendable
from mailmcp.settings.passwords import secret_key
from mailmcp.wording import counted


@click.command()
@config_option
@click.option("--device", is_flag=True, help="Print a code to enter on any device; open no browser.")
@account_argument
def login(config: Path | None, account_id: str | None, *, device: bool) -> None:
    """Sign in to an account with OAuth 2.0.

    ACCOUNT_ID is optional if there is only one account. It needs auth = "oauth2" in the settings.
    """
    table = _choose_account(config, account_id)
    name = table.account_id
    if table.auth == "password":
        fail(f'account {name} uses a password. Set auth = "oauth2", or run mailmcp password {name}')
    if table.token_command:
        fail(f"account {name} doesn't need you to sign in. Run mailmcp check")
    tokens = fetch_tokens(make_client(table), table.user, device=device)
    store_secret(table, tokens.refresh_token)
    click.echo(f"Signed in to {name}. To test it, run mailmcp check {name}")


@click.command()
@config_option
@user_option
@account_argument
def logout(config: Path | None, user: str | None, account_id: str | None) -> None:
    """Delete the stored secret of an account.

    ACCOUNT_ID is optional if there is only one account.
    """
    table = _choose_account(config, account_id, user)
    if store.read(secret_key(table)) is None:
        fail(f"nothing is stored for account {table.account_id}")
    store.delete(secret_key(table))
    click.echo(f"Deleted the secret of {table.account_id}")
    if table.auth == "oauth2":
        click.echo("To end the sign-in at the provider too, remove mailmcp's access on its page.")


@click.command()
@config_option
@user_option
@account_argument
def password(config: Path | None, user: str | None, account_id: str | None) -> None:
    """Store the password of an account.

    It goes into the key store of the system, or into a file that only you can read. ACCOUNT_ID is optional if
    there is only one account.
    """
    table = _choose_account(config, account_id, user)
    name = f"--user {user}" if user else table.account_id
    if table.auth == "oauth2":
        fail(f"account {name} uses OAuth 2.0. Run mailmcp login {name}")
    if table.model_fields_set.intersection(PASSWORD_KEYS):
        fail(f"the settings already name a password for account {name}. Remove it first")
    typed = click.prompt(f"Password for {table.user}", hide_input=True, err=True)
    if not is_sendable(typed):
        fail("a password can't contain line breaks or NULs")
    store_secret(table, typed)
    click.echo(f"Stored. To test it, run mailmcp check {name}")


def fetch_tokens(client: OAuthClient, user: str, *, device: bool) -> Tokens:
    """Sign in by the browser or by a code; nothing is stored.

    Raises:
        SignInError: The provider issued no tokens, or none that last.
    """
    provider = client.provider
    if provider.needs_secret and not client.client_secret:
        raise SignInError(f"{provider.name} also requires the client's secret: set client_secret")
    if device:
        tokens = client.sign_in_with_device(_show_code)
    else:
        tokens = client.sign_in_with_browser(_open_browser, login_hint=user if "@" in user else "")
    if not tokens.refresh_token:
        raise SignInError(
            f"{provider.name} sent no refresh token, so the sign-in would not last. "
            "Remove mailmcp's access on the provider's page and try again"
        )
    return tokens


def store_secret(table: AccountTable, secret: str) -> None:
    """Store the secret of an account, and say so if the key store can't. Raises StoreError."""
    why_not = store.write(secret_key(table), secret)
    if why_not:
        click.echo(f"{why_not} mailmcp uses a file that only you can read instead.", err=True)


def _choose_account(config: Path | None, account_id: str | None, user: str | None = None) -> AccountTable:
    """Load the settings and choose an account, of many users that of `user`; exits if it isn't clear."""
    settings = load(config)
    account, *others = choose_accounts(settings, account_id)
    if others:
        raise click.UsageError(f"Name the account. The accounts are: {', '.join(settings.tables)}")
    table = settings.tables[account.account_id]
    if settings.oauth and settings.oauth.sign_in == "stored" and not user:
        raise click.UsageError(NAME_THE_USER)
    if user and not (settings.oauth and settings.oauth.sign_in == "stored"):
        raise click.UsageError('--user needs sign_in = "stored" in [http.oauth].')
    return table_of_user(table, user) if user else table


def _open_browser(url: str) -> None:
    click.echo(f"Continue in your browser. If it doesn't open, visit:\n{url}")
    # In a thread of its own: a browser of the terminal returns when it is closed.
    threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()


def _show_code(code: str, page: str, lifetime_s: float) -> None:
    minutes = counted(max(1, round(lifetime_s / 60)), "minute")
    click.echo(f"Open {page} and enter the code {code} (valid for {minutes}).")
