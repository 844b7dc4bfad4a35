"""`mailmcp setup`: asks for an address, finds its server, tests the sign-in, and writes the settings.

Nothing is kept before the end: then the secret is stored and the account appended to the file, both or
neither. Each question can be answered by an option, so that a script can run it.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from dns.resolver import Resolver
from rich.console import Console

from mailmcp.auth.sign_in import SignIn
from mailmcp.auth.store import SecretStore, StoreError
from mailmcp.auth.tokens import Tokens, save_tokens
from mailmcp.cli.install import install
from mailmcp.cli.mail_server import MailServer
from mailmcp.cli.options import config_option, exit_with
from mailmcp.cli.questions import Questions
from mailmcp.cli.setup_options import AccountKeys, Options, key_fault, setup_options
from mailmcp.cli.setup_server import choose_server
from mailmcp.cli.setup_sign_in import ask_oauth_keys, ask_password, choose_auth, sign_in_by_oauth
from mailmcp.cli.sign_in import fail, store_for
from mailmcp.hosts.table import HOSTS
from mailmcp.imap.account import Account, Tls
from mailmcp.server.logs import configure_logging
from mailmcp.settings.check import check_table, make_account, make_sign_in
from mailmcp.settings.edit import add_account, read_accounts
from mailmcp.settings.model import AccountTable, is_address
from mailmcp.settings.problems import SettingsError
from mailmcp.settings.sources import Source, choose_config_path


@click.command()
@config_option
@setup_options
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
        known = read_accounts(path)
    except SettingsError as error:
        exit_with(error)

    email = options.email or questions.ask("Your address", "--email", check=_address_fault)
    _require(_address_fault(email), "--email")
    server = choose_server(options, questions, email.rpartition("@")[2], resolver)
    keys = _account_keys(options, questions, server, email, known)
    oauth = choose_auth(options, questions, server) == "oauth2"
    if oauth:
        keys |= ask_oauth_keys(options, questions, server)
    account, sign_in = _checked(keys, path)

    secret: str | Tokens
    if oauth:
        secret = sign_in_by_oauth(options, questions, account, sign_in)
    else:
        secret = ask_password(options, questions, server, account)
    _save(path, keys, sign_in, secret)
    questions.say(f"Account {sign_in.account_id} is set up in {path}.")
    _offer_hosts(options, questions, config)


def _offer_hosts(options: Options, questions: Questions, config: Path | None) -> None:
    """Add mailmcp to the hosts of the options, or to those found that the person wants it in."""
    chosen = [host for host in HOSTS if host.host_id in options.install]
    if not options.install and questions.can_ask and not options.yes:
        found = [host for host in HOSTS if host.is_here()]
        chosen = [host for host in found if questions.confirm(f"Add mailmcp to {host.name}?")]
    for host in chosen:
        install(host, config, yes=True)
    if not chosen:
        questions.say("Next: mailmcp install --list shows the programs that you can add mailmcp to.")


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
        return key_fault("account_id", text) or ("must be another id: this one is taken" * (text in ids))

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


def _address_fault(text: str) -> str | None:
    return None if is_address(text) else "must be an address, such as ann@example.com"


def _require(fault: str | None, option: str) -> None:
    if fault:
        raise click.BadParameter(fault, param_hint=option)
