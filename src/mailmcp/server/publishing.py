"""Builds the published tools from their models, for `scripts/docs` to write and tests to compare.

A running server reads the files (`mailmcp.server.published`).
"""

import json
from dataclasses import replace

from mailmcp.tools.registry import TOOLS
from mailmcp.tools.tool import MailTool
from mcp_envelope import Dialect, publish
from mcp_envelope.schema import JsonObject


def publish_all(dialect: Dialect, *, lean_rows: bool = False, saving: bool = False) -> list[JsonObject]:
    """Build the JSON of all tools, as `tools/list` returns them. Arguments as for `read_published`."""
    published = (publish(_with_settings(tool, lean_rows, saving), dialect) for tool in TOOLS)
    return [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in published]


def _with_settings(tool: MailTool, lean_rows: bool, saving: bool) -> MailTool:  # noqa: FBT001 - private
    if lean_rows and tool.lean_data is not None:
        tool = replace(tool, data=tool.lean_data)
    if saving and tool.saves_files:
        tool = replace(tool, read_only=False, destructive=False)  # it writes new files and overwrites none
    return tool


def write_published(dialect: Dialect) -> str:
    """Build the text of the file that a server of this dialect reads.

    It holds the tools without any setting and, for each setting, what it changes, by tool name.
    """
    plain = publish_all(dialect)
    document = {
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
