"""Reads the published tools, as `tools/list` returns them, from files of the package.

They could be built from the tools' models, but importing those takes a fifth of the start-up time.
`scripts/docs` writes the files (`mailmcp.server.publishing`), and tests compare them with the models.
"""

import json
from importlib import resources
from typing import Any, Final

from mcp.types import Tool

from mcp_envelope import Dialect

FOLDER: Final = "schemas"
"""Next to this module; one file for each dialect."""


def read_published(dialect: Dialect, *, lean_rows: bool = False, saving: bool = False) -> dict[str, Tool]:
    """Read the published tools of a dialect by name, in the order of the list.

    Args:
        dialect: The shape of the output schemas.
        lean_rows: Whether listed messages leave out what their ids already say.
        saving: Whether files can be saved: a tool that may save one is not read-only.
    """
    file = resources.files("mailmcp.server") / FOLDER / f"{dialect.value}.json"
    published: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    tools: dict[str, dict[str, Any]] = {tool["name"]: tool for tool in published["tools"]}
    for setting, is_on in (("lean_rows", lean_rows), ("saving", saving)):
        if is_on:
            for name, changes in published[setting].items():
                tools[name] |= changes
    return {name: Tool.model_validate(each) for name, each in tools.items()}
