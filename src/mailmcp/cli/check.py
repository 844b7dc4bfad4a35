"""`mailmcp check`: connects to the accounts and reports, step by step, what works."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import click
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from mailmcp.cli.options import config_option, exit_with
from mailmcp.imap.account import Account
from mailmcp.imap.connection_handle import ConnectionHandle
from mailmcp.imap.errors import translate_errors
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.session import Session, open_session
from mailmcp.server.logs import configure_logging
from mailmcp.settings.load import load_settings
from mailmcp.settings.problems import SettingsError
from mailmcp.wording import counted
from mcp_envelope import ToolError

USEFUL_CAPABILITIES = (
    "ESEARCH",
    "LIST-EXTENDED",
    "LIST-STATUS",
    "SPECIAL-USE",
    "ID",
    "LITERAL+",
    "OBJECTID",
    "SORT",
    "X-GM-EXT-1",
)
"""Those that mailmcp uses."""

_ANY_WIDTH = 10_000
"""Wider than any table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountCheck:
    """What the check found out about one account."""

    account_id: str
    host: str
    port: int
    tls: str
    ok: bool
    reachable: bool
    """A connection was made, even if TLS failed on it."""

    logged_in: bool
    capabilities: list[str] = field(default_factory=list)
    mailboxes: int | None = None
    steps_ms: dict[str, int] = field(default_factory=dict)
    """Milliseconds of each completed step, in order."""

    error: str | None = None

    @property
    def listed(self) -> str:
        """How many mailboxes there are, in words."""
        if self.mailboxes is None:
            return "mailboxes not listed"
        return counted(self.mailboxes, "mailbox", "mailboxes")


@click.command()
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.argument("account_id", required=False)
def command(config: Path | None, account_id: str | None, *, as_json: bool) -> None:
    """Connect to each account, or only to ACCOUNT_ID, and report what works.

    Exits with 1 if an account fails, and with 2 if the settings have errors. Warnings go to stderr.
    """
    configure_logging("warning", as_json=False)
    try:
        settings = load_settings(config, os.environ)
    except SettingsError as error:
        exit_with(error)
    known = [account.account_id for account in settings.accounts]
    if account_id is not None and account_id not in known:
        raise click.BadParameter(f"there is no such account. The accounts are: {', '.join(known)}")
    for warning in settings.warnings:
        click.echo(f"warning: {warning}", err=True)
    checks = [check_account(each) for each in settings.accounts if account_id in {None, each.account_id}]
    if as_json:
        click.echo(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        _print_table(checks)
    sys.exit(0 if all(check.ok for check in checks) else 1)


def check_account(account: Account) -> AccountCheck:
    """Go through the steps of using an account; never raises if the server fails."""
    handle = ConnectionHandle(account)
    steps_ms: dict[str, float] = {}
    found: dict[str, Any]
    try:
        session = open_session(handle, Quirks(), now=0.0)
    except ToolError as error:
        found = {"error": error.message}
    else:
        found = _check_session(session, steps_ms)
    return AccountCheck(
        account_id=account.account_id,
        host=account.host,
        port=account.port,
        tls=account.tls.value,
        ok="error" not in found,
        reachable="connect" in handle.steps_ms,
        logged_in="login" in handle.steps_ms,
        steps_ms={name: round(ms) for name, ms in (handle.steps_ms | steps_ms).items()},
        **found,
    )


def _check_session(session: Session, steps_ms: dict[str, float]) -> dict[str, Any]:
    """List the mailboxes; return what is known after the login."""
    found: dict[str, Any] = {"capabilities": [name for name in USEFUL_CAPABILITIES if session.can(name)]}
    try:
        with translate_errors(session.account.account_id), _timed(steps_ms, "list"):
            found["mailboxes"] = len(list_mailboxes(session))
    except ToolError as error:
        found["error"] = error.message
    session.log_out()
    return found


@contextmanager
def _timed(steps_ms: dict[str, float], step: str) -> Iterator[None]:
    began = perf_counter()
    try:
        yield
    finally:
        steps_ms[step] = (perf_counter() - began) * 1000


def _print_table(checks: list[AccountCheck]) -> None:
    table = Table("account", "state", "capabilities", "steps (ms)")
    for each in checks:
        table.add_row(
            f"{each.account_id}\n{each.host}:{each.port}\n"
            + ("plain text" if each.tls == "none" else f"TLS {each.tls}"),
            f"{'reachable' if each.reachable else 'not reachable'}\n"
            f"{'logged in' if each.logged_in else 'not logged in'}\n{each.listed}",
            "\n".join(each.capabilities) or "-",
            "\n".join(f"{name} {ms}" for name, ms in each.steps_ms.items()) or "-",
        )
    console = Console()
    _fit(table, console)
    console.print(table)
    for each in checks:
        if each.error is not None:
            click.echo(f"{each.account_id}: {each.error}")


def _fit(table: Table, console: Console) -> None:
    """Wrap only columns of words, or all if the table is still too wide. Nothing is cut."""
    for column in table.columns:
        column.overflow = "fold"
        column.no_wrap = column.header != "state"
    needed = Measurement.get(console, console.options.update_width(_ANY_WIDTH), table).minimum
    if needed > console.width:
        for column in table.columns:
            column.no_wrap = False
