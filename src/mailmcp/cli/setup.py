"""`mailmcp setup`: asks for an address, finds its server, tests the sign-in, and writes the settings.

Nothing is kept before the end: then the secret is stored and the account appended to the file, both or
neither. Each question can be answered by an option, so that a script can run it.
"""

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import click
from dns.resolver import Resolver
from rich.console import Console

from mailmcp.auth.errors import SignInError
from mailmcp.auth.provider import known_provider
from mailmcp.auth.sign_in import SignIn
from mailmcp.auth.store import SecretStore, StoreError
from mailmcp.auth.tokens import Tokens, save_tokens
from mailmcp.cli.check import check_account as try_account
from mailmcp.cli.install import install
from mailmcp.cli.login import fetch_tokens
from mailmcp.cli.mail_server import LookupFailedError, MailServer, look_up
from mailmcp.cli.options import config_option, exit_with
from mailmcp.cli.questions import Questions
from mailmcp.cli.sign_in import fail, store_for
from mailmcp.hosts.machine import find_files, this_machine
from mailmcp.hosts.table import HOSTS
from mailmcp.imap.account import Account, BearerToken, Password, Tls
from mailmcp.model.mail_provider import provider_of_domain, provider_of_host
from mailmcp.server.logs import configure_logging
from mailmcp.settings.check import check_account, check_table, make_account, make_sign_in
from mailmcp.settings.edit import accounts_of, add_account
from mailmcp.settings.model import ADDRESS_PATTERN, AccountTable, AuthMethod, is_sendable
from mailmcp.settings.problems import SettingsError
from mailmcp.settings.sources import FileSource, Source, choose_config_path
from mailmcp.settings.toml_file import TomlFile, read_toml

AccountKeys = dict[str, str | int]
"""A table [[accounts]], in the order of its lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line answers; None, empty or False is asked for or found."""

    email: str | None
    host: str | None
    port: int | None
    tls: str | None
    ca_file: str | None
    user: str | None
    account_id: str | None
    auth: AuthMethod | None
    password_stdin: bool
    client_id: str | None
    client_secret_env: str | None
    tenant: str | None
    issuer: str | None
    device: bool
    look_up: bool | None
    no_test: bool
    install: tuple[str, ...]
    yes: bool


@click.command()
@config_option
@click.option("--email", help="Your address.")
@click.option("--host", help="IMAP server. Default: found from the address.")
@click.option("--port", type=click.IntRange(1, 65535), help="Default: the server's, or 993.")
@click.option("--tls", type=click.Choice([each.value for each in Tls]), help="Default: the server's.")
@click.option("--ca-file", help="PEM file of certificates to trust, as Proton Bridge exports one.")
@click.option("--user", help="Login name. Default: the address.")
@click.option("--account-id", help="What mailmcp calls the account. Default: derived from the address.")
@click.option("--auth", type=click.Choice(get_args(AuthMethod)), help="How to sign in.")
@click.option("--password-stdin", is_flag=True, help="Read the password from stdin, one line.")
@click.option("--client-id", help="OAuth 2.0: the id of your client.")
@click.option("--client-secret-env", help="OAuth 2.0: the variable with the secret of your client.")
@click.option("--tenant", help="OAuth 2.0: the Microsoft tenant, if not any.")
@click.option("--issuer", help="OAuth 2.0: address of an authorization server that mailmcp doesn't know.")
@click.option("--device", is_flag=True, help="OAuth 2.0: print a code instead of opening a browser.")
@click.option("--look-up/--no-look-up", default=None, help="Whether to ask DNS for the server of the domain.")
@click.option("--no-test", is_flag=True, help="Save without connecting to the server.")
@click.option(
    "--install",
    multiple=True,
    metavar="HOST",
    type=click.Choice([each.host_id for each in HOSTS]),
    help="Add mailmcp to a host, as mailmcp install does; may be repeated.",
)
@click.option("-y", "--yes", is_flag=True, help="Accept defaults and what was found without asking.")
@click.pass_obj
def command(resolver: Resolver | None, /, config: Path | None, **given: Any) -> None:
    """Set up an account.

    Asks for an address and a password, or signs in by OAuth 2.0, and tests that.
    Nothing is saved before the end.
    """
    configure_logging("warning", as_json=False)
    options = Options(**given)
    questions = Questions(console=Console(), assume_yes=options.yes)
    path = choose_config_path(config, os.environ)
    try:
        known = accounts_of(read_toml(path, optional=True))
    except SettingsError as error:
        exit_with(error)

    email = options.email or questions.ask("Your address", "--email", check=_address_fault)
    _require(_address_fault(email), "--email")
    server = _choose_server(options, questions, email.rpartition("@")[2], resolver)
    keys = _account_keys(options, questions, server, email, known)
    oauth = _choose_auth(options, questions, server) == "oauth2"
    if oauth:
        keys |= _oauth_keys(options, questions, server)
    account, sign_in = _checked(keys, path)

    secret: str | Tokens
    if oauth:
        secret = _sign_in(options, questions, account, sign_in)
    else:
        secret = _password(options, questions, server, account)
    _save(path, keys, sign_in, secret)
    questions.say(f"Account {sign_in.account_id} is set up in {path}.")
    _offer_hosts(options, questions, config)


def _offer_hosts(options: Options, questions: Questions, config: Path | None) -> None:
    """Add mailmcp to the hosts of the options, or to those found that the person wants it in."""
    machine = this_machine()
    chosen = [host for host in HOSTS if host.host_id in options.install]
    if not options.install and questions.can_ask and not options.yes:
        found = [host for host in HOSTS if find_files(host, machine)]
        chosen = [host for host in found if questions.confirm(f"Add mailmcp to {host.name}?")]
    for host in chosen:
        install(host, machine, config, yes=True)
    if not chosen:
        questions.say("Next: mailmcp install --list shows the programs that you can add mailmcp to.")


def _choose_server(
    options: Options, questions: Questions, domain: str, resolver: Resolver | None
) -> MailServer:
    """Take the server of the options, or find one and ask whether it is right, or ask for it."""
    if options.host:
        provider = provider_of_host(options.host)
        tls = Tls(options.tls or "implicit")
        return MailServer(
            host=options.host, port=options.port or tls.default_port, tls=tls.value, provider=provider
        )
    found = _find_server(options, questions, domain, resolver)
    if found is not None:
        found = replace(found, port=options.port or found.port, tls=options.tls or found.tls)
        name = found.provider.name if found.provider else domain
        questions.say(f"{name}: {found.host}, port {found.port}, TLS {found.tls}")
        if not found.belongs_to(domain):
            # RFC 6186 section 6: DNS may lie, so a person must agree to a server of another domain.
            questions.say(f"This server is outside of {domain}. Is it your provider's?")
            if options.yes:
                fail(f"DNS names a server outside of {domain}. If it is right, add --host {found.host}")
        if questions.confirm("Use this server?"):
            return found
    host = questions.ask("IMAP server", "--host", check=lambda text: _key_fault("host", text))
    tls = Tls(
        options.tls or questions.ask("TLS", "--tls", default="implicit", choices=[each.value for each in Tls])
    )
    port = options.port or questions.ask(
        "Port", "--port", default=str(tls.default_port), check=lambda text: _key_fault("port", text)
    )
    return MailServer(host=host, port=int(port), tls=tls.value, provider=provider_of_host(host))


def _find_server(
    options: Options, questions: Questions, domain: str, resolver: Resolver | None
) -> MailServer | None:
    provider = provider_of_domain(domain)
    if provider is not None:
        return MailServer.of(provider)
    may_ask = options.look_up
    if may_ask is None and questions.can_ask and not options.yes:
        questions.say(f"mailmcp doesn't know the mail server of {domain}.")
        may_ask = questions.confirm(f"Ask DNS for it? Only the name {domain} is sent.")
    if not may_ask:
        return None
    try:
        found = look_up(domain, resolver)
    except LookupFailedError as error:
        questions.say(f"{error}.")
        return None
    if found is None:
        questions.say(f"DNS names no mail server that mailmcp could use for {domain}.")
    return found


def _account_keys(
    options: Options,
    questions: Questions,
    server: MailServer,
    email: str,
    known: list[Mapping[str, object]],
) -> AccountKeys:
    """Return the keys that every account has, without those that only repeat a default."""
    provider = server.provider
    user = options.user or email
    if not options.user and provider is None:
        user = questions.ask("Login name", "--user", default=email)
    for each in known:
        if (each.get("host"), each.get("user")) == (server.host, user):
            fail(f"{user} at {server.host} is set up already, as account {each.get('account_id')}")
    ids = {each.get("account_id") for each in known}

    def id_fault(text: str) -> str | None:
        return _key_fault("account_id", text) or ("must be another id: this one is taken" * (text in ids))

    account_id = options.account_id or questions.ask(
        "A short name for the account", "--account-id", default=_suggest_id(email, ids), check=id_fault
    )
    _require(id_fault(account_id), "--account-id")
    keys: AccountKeys = {"account_id": account_id, "host": server.host}
    if server.port != Tls(server.tls).default_port:
        keys["port"] = server.port
    if server.tls != Tls.IMPLICIT:
        keys["tls"] = server.tls
    ca_file = options.ca_file
    if ca_file is None and provider is not None and provider.name == "Proton":
        ca_file = questions.ask("Path of the certificate that Bridge exported", "--ca-file")
    if ca_file:
        keys["ca_file"] = str(Path(ca_file).expanduser().absolute())
    keys["user"] = user
    return keys


def _choose_auth(options: Options, questions: Questions, server: MailServer) -> AuthMethod:
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


def _oauth_keys(options: Options, questions: Questions, server: MailServer) -> AccountKeys:
    provider = server.provider
    keys: AccountKeys = {"auth": "oauth2"}
    if options.issuer is None and provider is not None and provider.oauth_provider:
        keys["provider"] = provider.oauth_provider
        if not options.client_id:
            questions.say(f"You need a client of your own. Register one at {provider.client_page}")
    else:
        keys["issuer"] = options.issuer or questions.ask(
            "Address of the authorization server", "--issuer", check=lambda text: _key_fault("issuer", text)
        )
    if options.tenant:
        keys["tenant"] = options.tenant
    keys["client_id"] = options.client_id or questions.ask("Client id", "--client-id")
    if options.client_secret_env:
        keys["client_secret_env"] = options.client_secret_env
    elif "provider" in keys and known_provider(str(keys["provider"])).needs_secret:
        keys["client_secret"] = questions.ask_secret("Client secret", "--client-secret-env")
    return keys


def _checked(keys: AccountKeys, path: Path) -> tuple[Account, SignIn]:
    """Check the account as the settings will, before anything is sent."""
    source = FileSource(TomlFile(path=path, data={"accounts": [keys]}), os.environ)
    table, problems = check_account(keys, source, needs_password=False)
    if table is None or problems:
        fail("; ".join(f"{each.where[0]}: {each.message}" for each in problems))
    sign_in = make_sign_in(table, source)
    return make_account(table, source, sign_in), sign_in


def _password(options: Options, questions: Questions, server: MailServer, account: Account) -> str:
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
        if options.no_test or _works(questions, tested, may_repeat=not options.password_stdin) != "again":
            return password


def _sign_in(options: Options, questions: Questions, account: Account, sign_in: SignIn) -> Tokens:
    """Sign in by OAuth 2.0 until the server takes the token, or the person wants it saved as it is."""
    while True:
        try:
            tokens = fetch_tokens(sign_in, device=options.device)
        except SignInError as error:
            fail(error)
        assert isinstance(account.credentials, BearerToken)  # noqa: S101 - as its settings say
        bearer = replace(account.credentials, read=_always(tokens.access_token))
        tested = replace(account, credentials=bearer)
        if options.no_test or _works(questions, tested, may_repeat=True) != "again":
            return tokens


def _works(questions: Questions, account: Account, *, may_repeat: bool) -> Literal["ok", "save", "again"]:
    """Test an account as `mailmcp check` does; if it fails, ask what to do."""
    questions.say(f"Testing {account.host} …")
    found = try_account(account)
    if found.ok:
        questions.say(f"Signed in; {found.mailboxes} mailboxes.")
        return "ok"
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
    return "save" if chosen == "save" else "again"


def _save(path: Path, keys: AccountKeys, sign_in: SignIn, secret: str | Tokens) -> None:
    """Store the secret and append the account; if that fails or is interrupted, neither stays."""
    try:
        store = store_for(sign_in)
        before = store.read(sign_in.key)
        try:
            if isinstance(secret, Tokens):
                save_tokens(store, sign_in.key, secret)
            else:
                store.write(sign_in.key, secret)
            add_account(path, {**keys, "secrets": store.name})
        except BaseException:
            if not _has_account(path, sign_in.account_id):
                _put_back(store, sign_in.key, before)
            raise
    except StoreError as error:
        fail(error)
    except SettingsError as error:
        fail(f"{error} Nothing was saved")


def _has_account(path: Path, account_id: str) -> bool:
    """Return whether the account was written, though an interrupt came afterwards."""
    try:
        return any(
            each.get("account_id") == account_id for each in accounts_of(read_toml(path, optional=True))
        )
    except SettingsError:
        return False


def _put_back(store: SecretStore, key: str, before: str | None) -> None:
    if before is None:
        store.delete(key)
    else:
        store.write(key, before)


def _always(secret: str) -> Callable[..., str]:
    return lambda *_: secret


def _suggest_id(email: str, taken: set[object]) -> str:
    """Make an id of an address: the first label of its domain, with a number if it is taken."""
    label = email.rpartition("@")[2].partition(".")[0]
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", label).strip("-")[:50].lower() or "mail"
    numbered = (f"{stem}-{number}" for number in range(2, len(taken) + 3))
    return next(each for each in (stem, *numbered) if each not in taken)


def _address_fault(text: str) -> str | None:
    return None if re.fullmatch(ADDRESS_PATTERN, text) else "must be an address, such as ann@example.com"


def _key_fault(key: str, value: str) -> str | None:
    """Check one value as the settings will, which are told as text here."""
    others = {"account_id": "a", "host": "h", "user": "u"}
    _, problems = check_table(AccountTable, {**others, key: value}, Source({}))
    return next((each.message for each in problems if each.where[0] == key), None)


def _require(fault: str | None, option: str) -> None:
    if fault:
        raise click.BadParameter(fault, param_hint=option)
