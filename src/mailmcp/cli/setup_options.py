"""What the command line of `mailmcp setup` answers, and whether an answer can be used."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

import click

from mailmcp.cli.options import combine
from mailmcp.hosts.table import HOSTS
from mailmcp.imap.account import Tls
from mailmcp.settings.check import check_table
from mailmcp.settings.model import AccountTable, AuthMethod
from mailmcp.settings.sources import Source

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

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


setup_options: Callable[[CommandT], CommandT] = combine(
    click.option("--email", help="Your address."),
    click.option("--host", help="IMAP server. Default: found from the address."),
    click.option("--port", type=click.IntRange(1, 65535), help="Default: the server's, or 993."),
    click.option("--tls", type=click.Choice([each.value for each in Tls]), help="Default: the server's."),
    click.option("--ca-file", help="PEM file of certificates to trust, as Proton Bridge exports one."),
    click.option("--user", help="Login name. Default: the address."),
    click.option("--account-id", help="What mailmcp calls the account. Default: derived from the address."),
    click.option("--auth", type=click.Choice(get_args(AuthMethod)), help="How to sign in."),
    click.option("--password-stdin", is_flag=True, help="Read the password from stdin, one line."),
    click.option("--client-id", help="OAuth 2.0: the id of your client."),
    click.option("--client-secret-env", help="OAuth 2.0: the variable with the secret of your client."),
    click.option("--tenant", help="OAuth 2.0: the Microsoft tenant, if not any."),
    click.option("--issuer", help="OAuth 2.0: address of an authorization server that mailmcp doesn't know."),
    click.option("--device", is_flag=True, help="OAuth 2.0: print a code instead of opening a browser."),
    click.option(
        "--look-up/--no-look-up", default=None, help="Whether to ask DNS for the server of the domain."
    ),
    click.option("--no-test", is_flag=True, help="Save without connecting to the server."),
    click.option(
        "--install",
        multiple=True,
        metavar="HOST",
        type=click.Choice([each.host_id for each in HOSTS]),
        help="Add mailmcp to a host, as mailmcp install does; may be repeated.",
    ),
    click.option("-y", "--yes", is_flag=True, help="Accept defaults and what was found without asking."),
)


def key_fault(key: str, value: str) -> str | None:
    """Check one value as the settings will, which are told as text here."""
    others = {"account_id": "a", "host": "h", "user": "u"}
    _, problems = check_table(AccountTable, {**others, key: value}, Source())
    return next((each.message for each in problems if each.key == key), None)
