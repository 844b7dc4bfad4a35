"""`mailmcp check`: connects to the accounts and reports what works."""

import sys
from pathlib import Path
from textwrap import indent
from time import perf_counter

import click

from mailmcp.cli.options import config_option, load
from mailmcp.imap.account import Account, Tls
from mailmcp.imap.connect import connect, log_in
from mailmcp.imap.errors import translate_errors
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.imap.session import Session
from mailmcp.server.logs import configure_logging
from mailmcp.wording import counted
from mcp_envelope import ToolError

USEFUL_CAPABILITIES = ("ESEARCH", "LIST-STATUS", "SPECIAL-USE", "ID", "LITERAL+", "OBJECTID", "SORT")
"""Those that mailmcp uses. None is required."""


@click.command()
@config_option
@click.argument("account_id", required=False)
def check(config: Path | None, account_id: str | None) -> None:
    """Report whether your accounts work.

    Connects to each, or only to ACCOUNT_ID. Exits with 1 if an account fails, and with 2 if the settings have
    errors.
    """
    settings = load(config)
    configure_logging("warning")
    known = [account.account_id for account in settings.accounts]
    if account_id is not None and account_id not in known:
        raise click.BadParameter(f"there is no such account. The accounts are: {', '.join(known)}")
    for warning in settings.warnings:
        click.echo(f"warning: {warning}", err=True)
    is_ok = True
    for account in settings.accounts:
        if account_id in {None, account.account_id}:
            tls = "plain text" if account.tls is Tls.NONE else f"TLS {account.tls.value}"
            click.echo(f"{account.account_id}: {account.host}:{account.port}, {tls}")
            works, said = check_account(account)
            is_ok = is_ok and works
            click.echo(indent(said, "  "))
    sys.exit(0 if is_ok else 1)


def check_account(account: Account) -> tuple[bool, str]:
    """Sign in and list the mailboxes; return whether that works, and the result as lines for the user."""
    began = perf_counter()
    session = Session(account)
    try:
        connect(session)
        log_in(session)
        extensions = " ".join(name for name in USEFUL_CAPABILITIES if session.can(name))
        with translate_errors(account.account_id):
            mailboxes = counted(len(list_mailboxes(session)), "mailbox", "mailboxes")
        session.log_out()
    except ToolError as failed:
        return False, failed.message
    finally:
        session.discard()
    took_ms = round((perf_counter() - began) * 1000)
    return True, f"Signed in; {mailboxes} ({took_ms} ms).\nUseful extensions: {extensions or 'none'}"
