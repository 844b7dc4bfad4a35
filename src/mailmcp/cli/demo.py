"""`mailmcp demo`: serves a sample mailbox from memory, without an account or settings."""

import importlib
import os
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import click

from mailmcp.cli.options import fail, load
from mailmcp.cli.serve import run_server
from mailmcp.demo.sample_account import OWNER, load_sample
from mailmcp.imap.account import Account, Password, Tls, Writes
from mailmcp.model.owner import Owner
from mailmcp.settings.model import AccountTable
from mailmcp.settings.sources import variable


@click.command()
def demo() -> None:
    """Serve a sample mailbox of 60 messages.

    Needs no account. Reads no settings file, but the variables for [server], [attachments] and [search].
    Mail can be organized there; it lasts as long as the demo, and so does the journal of changes.
    """
    of_accounts = {variable(key) for key in AccountTable.model_fields}
    environ = {name: value for name, value in os.environ.items() if name not in of_accounts}
    settings = load(Path(os.devnull), environ=environ, needs_account=False)
    try:
        # Loaded here: it can't be loaded without the extra.
        server = importlib.import_module("mailmcp.demo.server")
    except ModuleNotFoundError:
        fail(
            "the demo needs the extra `demo`. In a checkout, install it with: "
            "pip install ./src/mcp-envelope '.[demo]'"
        )
    with server.EmbeddedServer(mailboxes=load_sample(datetime.now(UTC))) as embedded:
        account = account_of(embedded)
        owner = Owner(names=(OWNER.display_name,), addresses=(OWNER.addr_spec,))
        journal = Path(mkdtemp(prefix="mailmcp-demo-"))
        preferences = replace(
            settings.preferences, owners={account.account_id: owner}, journal_folder=journal
        )
        run_server(
            replace(settings, accounts=(account,), preferences=preferences),
            source="the sample mailbox",
            clean_up=partial(rmtree, journal, ignore_errors=True),
        )


def account_of(embedded: Any) -> Account:
    """Return the account of an `EmbeddedServer`."""
    return Account(
        account_id="demo",
        host=embedded.host,
        port=embedded.port,
        user=embedded.user,
        credentials=Password(lambda: str(embedded.password)),
        tls=Tls.NONE,
        writes=Writes.ORGANIZE,
        special_uses={name: f"\\{name}" for name in ("Archive", "Drafts", "Junk", "Sent", "Trash")},
    )
