"""What is published before anything works: the tools, as `tools/list` gives them, from data of the package.

The models say the same, and take a fifth of the start to load. `scripts/docs` writes the
data of them (see `mailmcp.server.publishing`), and the tests hold the two against each other.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from mcp.types import Tool

from mailmcp.envelope.dialects.names import Dialect

FOLDER: Final = "schemas"
"""Beside this module: one file a dialect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The tools of a server, and what it says when asked for another one."""

    tools: Mapping[str, Tool]
    """By name, in the order in which they are listed."""

    unknown_tool_code: str
    """Ours, as the dialect spells it."""


def read_published(dialect: Dialect, *, lean_rows: bool = False, saving: bool = False) -> Published:
    """Read what is published in a dialect.

    Args:
        dialect: Which the output schemas follow.
        lean_rows: Whether listed messages leave out what their ids say already.
        saving: Whether there is a folder to save files in: a tool that may write there is not read-only.
    """
    file = resources.files("mailmcp.server") / FOLDER / f"{dialect.value}.json"
    written: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    members: dict[str, dict[str, Any]] = {tool["name"]: tool for tool in written["tools"]}
    for setting, is_chosen in (("lean_rows", lean_rows), ("saving", saving)):
        if is_chosen:
            for name, differing in written[setting].items():
                members[name] |= differing
    return Published(
        tools={name: Tool.model_validate(each) for name, each in members.items()},
        unknown_tool_code=written["unknown_tool_code"],
    )
