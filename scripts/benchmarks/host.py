"""What a desktop host does: starts a server, speaks MCP with it over stdio, calls its tools."""

import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import psutil
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult, TextContent
from scripts.benchmarks.plan import CALL_TIMEOUT_S

from servers.dovecot import Login

COMMAND = Path(sys.executable).with_name("mailmcp")
_LOG_SHOWN_CHARS = 4_000


def serve_command(host: str, port: int, login: Login) -> StdioServerParameters:
    """Write how mailmcp is started for the one account of a mail server."""
    return StdioServerParameters(
        command=os.fspath(COMMAND),
        args=["serve"],
        env={
            "MAILMCP_HOST": host,
            "MAILMCP_PORT": str(port),
            "MAILMCP_USER": login.user,
            "MAILMCP_PASSWORD": login.password,
            "MAILMCP_TLS": "none",
        },
    )


@asynccontextmanager
async def connected(server: StdioServerParameters) -> AsyncIterator[Client]:
    """Start a server and agree with it on a protocol version; errors get the end of its log as a note."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        try:
            async with Client(
                stdio_client(server, errlog=log), read_timeout_seconds=CALL_TIMEOUT_S
            ) as client:
                yield client
        except Exception as error:
            log.seek(0)
            error.add_note(f"The server's log:\n{log.read()[-_LOG_SHOWN_CHARS:]}")
            raise


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A running mailmcp, its tools listed."""

    client: Client
    process: psutil.Process

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[CallToolResult, float]:
        """Call a tool.

        The time ends with the parsed result. What Python's client does after that, comparing
        the structured content with its schema, is no work of the server's, and other clients
        do it in other ways: it is done, and not counted.

        Returns:
            The result and the milliseconds it took.
        """
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=dict(arguments)))
        began = perf_counter()
        result = await self.client.session.send_request(request, CallToolResult)
        elapsed_ms = (perf_counter() - began) * 1000
        if not result.is_error:
            await self.client.session.validate_tool_result(tool, result)
        return result, elapsed_ms

    async def call_well(self, tool: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], float]:
        """Call a tool as `call` does, and return its `data`.

        Raises:
            RuntimeError: The reply is an error.
        """
        result, elapsed_ms = await self.call(tool, arguments)
        if result.is_error or result.structured_content is None:
            raise RuntimeError(f"{tool} failed: {text_of(result)}")
        data = result.structured_content["data"]
        assert isinstance(data, dict)  # noqa: S101 - its schema was checked
        return data, elapsed_ms


def text_of(result: CallToolResult) -> str:
    """Return the text that a model reads."""
    return "\n".join(each.text for each in result.content if isinstance(each, TextContent))


@asynccontextmanager
async def hosted(
    host: str,
    port: int,
    login: Login,
    *,
    variables: Mapping[str, str] | None = None,
    program: Sequence[str] = (os.fspath(COMMAND),),
) -> AsyncIterator[Host]:
    """Start mailmcp, or a program that takes its arguments, for a mail server, and list its tools.

    It knows nothing of the server from earlier processes, unless `variables` name their XDG_CACHE_HOME.
    """
    before = set(psutil.Process().children())
    command = serve_command(host, port, login)
    command.command, command.args = program[0], [*program[1:], *command.args]
    with tempfile.TemporaryDirectory() as cache:
        command.env = {**(command.env or {}), "XDG_CACHE_HOME": cache, **(variables or {})}
        async with connected(command) as client:
            await client.list_tools()
            (process,) = set(psutil.Process().children()) - before
            yield Host(client=client, process=process)
