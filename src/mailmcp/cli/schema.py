"""`mailmcp schema`: the tools as they are published, for people and for snapshots."""

import json
from typing import get_args

import click

from mailmcp.envelope.dialects.names import Dialect
from mailmcp.envelope.dialects.registry import shape_named
from mailmcp.server.app import publish
from mailmcp.settings.model import RowForm
from mailmcp.tools.registry import TOOLS


@click.command()
@click.argument("tool", required=False)
@click.option(
    "--envelope",
    type=click.Choice([each.value for each in Dialect]),
    default=Dialect.SUMMARY.value,
    show_default=True,
    help="Shape of replies, which the output schemas follow.",
)
@click.option("--rows", type=click.Choice(get_args(RowForm)), default="full", show_default=True)
def command(tool: str | None, envelope: str, rows: str) -> None:
    """Print TOOL, or all tools, as tools/list gives them: JSON with input and output schemas."""
    names = [each.name for each in TOOLS]
    if tool is not None and tool not in names:
        raise click.BadParameter(f"there is no such tool; tools: {', '.join(names)}")
    shape = shape_named(Dialect(envelope))
    published = [
        publish(each, shape, lean_rows=rows == "lean").model_dump(
            mode="json", by_alias=True, exclude_none=True
        )
        for each in TOOLS
        if tool in {None, each.name}
    ]
    shown = published if tool is None else published[0]
    click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
