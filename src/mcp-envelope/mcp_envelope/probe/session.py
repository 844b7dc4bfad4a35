"""One server, started, asked and stopped: its list of tools, and what they replied to each kind of call."""

import logging
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import IO, Any, Final, TextIO, cast

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import (
    CONNECTION_CLOSED,
    REQUEST_TIMEOUT,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
)
from mcp_types import Tool as PublishedTool
from pydantic import ValidationError
from typing_extensions import override

JsonObject = dict[str, Any]

PAGES_MAX: Final = 20
"""Pages of `tools/list` that are read at most: some servers have no last one."""

_FAILURES: Final = (OSError, MCPError, ValidationError, RuntimeError, ValueError)
"""What the SDK raises if it can't talk to a server."""


class Kind(StrEnum):
    """Why a call was made."""

    VALID = "valid call"
    NEXT = "next call"
    """Offered by a reply, as its next action or its cursor."""

    MISSING = "missing argument"
    UNKNOWN = "unknown argument"
    MISTYPED = "mistyped argument"


class StartError(Exception):
    """The server couldn't be started, or didn't answer. The message includes the end of its stderr."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The reply to one call."""

    tool: str
    kind: Kind
    arguments: JsonObject
    result: JsonObject | None = None
    """The `CallToolResult`, with the keys that were sent; None if there is none."""

    error: str = ""
    """The error, if there is no result."""

    is_refused: bool = False
    """Whether it is a JSON-RPC error, with which a server may refuse arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """What a server says about itself."""

    server: str
    protocol: str
    tools: list[PublishedTool]
    is_cut: bool = False
    """Whether there are more pages of tools than were read."""

    octets: int = 0
    """Of `tools/list`, as compact JSON."""


class Session:
    """A connection to the server."""

    def __init__(self, client: Client, stray: "_StrayLines") -> None:
        """Use a connected client."""
        self._client = client
        self._stray = stray

    @property
    def stray_lines(self) -> int:
        """The number of lines on stdout so far that aren't messages of the protocol."""
        return self._stray.count

    async def list_tools(self) -> Listed:
        """List the tools.

        Raises:
            StartError: The server has no list, or an invalid one.
        """
        tools: list[PublishedTool] = []
        cursor, octets = None, 0
        for _ in range(PAGES_MAX):
            try:
                page = await self._client.list_tools(cursor=cursor)
            except (MCPError, ValidationError, RuntimeError) as error:
                raise StartError(f"tools/list failed: {error}") from None
            tools += page.tools
            octets += len(page.model_dump_json(by_alias=True, exclude_unset=True).encode())
            cursor = page.next_cursor
            if cursor is None:
                break
        info = self._client.server_info
        name = f"{info.name} {info.version}".strip() if info else "unnamed"
        protocol = self._client.protocol_version
        return Listed(server=name, protocol=protocol, tools=tools, is_cut=cursor is not None, octets=octets)

    async def call(self, tool: str, kind: Kind, arguments: Mapping[str, Any]) -> Reply:
        """Call a tool; whatever comes of it is a reply."""
        arguments = dict(arguments)
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments))
        try:
            # Not `call_tool`, which raises where structured content doesn't satisfy its schema.
            result = await self._client.session.send_request(request, CallToolResult)
        except MCPError as error:
            refused = error.code not in {CONNECTION_CLOSED, REQUEST_TIMEOUT}
            said = f"JSON-RPC error {error.code}: {error.message}" if refused else error.message
            return Reply(tool=tool, kind=kind, arguments=arguments, error=said, is_refused=refused)
        except (ValidationError, RuntimeError) as error:
            said = f"the response isn't a tool result: {error}"
            return Reply(tool=tool, kind=kind, arguments=arguments, error=said)
        sent = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return Reply(tool=tool, kind=kind, arguments=arguments, result=sent)


@asynccontextmanager
async def started(
    command: Sequence[str], environment: Mapping[str, str], timeout_s: float
) -> AsyncIterator[Session]:
    """Start a server for as long as the block lasts.

    Args:
        command: The program and its arguments.
        environment: Its environment.
        timeout_s: What its start, and then each of its replies, may take.

    Raises:
        StartError: It didn't start, or didn't answer in time.
    """
    program, *arguments = command
    server = StdioServerParameters(command=program, args=arguments, env=dict(environment))
    session: Session | None = None
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log, _stray_lines() as stray:
        try:
            with anyio.CancelScope(deadline=anyio.current_time() + timeout_s) as starting:
                transport = stdio_client(server, errlog=cast(TextIO, log))
                async with Client(transport, read_timeout_seconds=timeout_s) as client:
                    starting.deadline = float("inf")
                    session = Session(client, stray)
                    yield session
        except (*_FAILURES, ExceptionGroup) as error:
            cause = _cause(error)
            if isinstance(cause, StartError):
                raise cause from None
            if session is not None:
                raise
            raise StartError(f"the server couldn't be started: {cause}{_last_lines(log)}") from None
        if session is None:
            raise StartError(f"the server didn't answer within {timeout_s:g} s{_last_lines(log)}")


class _StrayLines(logging.Handler):
    """Counts the lines on stdout that aren't messages: the SDK's client only logs them."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    @override
    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1


@contextmanager
def _stray_lines() -> Iterator[_StrayLines]:
    """Count stray lines, rather than have the SDK print what a stranger wrote."""
    handler, log = _StrayLines(), logging.getLogger(stdio_client.__module__)
    propagated, log.propagate = log.propagate, False
    log.addHandler(handler)
    try:
        yield handler
    finally:
        log.removeHandler(handler)
        log.propagate = propagated


def _cause(error: BaseException) -> BaseException:
    """Return what a group of errors, which the SDK's task groups make of any, is about."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _last_lines(log: IO[str]) -> str:
    """Return the end of what the server wrote to stderr."""
    log.seek(0, 2)
    log.seek(max(0, log.tell() - 2_000))
    lines = log.read().strip().splitlines()[-5:]
    return "".join(f"\n{line}" for line in lines)
