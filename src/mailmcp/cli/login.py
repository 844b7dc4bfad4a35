"""`mailmcp login`: signs in to an account with OAuth 2.0 and stores what keeps it signed in."""

import threading
import webbrowser
from pathlib import Path

import click

from mailmcp.auth.client import DeviceCode
from mailmcp.auth.errors import SignInError
from mailmcp.auth.sign_in import SignIn
from mailmcp.auth.store import StoreError
from mailmcp.auth.tokens import Tokens, save_tokens
from mailmcp.cli.options import config_option
from mailmcp.cli.sign_in import fail, load_sign_in, record_store, store_for
from mailmcp.wording import counted


@click.command()
@config_option
@click.option("--device", is_flag=True, help="Print a code to enter on any device; open no browser.")
@click.argument("account_id", required=False)
def command(config: Path | None, account_id: str | None, *, device: bool) -> None:
    """Sign in to ACCOUNT_ID with OAuth 2.0. The id is optional if there is only one account.

    The account needs auth = "oauth2" in the settings, with a provider or an issuer and a client_id.
    """
    settings, sign_in = load_sign_in(config, account_id)
    if sign_in.method == "password":
        fail(
            f'account {sign_in.account_id} uses a password. Set auth = "oauth2", or run mailmcp password '
            f"{sign_in.account_id}"
        )
    if sign_in.method == "command" or sign_in.as_application:
        fail(f"account {sign_in.account_id} doesn't need you to sign in. Run mailmcp check")
    try:
        store = store_for(sign_in)
        tokens = fetch_tokens(sign_in, device=device)
        save_tokens(store, sign_in.key, tokens)
    except (SignInError, StoreError) as error:
        fail(error)
    record_store(settings, sign_in, store)
    click.echo(f"Signed in to {sign_in.account_id}. To test it, run mailmcp check {sign_in.account_id}")


def fetch_tokens(sign_in: SignIn, *, device: bool) -> Tokens:
    """Sign in by the browser or by a code; nothing is stored.

    Raises:
        SignInError: The provider issued no tokens, or none that last.
    """
    client = sign_in.make_client()
    if client.provider.needs_secret and not client.client_secret:
        raise SignInError(f"{client.provider.name} also requires the client's secret: set client_secret")
    if device:
        tokens = client.sign_in_with_device(_show_code)
    else:
        tokens = client.sign_in_with_browser(_open_browser, login_hint=sign_in.login_hint)
    if not tokens.refresh_token:
        raise SignInError(
            f"{client.provider.name} sent no refresh token, so the sign-in would not last. "
            "Remove mailmcp's access on the provider's page and try again"
        )
    return tokens


def _open_browser(url: str) -> None:
    click.echo(f"Continue in your browser. If it doesn't open, visit:\n{url}")
    # In a thread of its own: a browser of the terminal returns when it is closed.
    threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()


def _show_code(code: DeviceCode) -> None:
    minutes = counted(max(1, round(code.expires_in_s / 60)), "minute")
    click.echo(f"Open {code.verification_uri} and enter the code {code.user_code} (valid for {minutes}).")
