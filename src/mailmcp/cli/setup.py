"""`mailmcp setup`: asks for an address, finds its server, tests the sign-in, and writes the settings.

Nothing is kept before the end: then the secret is stored and the account appended to the file, both or
neither. Each question can be answered by an option, so that a script can run it.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import click

from mailmcp.auth import store
from mailmcp.auth.provider import known_provider
from mailmcp.cli.check import check_account
from mailmcp.cli.install import add_to_host
from mailmcp.cli.options import config_option, fail, yes_option
from mailmcp.cli.sign_in import fetch_tokens, store_secret
from mailmcp.hosts.table import HOSTS
from mailmcp.imap.account import Account, BearerToken, Password, Tls
from mailmcp.model.mail_provider import MailProvider, provider_named, provider_of_domain, provider_of_host
from mailmcp.server.logs import configure_logging
from mailmcp.settings import check as checks
from mailmcp.settings.edit import add_account
from mailmcp.settings.model import AccountTable, AuthMethod, is_address, is_sendable
from mailmcp.settings.passwords import secret_key
from mailmcp.settings.sources import Origin, choose_config_path, read_toml

AccountKeys = dict[str, str | int]
"""A table [[accounts]]."""

_TLS = click.Choice([each.value for each in Tls])
_AUTH = click.Choice(get_args(AuthMethod))


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """Asks on a terminal, with the defaults taken unasked if `assume_yes`. Ctrl-C raises click.Abort."""

    assume_yes: bool

    @property
    def can_ask(self) -> bool:
        """Whether somebody is there to answer."""
        return sys.stdin.isatty()

    def ask(
        self,
        question: str,
        option: str,
        *,
        default: str | None = None,
        kind: Any = str,
        hide: bool = False,
    ) -> str:
        """Ask until `kind`, a type of click or a function, takes the answer; a script uses `option`."""
        if default and self.assume_yes:
            return default
        if not self.can_ask:
            raise click.UsageError(f"{option} is required if there is no terminal to ask on.")
        return str(click.prompt(question, default=default, type=kind, hide_input=hide))

    def fill(self, keys: AccountKeys, key: str, question: str, **options: Any) -> None:
        """Ask for a key that no option has given; `options` are those of `ask`."""
        if key not in keys:
            keys[key] = self.ask(question, f"--{key.replace('_', '-')}", **options)


def _parse_address(text: str) -> str:
    if not is_address(text):
        raise click.BadParameter("must be an address, such as ann@example.com")
    return text


@click.command()
@config_option
@click.option("--email", type=_parse_address, metavar="ADDRESS", help="Your address.")
@click.option("--host", help="IMAP server, or its provider, such as Google. Default: the address's.")
@click.option("--port", type=click.IntRange(1, 65535), help="Default: the server's, or 993.")
@click.option("--tls", type=_TLS, help="Default: the server's.")
@click.option("--ca-file", help="PEM file of certificates to trust, as Proton Bridge exports one.")
@click.option("--user", help="Login name. Default: the address.")
@click.option("--account-id", help="What mailmcp calls the account. Default: derived from the address.")
@click.option("--auth", type=_AUTH, help="How to sign in.")
@click.option("--client-id", help="OAuth 2.0: the id of your client.")
@click.option("--client-secret", help="OAuth 2.0: the secret of your client; Google's is not confidential.")
@click.option("--tenant", help="OAuth 2.0: the Microsoft tenant, if not any.")
@click.option("--issuer", help="OAuth 2.0: address of an authorization server that mailmcp doesn't know.")
@click.option("--password-stdin", is_flag=True, help="Read the password from stdin, one line.")
@click.option("--device", is_flag=True, help="OAuth 2.0: print a code instead of opening a browser.")
@click.option("--no-test", is_flag=True, help="Save without connecting to the server.")
@yes_option
def setup(
    config: Path | None,
    email: str | None,
    *,
    password_stdin: bool,
    device: bool,
    no_test: bool,
    yes: bool,
    **given: str | int | None,
) -> None:
    """Set up an account.

    Asks for an address and a password, or signs in by OAuth 2.0, and tests that.
    Nothing is saved before the end.
    """
    configure_logging("warning")
    questions = Questions(assume_yes=yes)
    path = choose_config_path(config, os.environ)
    _, _, known = read_toml(path, optional=True)
    email = email or questions.ask("Your address", "--email", kind=_parse_address)
    keys: AccountKeys = {key: value for key, value in given.items() if value is not None}
    provider = _choose_server(keys, email.rpartition("@")[2], questions)
    _choose_names(keys, email, provider, known, questions)
    if _uses_oauth(keys, provider, questions, password_stdin=password_stdin):
        _ask_oauth_keys(keys, provider, questions)
    keys = {key: keys[key] for key in AccountTable.model_fields if key in keys}
    origin = Origin(place=f"{path}: accounts", folder=path.parent)
    table, problems = checks.check_account(keys, origin)
    if table is None or problems:
        fail("; ".join(problems))
    account = checks.make_account(table, origin, os.environ)
    if provider is not None and table.auth == "password":
        click.echo(f"{provider.name} accepts {provider.credential}. {provider.note}".rstrip())
        if provider.credential_page:
            click.echo(f"Create it at {provider.credential_page}")
    while True:
        secret, tested = _ask_for_secret(table, account, questions, from_stdin=password_stdin, device=device)
        if no_test or _works(tested):
            break
        if yes or password_stdin or not questions.can_ask or not click.confirm("Try again?", default=True):
            fail("nothing was saved. --no-test saves an account without testing it")
    store_secret(table, secret)
    try:
        add_account(path, keys)
    except BaseException:
        store.delete(secret_key(table))
        raise
    click.echo(f"Account {table.account_id} is set up in {path}.")

    found = [host for host in HOSTS if host.find_files() or host.find_program()]
    can_ask = questions.can_ask and not yes
    chosen = [
        host for host in found if can_ask and click.confirm(f"Add mailmcp to {host.name}?", default=True)
    ]
    for host in chosen:
        add_to_host(host, config, yes=True)
    if not chosen:
        click.echo("Next: mailmcp install --list shows the programs that you can add mailmcp to.")


def _choose_server(keys: AccountKeys, domain: str, questions: Questions) -> MailProvider | None:
    """Take the server of the options, or the provider's, or ask whose it is."""
    provider = provider_of_domain(domain)
    if provider is None or "host" in keys:
        named = str(keys.get("host", "")) or questions.ask(
            f"IMAP server of {domain}, or its provider (such as Google or Outlook)",
            "--host",
            kind=lambda text: text if provider_named(text) else _check_key("host", text),
        )
        provider = provider_named(named) or provider_of_host(named)
        keys["host"] = named
    if provider is not None:
        keys["host"] = provider.host
        keys.setdefault("tls", provider.tls)
        keys.setdefault("port", provider.port)
        click.echo(f"{provider.name}: {keys['host']}, port {keys['port']}, TLS {keys['tls']}")
    elif "tls" not in keys:
        keys["tls"] = questions.ask("TLS", "--tls", default=_TLS.choices[0], kind=_TLS)
    tls = Tls(str(keys["tls"]))
    if tls is Tls.IMPLICIT:
        del keys["tls"]
    if keys.get("port") == tls.default_port:
        del keys["port"]
    return provider


def _choose_names(
    keys: AccountKeys,
    email: str,
    provider: MailProvider | None,
    known: Sequence[Mapping[str, object]],
    questions: Questions,
) -> None:
    """Choose the login name, the id, and the certificate that Proton's bridge needs."""
    if provider is not None:
        keys.setdefault("user", email)
    questions.fill(keys, "user", "Login name", default=email)
    ids = {each.get("account_id") for each in known}

    def check_id(text: str) -> str:
        if text in ids:
            raise click.BadParameter("must be another id: this one is taken", param_hint="--account-id")
        return _check_key("account_id", text)

    label = email.rpartition("@")[2].partition(".")[0].lower()  # such as contoso
    short = re.sub(r"[^a-z0-9_-]+", "-", label).strip("-")[:50] or "mail"
    questions.fill(keys, "account_id", "A short name for the account", default=short, kind=check_id)
    check_id(str(keys["account_id"]))
    if provider is not None and provider.name == "Proton":
        questions.fill(keys, "ca_file", "Path of the certificate that Bridge exported")
    if keys.get("ca_file"):
        keys["ca_file"] = str(Path(str(keys["ca_file"])).expanduser().absolute())


def _uses_oauth(
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
    return questions.ask(question, "--auth", default="password", kind=_AUTH) == "oauth2"


def _ask_oauth_keys(keys: AccountKeys, provider: MailProvider | None, questions: Questions) -> None:
    """Fill in the keys of an account that signs in by OAuth 2.0."""
    keys["auth"] = "oauth2"
    if "issuer" not in keys and provider is not None and provider.oauth_provider:
        keys["provider"] = provider.oauth_provider
        if "client_id" not in keys:
            click.echo(f"You need a client of your own. Register one at {provider.client_page}")
    else:
        questions.fill(keys, "issuer", "Address of the authorization server")
    questions.fill(keys, "client_id", "Client id")
    if "provider" in keys and known_provider(str(keys["provider"])).needs_secret:
        questions.fill(keys, "client_secret", "Client secret", hide=True)


def _ask_for_secret(
    table: AccountTable, account: Account, questions: Questions, *, from_stdin: bool, device: bool
) -> tuple[str, Account]:
    """Ask for the password, or sign in; return what to store, and the account that signs in with it."""
    if isinstance(account.credentials, BearerToken):
        tokens = fetch_tokens(checks.make_client(table), table.user, device=device)
        bearer = replace(account.credentials, read=lambda _refused: tokens.access_token)
        return tokens.refresh_token, replace(account, credentials=bearer)
    if from_stdin:
        typed = sys.stdin.readline().rstrip("\r\n")
    else:
        typed = questions.ask(f"Password for {account.user}", "--password-stdin", hide=True)
    if not typed or not is_sendable(typed):
        fail("the password must be one line of text")
    return typed, replace(account, credentials=Password(lambda: typed))


def _works(account: Account) -> bool:
    """Test an account as `mailmcp check` does, and show the result."""
    click.echo(f"Testing {account.host} …")
    works, said = check_account(account)
    click.echo(said)
    return works


def _check_key(key: str, value: str) -> str:
    """Return one value, refused as the settings would. Raises click.BadParameter."""
    others = {"account_id": "a", "host": "h", "user": "u"}
    _, problems = checks.check_table(AccountTable, {**others, key: value}, lambda _key, fault: fault)
    if problems:
        raise click.BadParameter(problems[0], param_hint=f"--{key.replace('_', '-')}")
    return value
