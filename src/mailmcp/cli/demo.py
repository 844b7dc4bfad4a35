"""`mailmcp demo`: serves a sample mailbox from memory; no account, nothing to configure."""

import importlib.util
import sys
from datetime import UTC, datetime

import click

from mailmcp.cli.options import reply_options
from mailmcp.cli.serve import serve
from mailmcp.imap.account import Account, Tls
from mailmcp.server.logs import configure_logging
from mailmcp.settings.model import ServerTable, Settings
from mailmcp.tools.preferences import Owner, Preferences

if importlib.util.find_spec("pymap") is None:
    sys.exit("mailmcp: the demo needs its embedded server: pip install 'mailmcp[demo]'")

from mailmcp.demo.sample.account import make_sample
from mailmcp.demo.sample.people import OWNER
from mailmcp.demo.server import EmbeddedServer


@click.command()
@reply_options
def command(**overrides: object) -> None:
    """Serve a sample mailbox of some 200 messages over MCP, until stdin closes."""
    given = {name: value for name, value in overrides.items() if value is not None}
    table = ServerTable.model_validate(given)
    configure_logging(table.log_level, as_json=table.log_format == "json")
    with EmbeddedServer(mailboxes=make_sample(datetime.now(UTC))) as embedded:
        account = Account(
            account_id="demo",
            host=embedded.host,
            port=embedded.port,
            user=embedded.user,
            read_password=lambda: embedded.password,
            tls=Tls.NONE,
        )
        owner = Owner(names=(OWNER.display_name,), addresses=(OWNER.addr_spec,))
        serve(
            Settings(
                server=table,
                accounts=(account,),
                source=None,
                warnings=(),
                preferences=Preferences(owners={account.account_id: owner}),
            )
        )
