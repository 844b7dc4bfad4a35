"""`mailmcp check-reply`: checks a reply of any server; what `mcp-envelope check` does."""

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
    help="The shape that the reply claims.",
)
@click.option(
    "--mode",
    type=click.Choice([each.value for each in Mode]),
    default=Mode.STRICT.value,
    show_default=True,
    help="strict: what mailmcp sends; convention: what the shape asks of anybody's server.",
)
def command(reply: TextIO, envelope: str, mode: str) -> None:
    """List every rule that the reply in FILE, a JSON object, breaks; exit with 1 if there is any."""
    sys.exit(check_file(reply.read(), Dialect(envelope), Mode(mode)))
