"""From the models of the tools to what is published of them: what `scripts/docs` writes and tests compare.

A running server reads what was written (`mailmcp.server.published`).
"""

import json
from dataclasses import replace

from mailmcp.tools.registry import TOOLS
from mailmcp.tools.tool import MailTool
from mcp_envelope import Dialect, publish
from mcp_envelope.schema import JsonObject


def publish_all(dialect: Dialect, *, lean_rows: bool = False, saving: bool = False) -> list[JsonObject]:
    """Write all tools as `tools/list` gives them, in their order, as JSON.

    Args:
        dialect: The shape of replies.
        lean_rows: Whether listed messages leave out what their ids say already.
        saving: Whether there is a folder to save files in: a tool that may write there is not
            read-only, though it leaves the mail as it is.
    """
    published = (publish(_as_set(tool, lean_rows=lean_rows, saving=saving), dialect) for tool in TOOLS)
    return [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in published]


def _as_set(tool: MailTool, *, lean_rows: bool, saving: bool) -> MailTool:
    """Return the tool as the settings make it."""
    if lean_rows and tool.lean_data is not None:
        tool = replace(tool, data=tool.lean_data)
    if saving and tool.saves_files:
        tool = replace(tool, read_only=False, destructive=False)  # it writes new files and overwrites none
    return tool


def write_published(dialect: Dialect) -> str:
    """Write the file that a server of this dialect reads.

    It has the tools as they are without any setting, and for each setting that matters the
    members, by the tool's name, that differ.
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
