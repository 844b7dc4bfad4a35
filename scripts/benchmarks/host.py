"""What a desktop host does: starts a server, speaks MCP with it over stdio, calls its tools."""

import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import psutil
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult, TextContent

from servers.dovecot import Login

CALL_TIMEOUT_S = 70.0
"""Longest wait for any one answer, of any server."""

COMMAND = Path(sys.executable).with_name("mailmcp")
_LOG_SHOWN_CHARS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A running mailmcp, its tools listed."""

    client: Client
    process: psutil.Process

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[CallToolResult, float]:
        """Call a tool; return the result and the milliseconds it took.

        The time ends with the parsed result. Checking it against its schema is the client's work.
        """
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=dict(arguments)))
        began = perf_counter()
        result = await self.client.session.send_request(request, CallToolResult)
        return result, (perf_counter() - began) * 1000

    async def data(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool and return its `data`.

        Raises:
            RuntimeError: The reply is an error.
        """
        result, _ = await self.call(tool, arguments)
        return data_of(tool, result)


def data_of(tool: str, result: CallToolResult) -> dict[str, Any]:
    """Return the `data` of a reply. Raises RuntimeError if it is an error."""
    if result.is_error or result.structured_content is None:
        raise RuntimeError(f"{tool} failed: {text_of(result)}")
    data = result.structured_content["data"]
    assert isinstance(data, dict)  # noqa: S101 - as its schema says
    return data


def text_of(result: CallToolResult) -> str:
    """Return the text that a model reads."""
    return "\n".join(each.text for each in result.content if isinstance(each, TextContent))


def serve_command(host: str, port: int, login: Login) -> StdioServerParameters:
    """Write how mailmcp is started for the one account of a mail server."""
    variables = {
        "HOST": host,
        "PORT": str(port),
        "USER": login.user,
        "PASSWORD": login.password,
        "TLS": "none",
    }
    return StdioServerParameters(
        command=os.fspath(COMMAND),
        args=["serve"],
        env={f"MAILMCP_{name}": value for name, value in variables.items()},
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


@asynccontextmanager
async def hosted(host: str, port: int, login: Login) -> AsyncIterator[Host]:
    """Start mailmcp for a mail server, and list its tools. It knows nothing of earlier processes."""
    before = set(psutil.Process().children())
    command = serve_command(host, port, login)
    with tempfile.TemporaryDirectory() as cache:
        command.env = {**(command.env or {}), "XDG_CACHE_HOME": cache}
        async with connected(command) as client:
            await client.list_tools()
            (process,) = set(psutil.Process().children()) - before
            yield Host(client=client, process=process)
