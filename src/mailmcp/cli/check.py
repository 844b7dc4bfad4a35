"""`mailmcp check`: connects to the accounts and reports what works."""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

import click

from mailmcp.cli.options import config_option, load
from mailmcp.imap.account import Account
from mailmcp.imap.connect import ConnectionHandle
from mailmcp.imap.errors import translate_errors
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.imap.session import Quirks, open_session
from mailmcp.server.logs import configure_logging
from mailmcp.wording import counted
from mcp_envelope import ToolError

USEFUL_CAPABILITIES = ("ESEARCH", "LIST-STATUS", "SPECIAL-USE", "ID", "LITERAL+", "OBJECTID", "SORT")
"""Those that mailmcp uses. None is required."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountCheck:
    """What the check found out about one account."""

    account_id: str
    host: str
    port: int
    tls: str
    ok: bool
    mailboxes: int | None
    capabilities: list[str]
    took_ms: int
    error: str | None

    @property
    def said(self) -> str:
        """The result as a sentence."""
        if self.error is not None:
            return self.error
        return f"Signed in; {counted(self.mailboxes or 0, 'mailbox', 'mailboxes')} ({self.took_ms} ms)."


@click.command()
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.argument("account_id", required=False)
def check(config: Path | None, account_id: str | None, *, as_json: bool) -> None:
    """Report whether your accounts work.

    Connects to each, or only to ACCOUNT_ID. Exits with 1 if an account fails, and with 2 if the settings have
    errors.
    """
    settings = load(config)
    configure_logging("warning", as_json=False)
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
            tls = "plain text" if each.tls == "none" else f"TLS {each.tls}"
            click.echo(f"{each.account_id}: {each.host}:{each.port}, {tls}\n  {each.said}")
            if each.ok:
                click.echo(f"  Useful extensions: {' '.join(each.capabilities) or 'none'}")
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
