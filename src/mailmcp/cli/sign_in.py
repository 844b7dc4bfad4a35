"""`mailmcp login`, `logout` and `password`: the stored secret of an account."""

import os
import sys
import threading
import webbrowser
from pathlib import Path
from typing import NoReturn

import click

from mailmcp.auth.client import DeviceCode
from mailmcp.auth.errors import SignInError
from mailmcp.auth.sign_in import SignIn
from mailmcp.auth.store import SecretStore, StoreError, UserStore
from mailmcp.auth.tokens import Tokens, save_tokens
from mailmcp.cli.options import config_option, exit_with
from mailmcp.settings.load import load_settings
from mailmcp.settings.model import is_sendable
from mailmcp.settings.problems import SettingsError
from mailmcp.wording import counted

_account_argument = click.argument("account_id", required=False)


@click.command()
@config_option
@click.option("--device", is_flag=True, help="Print a code to enter on any device; open no browser.")
@_account_argument
def login(config: Path | None, account_id: str | None, *, device: bool) -> None:
    """Sign in to ACCOUNT_ID with OAuth 2.0. The id is optional if there is only one account.

    The account needs auth = "oauth2" in the settings, with a provider or an issuer and a client_id.
    """
    sign_in = _load_sign_in(config, account_id)
    name = sign_in.account_id
    if sign_in.method == "password":
        fail(f'account {name} uses a password. Set auth = "oauth2", or run mailmcp password {name}')
    if sign_in.method == "command" or sign_in.as_application:
        fail(f"account {name} doesn't need you to sign in. Run mailmcp check")
    try:
        store = store_for(sign_in)
        save_tokens(store, sign_in.key, fetch_tokens(sign_in, device=device))
    except (SignInError, StoreError) as error:
        fail(error)
    click.echo(f"Signed in to {name}. To test it, run mailmcp check {name}")


@click.command()
@config_option
@_account_argument
def logout(config: Path | None, account_id: str | None) -> None:
    """Delete the stored sign-in or password of ACCOUNT_ID, which is optional if there is only one account."""
    sign_in = _load_sign_in(config, account_id)
    store = UserStore()
    try:
        if store.read(sign_in.key) is None:
            fail(f"nothing is stored for account {sign_in.account_id}")
        store.delete(sign_in.key)
    except StoreError as error:
        fail(error)
    click.echo(f"Deleted the secret of {sign_in.account_id}")
    if sign_in.method == "oauth2":
        click.echo("To end the sign-in at the provider too, remove mailmcp's access on its page.")


@click.command()
@config_option
@_account_argument
def password(config: Path | None, account_id: str | None) -> None:
    """Ask for the password of ACCOUNT_ID and store it. The id is optional if there is only one account.

    It goes into the key store of the system, or into a file that only you can read.
    """
    sign_in = _load_sign_in(config, account_id)
    name = sign_in.account_id
    if sign_in.method != "password":
        fail(f"account {name} uses OAuth 2.0. Run mailmcp login {name}")
    if sign_in.has_other_password:
        fail(f"the settings already name a password for account {name}. Remove it first")
    typed = click.prompt(f"Password for {sign_in.user}", hide_input=True, err=True)
    if not is_sendable(typed):
        fail("a password can't contain line breaks or NULs")
    try:
        store = store_for(sign_in)
        store.write(sign_in.key, typed)
    except StoreError as error:
        fail(error)
    click.echo(f"Stored. To test it, run mailmcp check {name}")


def fetch_tokens(sign_in: SignIn, *, device: bool) -> Tokens:
    """Sign in by the browser or by a code; nothing is stored.

    Raises:
        SignInError: The provider issued no tokens, or none that last.
    """
    client = sign_in.make_client()
    provider = client.provider.name
    if client.provider.needs_secret and not client.client_secret:
        raise SignInError(f"{provider} also requires the client's secret: set client_secret")
    if device:
        tokens = client.sign_in_with_device(_show_code)
    else:
        tokens = client.sign_in_with_browser(_open_browser, login_hint=sign_in.login_hint)
    if not tokens.refresh_token:
        raise SignInError(
            f"{provider} sent no refresh token, so the sign-in would not last. "
            "Remove mailmcp's access on the provider's page and try again"
        )
    return tokens


def store_for(sign_in: SignIn) -> SecretStore:
    """Return the store that has the secret, or else the best one that works here."""
    store, why_not = UserStore().choose(sign_in.key)
    if why_not:
        click.echo(f"{why_not} mailmcp uses a file that only you can read instead.", err=True)
    return store


def fail(message: object) -> NoReturn:
    """Print an error and exit with status 1."""
    click.echo(f"mailmcp: {message}", err=True)
    sys.exit(1)


def _load_sign_in(config: Path | None, account_id: str | None) -> SignIn:
    """Load the settings and choose an account; exits if they are wrong or it isn't clear which one."""
    try:
        settings = load_settings(config, os.environ)
    except SettingsError as error:
        exit_with(error)
    known = ", ".join(settings.sign_ins)
    if account_id is None and len(settings.sign_ins) == 1:
        return next(iter(settings.sign_ins.values()))
    if account_id is None:
        raise click.UsageError(f"Name the account. The accounts are: {known}")
    if account_id not in settings.sign_ins:
        raise click.BadParameter(f"there is no such account. The accounts are: {known}")
    return settings.sign_ins[account_id]


def _open_browser(url: str) -> None:
    click.echo(f"Continue in your browser. If it doesn't open, visit:\n{url}")
    # In a thread of its own: a browser of the terminal returns when it is closed.
    threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()


def _show_code(code: DeviceCode) -> None:
    minutes = counted(max(1, round(code.expires_in_s / 60)), "minute")
    click.echo(f"Open {code.verification_uri} and enter the code {code.user_code} (valid for {minutes}).")
