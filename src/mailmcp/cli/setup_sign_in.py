"""How to sign in, for `mailmcp setup`: the method, its keys, and a secret that was tested."""

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import get_args

import click

from mailmcp.auth.errors import SignInError
from mailmcp.auth.provider import known_provider
from mailmcp.auth.sign_in import SignIn
from mailmcp.auth.tokens import Tokens
from mailmcp.cli.check import check_account
from mailmcp.cli.questions import Questions
from mailmcp.cli.sign_in import fail, fetch_tokens
from mailmcp.imap.account import Account, BearerToken, Password
from mailmcp.model.mail_provider import MailProvider
from mailmcp.settings.model import AuthMethod, is_sendable

AccountKeys = dict[str, str | int]
"""A table [[accounts]]."""


def uses_oauth(
    keys: AccountKeys, provider: MailProvider | None, questions: Questions, *, password_stdin: bool
) -> bool:
    """Take the method of the options, or the only one that the provider has, or ask."""
    if "auth" in keys:
        return keys["auth"] == "oauth2"
    if "issuer" in keys or "client_id" in keys:
        return True
    if password_stdin or provider is None or not provider.oauth_provider:
        return False
    if not provider.credential:
        click.echo(f"{provider.name} accepts no passwords over IMAP, only OAuth 2.0.")
        return True
    question = f"Sign in with {provider.credential}, or with OAuth 2.0 and a client of your own?"
    return questions.ask(question, "--auth", default="password", choices=get_args(AuthMethod)) == "oauth2"


def ask_oauth_keys(keys: AccountKeys, provider: MailProvider | None, questions: Questions) -> None:
    """Fill in the keys of an account that signs in by OAuth 2.0."""
    keys["auth"] = "oauth2"
    if "issuer" not in keys and provider is not None and provider.oauth_provider:
        keys["provider"] = provider.oauth_provider
        if "client_id" not in keys:
            click.echo(f"You need a client of your own. Register one at {provider.client_page}")
    elif "issuer" not in keys:
        keys["issuer"] = questions.ask("Address of the authorization server", "--issuer")
    if "client_id" not in keys:
        keys["client_id"] = questions.ask("Client id", "--client-id")
    needs_secret = "provider" in keys and known_provider(str(keys["provider"])).needs_secret
    if needs_secret and "client_secret_env" not in keys:
        keys["client_secret"] = questions.ask_secret("Client secret", "--client-secret-env")


def ask_for_secret(
    account: Account,
    sign_in: SignIn,
    provider: MailProvider | None,
    questions: Questions,
    *,
    from_stdin: bool,
    device: bool,
    no_test: bool,
) -> str | Tokens:
    """Ask for the password, or sign in by OAuth 2.0, until the server takes it.

    A person may also save it as it is.

    Args:
        account: How to connect.
        sign_in: How to sign in.
        provider: Whose server it is, if that is known.
        questions: To the person.
        from_stdin: Read the password from stdin.
        device: Sign in by a code.
        no_test: Don't connect.
    """
    if provider is not None and sign_in.method == "password":
        click.echo(f"{provider.name} accepts {provider.credential}. {provider.note}".rstrip())
        if provider.credential_page:
            click.echo(f"Create it at {provider.credential_page}")
    while True:
        secret: str | Tokens
        if isinstance(account.credentials, BearerToken):
            try:
                secret = fetch_tokens(sign_in, device=device)
            except SignInError as error:
                fail(error)
            bearer = replace(account.credentials, read=_always(secret.access_token))
            tested = replace(account, credentials=bearer)
        else:
            secret = _read_password(account, questions, from_stdin=from_stdin)
            tested = replace(account, credentials=Password(_always(secret)))
        if no_test or _is_usable(questions, tested, may_repeat=not from_stdin):
            return secret


def _always(secret: str) -> Callable[..., str]:
    return lambda *_: secret


def _read_password(account: Account, questions: Questions, *, from_stdin: bool) -> str:
    if from_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
    else:
        password = questions.ask_secret(f"Password for {account.user}", "--password-stdin")
    if not password or not is_sendable(password):
        fail("the password must be one line of text")
    return password


def _is_usable(questions: Questions, account: Account, *, may_repeat: bool) -> bool:
    """Test an account as `mailmcp check` does; if it fails, ask whether to save it as it is."""
    click.echo(f"Testing {account.host} …")
    found = check_account(account)
    if found.ok:
        click.echo(f"Signed in; {found.listed}.")
        return True
    click.echo(found.error)
    if questions.assume_yes or not may_repeat or not questions.can_ask:
        fail("nothing was saved. --no-test saves an account without testing it")
    chosen = questions.ask(
        "Try again, save anyway, or stop?", "--no-test", default="again", choices=["again", "save", "stop"]
    )
    if chosen == "stop":
        fail("nothing was saved")
    return chosen == "save"
