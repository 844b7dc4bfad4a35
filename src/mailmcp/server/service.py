"""What answers the requests that need mail: tool calls, resource reads and completions, all on one pool.

Importing this module loads what a search needs, which is mostly the first call; `_load_rest` has the rest.
Both are imported after the first replies (see `mailmcp.server.on_demand`). Nothing that a host waits for at
start-up may import this module.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    ErrorData,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from mailmcp import REPLY_VERSION, limits
from mailmcp.imap.account import Account
from mailmcp.imap.pool import Pool
from mailmcp.server.completion import Completions
from mailmcp.server.on_demand import OnDemand
from mailmcp.server.options import Options
from mailmcp.server.rpc_error import rpc_error
from mailmcp.tools.search.tool import TOOL as SEARCH
from mailmcp.tools.tool import Call, MailTool, Shared
from mcp_envelope import ToolError
from mcp_envelope.server.calls import Call as Request
from mcp_envelope.server.calls import Calls

ValueT = TypeVar("ValueT")
ResultT = TypeVar("ResultT")

Context = ServerRequestContext[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """What a search doesn't need: the other tools, and reading resources."""

    tools: Mapping[str, MailTool]
    read_resource: Callable[[str, Call], Awaitable[Any]]
    contents_of: Callable[[str, Any], ReadResourceResult]


def _load_rest() -> AbstractAsyncContextManager[Rest]:
    # Imported here: it takes as long as what a search needs.
    from mailmcp.server.resources import contents_of  # noqa: PLC0415
    from mailmcp.tools.read_resource import read_resource  # noqa: PLC0415
    from mailmcp.tools.registry import TOOLS  # noqa: PLC0415

    tools = {tool.name: tool for tool in TOOLS}
    return nullcontext(Rest(tools=tools, read_resource=read_resource, contents_of=contents_of))


@asynccontextmanager
async def open_service(accounts: Sequence[Account], options: Options) -> AsyncIterator["Service"]:
    """Serve until the block ends, then close all connections."""
    async with Pool(accounts, clock=monotonic).opened() as pool:
        shared = Shared(pool=pool, preferences=options.preferences, lean_rows=options.lean_rows)
        calls = Calls(
            version=REPLY_VERSION,
            context=partial(_open_call, shared),
            dialect=options.dialect,
            json_text=options.json_text,
            timeout_s=options.call_timeout_s,
        )
        rest = OnDemand(_load_rest, delay_s=limits.LOAD_REST_DELAY_S)
        async with rest.running():
            rest.announce()
            yield Service(calls=calls, completions=Completions(clock=monotonic), rest=rest)


@contextmanager
def _open_call(shared: Shared, request: Request) -> Iterator[Call]:
    """Open a call. When it ends, add its cost to the reply and its account and mailbox to the log line.

    The log holds nothing of a message. The mailbox is what the caller sent: it need not exist.
    """
    call = shared.begin_call(deadline=request.deadline, report=request.report)
    try:
        yield call
    finally:
        request.telemetry.update(call.telemetry.counted())
        request.log_fields.update(
            account=call.account_id,
            mailbox=call.mailbox,
            imap_round_trips=call.telemetry.imap_round_trips,
            bytes_received=call.telemetry.bytes_received,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Turns the parameters of a request into its result."""

    calls: Calls[Call]
    completions: Completions
    rest: OnDemand[Rest]

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        """Call a published tool.

        Raises:
            LoadError: It can't be loaded.
        """
        tool = SEARCH if params.name == SEARCH.name else (await self.rest.get()).tools[params.name]
        return await self.calls.call_tool(tool, params.arguments or {}, context)

    async def read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Read a resource.

        Raises:
            MCPError: The read failed; the error code depends on the revision of the protocol.
            LoadError: What reads it can't be loaded.
        """
        rest = await self.rest.get()
        return await self._answer(
            context,
            "resources/read",
            partial(rest.read_resource, params.uri),
            partial(rest.contents_of, params.uri),
            uri=params.uri,
        )

    async def complete(self, context: Context, params: CompleteRequestParams) -> CompleteResult:
        """Complete an argument of a resource template.

        Raises:
            MCPError: There is no such argument, or the mail server failed.
        """
        complete = partial(self.completions.complete, params)
        return await self._answer(
            context, "completion/complete", complete, lambda found: CompleteResult(completion=found)
        )

    async def _answer(
        self,
        context: Context,
        method: str,
        work: Callable[[Call], Awaitable[ValueT]],
        make_result: Callable[[ValueT], ResultT],
        *,
        uri: str = "",
    ) -> ResultT:
        """Answer a request whose result can't express failure; raises `MCPError` instead."""

        def reply(result: ValueT | ToolError, request: Request) -> ResultT | ErrorData:
            if isinstance(result, ToolError):
                revision = context.protocol_version
                return rpc_error(result, request_id=request.request_id, uri=uri, revision=revision)
            return make_result(result)

        replied = await self.calls.answer(method, work, reply, context)
        if isinstance(replied, ErrorData):
            raise MCPError.from_error_data(replied)
        return replied
