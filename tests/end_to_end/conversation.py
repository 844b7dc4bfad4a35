"""The real client of the SDK over stdio to a real process, spoken to from synchronous tests."""

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from anyio.from_thread import BlockingPortal, start_blocking_portal
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, TextContent, Tool

TIMEOUT_S = 30.0


class Conversation:
    """One client and its server, for one `with` block.

    Args:
        config: The settings file.
        mode: `legacy` for the protocol before 2026-07-28, `auto` for what is newest.
        options: Of `mailmcp serve`.
        folder: Gets what the server writes to stderr.
    """

    def __init__(self, config: Path, *, mode: str, options: tuple[str, ...] = (), folder: Path) -> None:
        coverage = {name: value for name, value in os.environ.items() if name.startswith("COV")}
        self._parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "mailmcp", "serve", "--config", str(config), *options],
            env={**coverage, "XDG_CACHE_HOME": str(folder / "cache")},
        )
        self._mode = mode
        self._folder = folder

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            errors = stack.enter_context((self._folder / "stderr.txt").open("w", encoding="utf-8"))
            self._portal: BlockingPortal = stack.enter_context(start_blocking_portal())
            client = Client(
                stdio_client(self._parameters, errlog=errors), mode=self._mode, read_timeout_seconds=TIMEOUT_S
            )
            self.client = stack.enter_context(self._portal.wrap_async_context_manager(client))
            self.tools: dict[str, Tool] = {tool.name: tool for tool in self._list_tools()}
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._cleanup.close()

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> CallToolResult:
        """Call a tool; whatever comes back fits the schema that was published for it."""
        result: CallToolResult = self._portal.call(self.client.call_tool, tool, dict(arguments or {}))
        schema = self.tools[tool].output_schema
        assert schema is not None
        Draft202012Validator(schema).validate(result.structured_content)
        return result

    def call_unpublished(self, tool: str) -> CallToolResult:
        """Call a tool that there may not be."""
        result: CallToolResult = self._portal.call(self.client.call_tool, tool, {})
        return result

    def _list_tools(self) -> list[Tool]:
        tools: list[Tool] = self._portal.call(self.client.list_tools).tools
        return tools


def text_of(result: CallToolResult) -> str:
    """Give the text channel."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text
