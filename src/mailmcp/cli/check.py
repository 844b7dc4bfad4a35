"""`mailmcp check`: connects to the accounts and reports what works."""

import importlib
import sys
from pathlib import Path

import click

from mailmcp.cli.options import (
    NAME_THE_USER,
    account_argument,
    choose_accounts,
    config_option,
    load,
    user_option,
)
from mailmcp.imap.account import Account, Tls
from mailmcp.imap.connect import connect, log_in
from mailmcp.imap.errors import translate_errors
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.imap.session import Session
from mailmcp.server.logs import configure_logging
from mailmcp.wording import counted
from mcp_envelope import ToolError


@click.command()
@config_option
@user_option
@account_argument
def check(config: Path | None, user: str | None, account_id: str | None) -> None:
    """Report whether your accounts work.

    Connects to each, or only to ACCOUNT_ID. Exits with 1 if an account fails, and with 2 if the settings have
    errors.
    """
    settings = load(config)
    configure_logging("warning")
    chosen = choose_accounts(settings, account_id)
    if (settings.oauth is None) != (user is None):
        raise click.UsageError(
            NAME_THE_USER if settings.oauth else "--user needs [http.oauth] in the settings."
        )
    if settings.oauth and user:
        hosted = importlib.import_module("mailmcp.cli.hosted")  # which loads a web server
        chosen = [hosted.make_account(settings, settings.oauth, user)]
    for warning in settings.warnings:
        click.echo(f"warning: {warning}", err=True)
    is_ok = True
    for account in chosen:
        tls = "plain text" if account.tls is Tls.NONE else f"TLS {account.tls.value}"
        click.echo(f"{account.account_id}: {account.host}:{account.port}, {tls}")
        works, said = check_account(account)
        is_ok = is_ok and works
        click.echo(f"  {said}")
    sys.exit(0 if is_ok else 1)


def check_account(account: Account) -> tuple[bool, str]:
    """Sign in and list the mailboxes; return whether that works, and the result as a sentence."""
    session = Session(account)
    try:
        connect(session)
        log_in(session)
        with translate_errors(account.account_id):
            mailboxes = counted(len(list_mailboxes(session)), "mailbox", "mailboxes")
        session.log_out()
    except ToolError as failed:
        return False, failed.message
    finally:
        session.discard()
    return True, f"Signed in; {mailboxes}."
