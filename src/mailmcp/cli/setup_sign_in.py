"""How to sign in, for `mailmcp setup`: the method, its keys, and a secret that was tested."""

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import get_args

from mailmcp.auth.errors import SignInError
from mailmcp.auth.provider import known_provider
from mailmcp.auth.sign_in import SignIn
from mailmcp.auth.tokens import Tokens
from mailmcp.cli.check import check_account
from mailmcp.cli.login import fetch_tokens
from mailmcp.cli.mail_server import MailServer
from mailmcp.cli.questions import Questions
from mailmcp.cli.setup_options import AccountKeys, Options, key_fault
from mailmcp.cli.sign_in import fail
from mailmcp.imap.account import Account, BearerToken, Password
from mailmcp.settings.model import AuthMethod, is_sendable


def choose_auth(options: Options, questions: Questions, server: MailServer) -> AuthMethod:
    """Take the method of the options, or the only one that the provider has, or ask."""
    provider = server.provider
    if options.auth:
        return options.auth
    if options.issuer or options.client_id:
        return "oauth2"
    if options.password_stdin or provider is None or not provider.oauth_provider:
        return "password"
    if not provider.credential:
        questions.say(f"{provider.name} accepts no passwords over IMAP, only OAuth 2.0.")
        return "oauth2"
    chosen = questions.ask(
        f"Sign in with {provider.credential}, or with OAuth 2.0 and a client of your own?",
        "--auth",
        default="password",
        choices=get_args(AuthMethod),
    )
    return "oauth2" if chosen == "oauth2" else "password"


def ask_oauth_keys(options: Options, questions: Questions, server: MailServer) -> AccountKeys:
    """Return the keys of an account that signs in by OAuth 2.0."""
    provider = server.provider
    keys: AccountKeys = {"auth": "oauth2"}
    if options.issuer is None and provider is not None and provider.oauth_provider:
        keys["provider"] = provider.oauth_provider
        if not options.client_id:
            questions.say(f"You need a client of your own. Register one at {provider.client_page}")
    else:
        keys["issuer"] = options.issuer or questions.ask(
            "Address of the authorization server", "--issuer", check=lambda text: key_fault("issuer", text)
        )
    if options.tenant:
        keys["tenant"] = options.tenant
    keys["client_id"] = options.client_id or questions.ask("Client id", "--client-id")
    if options.client_secret_env:
        keys["client_secret_env"] = options.client_secret_env
    elif "provider" in keys and known_provider(str(keys["provider"])).needs_secret:
        keys["client_secret"] = questions.ask_secret("Client secret", "--client-secret-env")
    return keys


def ask_password(options: Options, questions: Questions, server: MailServer, account: Account) -> str:
    """Read or ask for the password until the server takes it, or the person wants it saved as it is."""
    provider = server.provider
    if provider is not None:
        questions.say(f"{provider.name} accepts {provider.credential}. {provider.note}".rstrip())
        if provider.credential_page:
            questions.say(f"Create it at {provider.credential_page}")
    while True:
        if options.password_stdin:
            password = sys.stdin.readline().rstrip("\r\n")
        else:
            password = questions.ask_secret(f"Password for {account.user}", "--password-stdin")
        if not password or not is_sendable(password):
            fail("the password must be one line of text")
        tested = replace(account, credentials=Password(_always(password)))
        if options.no_test or _is_usable(questions, tested, may_repeat=not options.password_stdin):
            return password


def sign_in_by_oauth(options: Options, questions: Questions, account: Account, sign_in: SignIn) -> Tokens:
    """Sign in by OAuth 2.0 until the server takes the token, or the person wants it saved as it is."""
    while True:
        try:
            tokens = fetch_tokens(sign_in, device=options.device)
        except SignInError as error:
            fail(error)
        assert isinstance(account.credentials, BearerToken)  # noqa: S101 - as its settings say
        bearer = replace(account.credentials, read=_always(tokens.access_token))
        tested = replace(account, credentials=bearer)
        if options.no_test or _is_usable(questions, tested, may_repeat=True):
            return tokens


def _is_usable(questions: Questions, account: Account, *, may_repeat: bool) -> bool:
    """Test an account as `mailmcp check` does; if it fails, ask whether to save it as it is."""
    questions.say(f"Testing {account.host} …")
    found = check_account(account)
    if found.ok:
        questions.say(f"Signed in; {found.listed}.")
        return True
    questions.say(found.error or "The test failed.")
    if questions.assume_yes or not may_repeat or not questions.can_ask:
        fail("nothing was saved. --no-test saves an account without testing it")
    chosen = questions.ask(
        "Try again, save anyway, or stop?",
        "--no-test",
        default="again",
        choices=["again", "save", "stop"],
    )
    if chosen == "stop":
        fail("nothing was saved")
    return chosen == "save"


def _always(secret: str) -> Callable[..., str]:
    return lambda *_: secret
