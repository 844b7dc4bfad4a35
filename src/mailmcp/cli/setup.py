"""`mailmcp setup`: asks for an address, finds its server, tests the sign-in, and writes the settings.

Nothing is kept before the end: then the secret is stored and the account appended to the file, both or
neither. Each question can be answered by an option, so that a script can run it.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import get_args

import click

from mailmcp.auth.sign_in import SignIn
from mailmcp.auth.store import SecretStore, StoreError
from mailmcp.auth.tokens import Tokens, save_tokens
from mailmcp.cli.install import add_to_host
from mailmcp.cli.options import CommandT, combine, config_option, exit_with
from mailmcp.cli.questions import Questions
from mailmcp.cli.setup_sign_in import AccountKeys, ask_for_secret, ask_oauth_keys, uses_oauth
from mailmcp.cli.sign_in import fail, store_for
from mailmcp.hosts.table import HOSTS
from mailmcp.imap.account import Account, Tls
from mailmcp.model.mail_provider import MailProvider, provider_named, provider_of_domain, provider_of_host
from mailmcp.server.logs import configure_logging
from mailmcp.settings.check import check_table, make_account, make_sign_in
from mailmcp.settings.edit import add_account, read_accounts
from mailmcp.settings.model import AccountTable, AuthMethod, is_address
from mailmcp.settings.problems import SettingsError
from mailmcp.settings.sources import Source, choose_config_path

_account_options: Callable[[CommandT], CommandT] = combine(
    click.option("--host", help="IMAP server, or whose it is, such as Google. Default: the address's."),
    click.option("--port", type=click.IntRange(1, 65535), help="Default: the server's, or 993."),
    click.option("--tls", type=click.Choice([each.value for each in Tls]), help="Default: the server's."),
    click.option("--ca-file", help="PEM file of certificates to trust, as Proton Bridge exports one."),
    click.option("--user", help="Login name. Default: the address."),
    click.option("--account-id", help="What mailmcp calls the account. Default: derived from the address."),
    click.option("--auth", type=click.Choice(get_args(AuthMethod)), help="How to sign in."),
    click.option("--client-id", help="OAuth 2.0: the id of your client."),
    click.option("--client-secret-env", help="OAuth 2.0: the variable with the secret of your client."),
    click.option("--tenant", help="OAuth 2.0: the Microsoft tenant, if not any."),
    click.option("--issuer", help="OAuth 2.0: address of an authorization server that mailmcp doesn't know."),
)


@click.command()
@config_option
@click.option("--email", help="Your address.")
@_account_options
@click.option("--password-stdin", is_flag=True, help="Read the password from stdin, one line.")
@click.option("--device", is_flag=True, help="OAuth 2.0: print a code instead of opening a browser.")
@click.option("--no-test", is_flag=True, help="Save without connecting to the server.")
@click.option(
    "--install",
    "hosts",
    multiple=True,
    metavar="HOST",
    type=click.Choice([each.host_id for each in HOSTS]),
    help="Add mailmcp to a host, as mailmcp install does; may be repeated.",
)
@click.option("-y", "--yes", is_flag=True, help="Accept defaults without asking.")
def setup(
    config: Path | None,
    email: str | None,
    hosts: Sequence[str],
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
    configure_logging("warning", as_json=False)
    questions = Questions(assume_yes=yes)
    path = choose_config_path(config, os.environ)
    try:
        known = read_accounts(path)
    except SettingsError as error:
        exit_with(error)

    email = email or questions.ask("Your address", "--email", check=_address_fault)
    _require(_address_fault(email), "--email")
    keys: AccountKeys = {key: value for key, value in given.items() if value is not None}
    provider = _choose_server(keys, email.rpartition("@")[2], questions)
    _choose_names(keys, email, provider, known, questions)
    if uses_oauth(keys, provider, questions, password_stdin=password_stdin):
        ask_oauth_keys(keys, provider, questions)
    keys = {key: keys[key] for key in AccountTable.model_fields if key in keys}
    account, sign_in = _checked(keys, path)
    secret = ask_for_secret(
        account, sign_in, provider, questions, from_stdin=password_stdin, device=device, no_test=no_test
    )
    _save(path, keys, sign_in, secret)
    click.echo(f"Account {sign_in.account_id} is set up in {path}.")

    chosen = [host for host in HOSTS if host.host_id in hosts]
    if not hosts and questions.can_ask and not yes:
        found = [host for host in HOSTS if host.is_here()]
        chosen = [host for host in found if questions.confirm(f"Add mailmcp to {host.name}?")]
    for host in chosen:
        add_to_host(host, config, yes=True)
    if not chosen:
        click.echo("Next: mailmcp install --list shows the programs that you can add mailmcp to.")


def _choose_server(keys: AccountKeys, domain: str, questions: Questions) -> MailProvider | None:
    """Take the server of the options, or the provider's, or ask whose it is."""
    provider = provider_of_domain(domain)
    if provider is None or "host" in keys:
        named = str(keys.get("host", "")) or questions.ask(
            f"IMAP server of {domain}, or whose it is (such as Google or Outlook)",
            "--host",
            check=lambda text: None if provider_named(text) else _key_fault("host", text),
        )
        provider = provider_named(named) or provider_of_host(named)
        keys["host"] = provider.host if provider else named
    if provider is not None:
        keys["host"] = provider.host
        keys.setdefault("tls", provider.tls)
        keys.setdefault("port", provider.port)
        click.echo(f"{provider.name}: {keys['host']}, port {keys['port']}, TLS {keys['tls']}")
    elif "tls" not in keys:
        keys["tls"] = questions.ask("TLS", "--tls", default="implicit", choices=[each.value for each in Tls])
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
    if "user" not in keys:
        keys["user"] = email if provider else questions.ask("Login name", "--user", default=email)
    for each in known:
        if (each.get("host"), each.get("user")) == (keys["host"], keys["user"]):
            fail(f"{keys['user']} at {keys['host']} is set up already, as account {each.get('account_id')}")
    ids = {each.get("account_id") for each in known}

    def id_fault(text: str) -> str | None:
        return _key_fault("account_id", text) or ("must be another id: this one is taken" * (text in ids))

    if "account_id" not in keys:
        keys["account_id"] = questions.ask(
            "A short name for the account", "--account-id", default=_suggest_id(email, ids), check=id_fault
        )
    _require(id_fault(str(keys["account_id"])), "--account-id")
    if provider is not None and provider.name == "Proton" and "ca_file" not in keys:
        keys["ca_file"] = questions.ask("Path of the certificate that Bridge exported", "--ca-file")
    if keys.get("ca_file"):
        keys["ca_file"] = str(Path(str(keys["ca_file"])).expanduser().absolute())


def _checked(keys: AccountKeys, path: Path) -> tuple[Account, SignIn]:
    """Check the account as the settings will, before anything is sent."""
    source = Source(path=path, environ=os.environ)
    table, problems = check_table(AccountTable, keys, source)
    if table is None or problems:
        fail("; ".join(f"{each.key}: {each.message}" for each in problems))
    sign_in = make_sign_in(table, source)
    return make_account(table, source, sign_in), sign_in


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
            add_account(path, keys)
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
        return any(each.get("account_id") == account_id for each in read_accounts(path))
    except SettingsError:
        return False


def _put_back(store: SecretStore, key: str, before: str | None) -> None:
    if before is None:
        store.delete(key)
    else:
        store.write(key, before)


def _suggest_id(email: str, taken: set[object]) -> str:
    """Make an id of an address: the first label of its domain, with a number if it is taken."""
    label = email.rpartition("@")[2].partition(".")[0]
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", label).strip("-")[:50].lower() or "mail"
    numbered = (f"{stem}-{number}" for number in range(2, len(taken) + 3))
    return next(each for each in (stem, *numbered) if each not in taken)


def _key_fault(key: str, value: str) -> str | None:
    """Check one value as the settings will."""
    others = {"account_id": "a", "host": "h", "user": "u"}
    _, problems = check_table(AccountTable, {**others, key: value}, Source())
    return next((each.message for each in problems if each.key == key), None)


def _address_fault(text: str) -> str | None:
    return None if is_address(text) else "must be an address, such as ann@example.com"


def _require(fault: str | None, option: str) -> None:
    if fault:
        raise click.BadParameter(fault, param_hint=option)
