"""`mailmcp check-reply`: checks a reply of any server, like `mcp-envelope check`."""

import sys
from typing import TextIO

import click

from mcp_envelope import Dialect
from mcp_envelope.check import Mode, check_file


@click.command()
@click.argument("reply", type=click.File(encoding="utf-8"), metavar="FILE|-")
@click.option(
    "--envelope",
    type=click.Choice([each.value for each in Dialect]),
    default=Dialect.SUMMARY.value,
    show_default=True,
    help="Shape of the reply.",
)
@click.option(
    "--mode",
    type=click.Choice([each.value for each in Mode]),
    default=Mode.STRICT.value,
    show_default=True,
    help="strict: rules for mailmcp's replies; convention: rules for any server's.",
)
def command(reply: TextIO, envelope: str, mode: str) -> None:
    """List every rule that the reply in FILE, a JSON object, breaks. Exit with 1 if it breaks any."""
    sys.exit(check_file(reply.read(), Dialect(envelope), Mode(mode)))
