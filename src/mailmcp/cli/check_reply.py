"""`mailmcp check-reply`: holds any reply, of any server, against the rules of a dialect."""

import json
import sys
from typing import TextIO

import click

from mcp_envelope import Dialect, check_reply


@click.command()
@click.argument("reply", type=click.File(encoding="utf-8"), metavar="FILE|-")
@click.option(
    "--envelope",
    type=click.Choice([each.value for each in Dialect]),
    default=Dialect.SUMMARY.value,
    show_default=True,
    help="The shape that the reply claims.",
)
def command(reply: TextIO, envelope: str) -> None:
    """List every rule that the reply in FILE, a JSON object, breaks; exit with 1 if there is any."""
    try:
        broken = check_reply(_parse(reply), Dialect(envelope))
    except RecursionError:
        raise click.BadParameter("it is nested too deeply", param_hint="FILE") from None
    for rule in broken:
        click.echo(rule)
    count = f"{len(broken)} rule{'' if len(broken) == 1 else 's'} broken"
    click.echo(count if broken else "in order", err=True)
    sys.exit(1 if broken else 0)


def _parse(reply: TextIO) -> object:
    try:
        return json.load(reply)
    except ValueError as error:
        raise click.BadParameter(f"it is not JSON: {error}", param_hint="FILE") from None
