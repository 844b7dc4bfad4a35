"""From the models of the tools to what is published of them: what `scripts/docs` writes and tests compare.

A running server reads what was written (`mailmcp.server.published`).
"""

import json
from typing import Any

from mcp.types import Tool as PublishedTool
from mcp.types import ToolAnnotations

from mailmcp.envelope.dialects.names import Dialect
from mailmcp.envelope.dialects.registry import shape_named
from mailmcp.envelope.dialects.shape import WireShape
from mailmcp.envelope.schema import JsonObject, compact_schema
from mailmcp.tools.registry import TOOLS
from mailmcp.tools.tool import Tool


def publish(
    tool: Tool[Any], shape: WireShape, *, lean_rows: bool = False, saving: bool = False
) -> PublishedTool:
    """Write a tool as `tools/list` gives it.

    Args:
        tool: The tool.
        shape: That replies have.
        lean_rows: Whether listed messages leave out what their ids say already.
        saving: Whether there is a folder to save files in: a tool that may write there is not
            read-only, though it leaves the mail as it is.
    """
    saves = tool.saves_files and saving
    data = tool.lean_data if lean_rows and tool.lean_data else tool.data
    return PublishedTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=compact_schema(tool.arguments, mode="validation"),
        output_schema=shape.schema(compact_schema(data), has_status=tool.talks_to_server),
        annotations=ToolAnnotations(
            read_only_hint=tool.read_only and not saves,
            destructive_hint=False if saves else None,  # a new file; none is overwritten
            open_world_hint=tool.talks_to_server,
        ),
    )


def publish_all(dialect: Dialect, *, lean_rows: bool = False, saving: bool = False) -> list[JsonObject]:
    """Write all tools, in their order, as JSON; arguments as `publish` takes them."""
    shape = shape_named(dialect)
    published = (publish(tool, shape, lean_rows=lean_rows, saving=saving) for tool in TOOLS)
    return [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in published]


def write_published(dialect: Dialect) -> str:
    """Write the file that a server of this dialect reads.

    It has the tools as they are without any setting, and for each setting that matters the
    members, by the tool's name, that differ.
    """
    plain = publish_all(dialect)
    document = {
        "unknown_tool_code": shape_named(dialect).unknown_tool_code,
        "tools": plain,
        "lean_rows": _differences(plain, publish_all(dialect, lean_rows=True)),
        "saving": _differences(plain, publish_all(dialect, saving=True)),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _differences(plain: list[JsonObject], varied: list[JsonObject]) -> JsonObject:
    return {
        before["name"]: {key: value for key, value in after.items() if value != before[key]}
        for before, after in zip(plain, varied, strict=True)
        if after != before
    }
