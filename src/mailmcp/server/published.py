"""What is published before anything works: the tools, as `tools/list` gives them, from data of the package.

The models say the same, and take a fifth of the start to load. `scripts/docs` writes the
data of them (see `mailmcp.server.publishing`), and the tests hold the two against each other.
"""

import json
from importlib import resources
from typing import Any, Final

from mcp.types import Tool

from mcp_envelope import Dialect

FOLDER: Final = "schemas"
"""Beside this module: one file a dialect."""


def read_published(dialect: Dialect, *, lean_rows: bool = False, saving: bool = False) -> dict[str, Tool]:
    """Read the tools as they are published in a dialect, by name, in the order in which they are listed.

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
    return {name: Tool.model_validate(each) for name, each in members.items()}
