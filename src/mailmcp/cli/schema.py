"""`mailmcp schema`: prints the tools with their schemas."""

import json
from typing import get_args

import click

from mailmcp.server.published import read_published
from mailmcp.settings.model import RowForm
from mcp_envelope import Dialect


@click.command()
@click.argument("tool", required=False)
@click.option(
    "--envelope",
    type=click.Choice([each.value for each in Dialect]),
    default=Dialect.SUMMARY.value,
    show_default=True,
    help="Shape of replies, and so of the output schemas.",
)
@click.option(
    "--rows",
    type=click.Choice(get_args(RowForm)),
    default="full",
    show_default=True,
    help="Rows of listed messages; lean rows omit what the message id already says.",
)
def command(tool: str | None, envelope: str, rows: str) -> None:
    """Print TOOL, or all tools, as in tools/list: JSON with input and output schemas."""
    tools = read_published(Dialect(envelope), lean_rows=rows == "lean")
    if tool is not None and tool not in tools:
        raise click.BadParameter(f"there is no such tool. Tools: {', '.join(tools)}")
    printed = [
        each.model_dump(mode="json", by_alias=True, exclude_none=True)
        for name, each in tools.items()
        if tool in {None, name}
    ]
    click.echo(json.dumps(printed if tool is None else printed[0], indent=2, ensure_ascii=False))
