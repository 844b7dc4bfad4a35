"""`mailmcp check`: connects to the accounts and reports what works."""

import json
import os
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter

import click

from mailmcp.cli.options import config_option, exit_with
from mailmcp.imap.account import Account
from mailmcp.imap.connect import ConnectionHandle
from mailmcp.imap.errors import translate_errors
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.session import open_session
from mailmcp.server.logs import configure_logging
from mailmcp.settings.load import load_settings
from mailmcp.settings.problems import SettingsError
from mailmcp.wording import counted
from mcp_envelope import ToolError

USEFUL_CAPABILITIES = (
    *("ESEARCH", "LIST-STATUS", "SPECIAL-USE", "ID", "LITERAL+", "OBJECTID", "SORT", "X-GM-EXT-1"),
)
"""Those that mailmcp uses. None is required."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountCheck:
    """What the check found out about one account."""

    account_id: str
    host: str
    port: int
    tls: str
    ok: bool
    mailboxes: int | None = None
    capabilities: list[str] = field(default_factory=list)
    took_ms: int
    error: str | None = None

    @property
    def listed(self) -> str:
        """How many mailboxes there are, in words."""
        return counted(self.mailboxes or 0, "mailbox", "mailboxes")


@click.command()
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.argument("account_id", required=False)
def check(config: Path | None, account_id: str | None, *, as_json: bool) -> None:
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
        click.echo(json.dumps([asdict(each) for each in checks], indent=2))
    else:
        for each in checks:
            _print(each)
    sys.exit(0 if all(each.ok for each in checks) else 1)


def check_account(account: Account) -> AccountCheck:
    """Sign in and list the mailboxes; never raises if the server fails."""
    began = perf_counter()
    mailboxes, capabilities, error = None, list[str](), None
    handle = ConnectionHandle(account)
    try:
        session = open_session(handle, Quirks(), now=0.0)
        capabilities = [name for name in USEFUL_CAPABILITIES if session.can(name)]
        with translate_errors(account.account_id):
            mailboxes = len(list_mailboxes(session))
        session.log_out()
    except ToolError as failed:
        error = failed.message
    finally:
        handle.close()
    return AccountCheck(
        account_id=account.account_id,
        host=account.host,
        port=account.port,
        tls=account.tls.value,
        ok=error is None,
        mailboxes=mailboxes,
        capabilities=capabilities,
        took_ms=round((perf_counter() - began) * 1000),
        error=error,
    )


def _print(found: AccountCheck) -> None:
    tls = "plain text" if found.tls == "none" else f"TLS {found.tls}"
    click.echo(f"{found.account_id}: {found.host}:{found.port}, {tls}")
    if found.ok:
        click.echo(f"  Signed in; {found.listed} ({found.took_ms} ms).")
        click.echo(f"  Useful extensions: {' '.join(found.capabilities) or 'none'}")
    else:
        click.echo(f"  {found.error}")
