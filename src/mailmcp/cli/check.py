"""`mailmcp check`: connects to the accounts and says, step by step, what works."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter

import click
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from mailmcp.cli.options import config_option, exit_with
from mailmcp.imap.account import Account
from mailmcp.imap.connect import ConnectionHandle
from mailmcp.imap.errors import translate_errors
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.session import Session, open_session
from mailmcp.imap.workarounds.probes import probe
from mailmcp.model.feature import Feature
from mailmcp.server.logs import configure_logging
from mailmcp.settings.load import load_settings
from mailmcp.settings.problems import SettingsError
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
"""What mailmcp uses."""

_ANY_WIDTH = 10_000
"""Wider than any table here."""

_EXTENSIONS = {Feature.ESEARCH, Feature.SORT}
"""What is judged only where it is advertised."""

_NOT_SEARCHED = {Feature.LIST_RETURN, Feature.IDS}
"""What no search shows."""


@dataclass(slots=True)
class Verdict:
    """What was found out about one account."""

    account_id: str
    host: str
    port: int
    tls: str
    ok: bool = False
    reachable: bool = False
    """Whether a connection came up, be it that TLS on it did not."""

    logged_in: bool = False
    capabilities: list[str] = field(default_factory=list)
    mailboxes: int | None = None
    search: dict[str, str] = field(default_factory=dict)
    """Whether the server's search is right, by its keywords: ok, wrong, or unknown where INBOX has nothing
    to tell it by. What is wrong is worked around, but VIEW: that messages are hidden can only be said."""

    steps_ms: dict[str, int] = field(default_factory=dict)
    """Milliseconds of each finished step, in order."""

    error: str | None = None


@click.command()
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.argument("account_id", required=False)
def command(config: Path | None, account_id: str | None, *, as_json: bool) -> None:
    """Connect to each account, or to ACCOUNT_ID alone, and say what works.

    Exits with 1 if one fails, with 2 if the settings are wrong. Warnings about them go to stderr.
    """
    configure_logging("warning", as_json=False)
    try:
        settings = load_settings(config, os.environ)
    except SettingsError as error:
        exit_with(error)
    known = [account.account_id for account in settings.accounts]
    if account_id is not None and account_id not in known:
        raise click.BadParameter(f"there is no such account; accounts: {', '.join(known)}")
    for warning in settings.warnings:
        click.echo(f"warning: {warning}", err=True)
    verdicts = [check(each) for each in settings.accounts if account_id in {None, each.account_id}]
    if as_json:
        click.echo(json.dumps([asdict(verdict) for verdict in verdicts], indent=2))
    else:
        _print_table(verdicts)
    sys.exit(0 if all(verdict.ok for verdict in verdicts) else 1)


def check(account: Account) -> Verdict:
    """Go through the steps of using an account; never raises for a server that fails."""
    verdict = Verdict(account.account_id, account.host, account.port, account.tls.value)
    handle = ConnectionHandle(account)
    try:
        session = open_session(handle, Quirks(), now=0.0)
    except ToolError as error:
        verdict.error = error.message
    else:
        _look_around(session, verdict)
    verdict.reachable = "connect" in handle.steps_ms
    verdict.logged_in = "login" in handle.steps_ms
    verdict.steps_ms = {name: round(ms) for name, ms in handle.steps_ms.items()} | verdict.steps_ms
    return verdict


def _look_around(session: Session, verdict: Verdict) -> None:
    verdict.capabilities = [name for name in USEFUL_CAPABILITIES if session.can(name)]
    try:
        with translate_errors(session.account.account_id):
            with _timed(verdict, "list"):
                verdict.mailboxes = len(list_mailboxes(session))
            with _timed(verdict, "search"):
                probe(session, "INBOX")
            verdict.ok = True
    except ToolError as error:
        verdict.error = error.message
    searched = [each for each in Feature if each not in _NOT_SEARCHED]
    offered = [each for each in searched if each not in _EXTENSIONS or session.can(each.value)]
    verdict.search = {each.value: session.quirks.verdict(each).value for each in offered}
    session.log_out()


@contextmanager
def _timed(verdict: Verdict, step: str) -> Iterator[None]:
    began = perf_counter()
    try:
        yield
    finally:
        verdict.steps_ms[step] = round((perf_counter() - began) * 1000)


def _search_lines(verdict: Verdict) -> str:
    """Group the keywords of SEARCH by what was found out about them; what is wrong comes first."""
    lines = []
    for found in ("wrong", "ok", "unknown"):
        names = [name for name, each in verdict.search.items() if each == found]
        lines += [f"{found}: {' '.join(names)}"] if names else []
    return "\n".join(lines) or "-"


def _print_table(verdicts: list[Verdict]) -> None:
    table = Table("account", "state", "capabilities", "search", "steps (ms)")
    for each in verdicts:
        table.add_row(
            f"{each.account_id}\n{each.host}:{each.port}\n"
            + ("plain text" if each.tls == "none" else f"TLS {each.tls}"),
            f"{'reachable' if each.reachable else 'not reachable'}\n"
            f"{'logged in' if each.logged_in else 'not logged in'}\n"
            + ("mailboxes not listed" if each.mailboxes is None else f"{each.mailboxes} mailboxes"),
            "\n".join(each.capabilities) or "-",
            _search_lines(each),
            "\n".join(f"{name} {ms}" for name, ms in each.steps_ms.items()) or "-",
        )
    console = Console()
    _fit(table, console)
    console.print(table)
    for each in verdicts:
        if each.error is not None:
            click.echo(f"{each.account_id}: {each.error}")


def _fit(table: Table, console: Console) -> None:
    """Break lines of words alone, not those with names of hosts; where that is too wide, all. Cut nothing."""
    for column in table.columns:
        column.overflow = "fold"
        column.no_wrap = column.header not in {"state", "search"}
    needed = Measurement.get(console, console.options.update_width(_ANY_WIDTH), table).minimum
    if needed > console.width:
        for column in table.columns:
            column.no_wrap = False
