"""What answers the requests that need mail: tool calls, resource reads and completions, all on one pool.

Importing this module loads everything they need, so it is imported after the first replies
(see `mailmcp.server.on_demand`). Nothing that a host waits for at start-up may import it.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    ReadResourceRequestParams,
    ReadResourceResult,
)
from platformdirs import user_cache_path

from mailmcp import REPLY_VERSION
from mailmcp.documents.extractor import Extractor
from mailmcp.imap.account import Account
from mailmcp.imap.kept import KeptFiles
from mailmcp.imap.pool import Pool
from mailmcp.imap.uid_cache import UidCache
from mailmcp.server import resources
from mailmcp.server.completion import Completions
from mailmcp.tools.authserv_ids import AuthservIds
from mailmcp.tools.correspondents import Correspondents
from mailmcp.tools.message_id_cache import MessageIdCache
from mailmcp.tools.preferences import Preferences
from mailmcp.tools.registry import TOOLS
from mailmcp.tools.tool import Call
from mcp_envelope import Dialect
from mcp_envelope.server.calls import Call as Request
from mcp_envelope.server.calls import Calls
from mcp_envelope.server.trace import read_trace

_BY_NAME = {tool.name: tool for tool in TOOLS}

Context = ServerRequestContext[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFactory:
    """Makes the `Call` of each request from what they all share."""

    pool: Pool
    preferences: Preferences
    lean_rows: bool = False
    uid_cache: UidCache = field(default_factory=UidCache)
    extractor: Extractor = field(default_factory=Extractor)
    message_id_cache: MessageIdCache = field(default_factory=MessageIdCache)
    authserv_ids: AuthservIds = field(default_factory=AuthservIds)
    correspondents: dict[str, Correspondents] = field(default_factory=dict)

    @contextmanager
    def open(self, request: Request) -> Iterator[Call]:
        """Open a call. When it ends, add its cost to the reply and its account and mailbox to the log line.

        The log holds nothing of a message. The mailbox is what the caller sent: it need not exist.
        """
        call = Call(
            pool=self.pool,
            uid_cache=self.uid_cache,
            deadline=request.deadline,
            today=datetime.now(self.preferences.zone).date(),
            lean_rows=self.lean_rows,
            preferences=self.preferences,
            report=request.report,
            extractor=self.extractor,
            message_id_cache=self.message_id_cache,
            authserv_ids=self.authserv_ids,
            correspondents=self.correspondents,
        )
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


@asynccontextmanager
async def open_service(
    accounts: Sequence[Account],
    *,
    dialect: Dialect,
    json_text: bool,
    lean_rows: bool,
    call_timeout_s: float,
    preferences: Preferences,
    keeps_verdicts: bool,
) -> AsyncIterator["Service"]:
    """Serve until the block ends, then close all connections. Arguments as for `build_server`."""
    kept = None
    if keeps_verdicts:
        kept = KeptFiles(folder=user_cache_path("mailmcp", appauthor=False) / "servers")
    async with Pool(accounts, clock=monotonic, kept=kept).opened() as pool:
        factory = CallFactory(pool=pool, preferences=preferences, lean_rows=lean_rows)
        calls = Calls(
            version=REPLY_VERSION,
            context=factory.open,
            dialect=dialect,
            json_text=json_text,
            timeout_s=call_timeout_s,
        )
        completions = Completions(calls, factory.open, clock=monotonic)
        yield Service(calls=calls, factory=factory, completions=completions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Turns the parameters of a request into its result."""

    calls: Calls[Call]
    factory: CallFactory
    completions: Completions

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        """Call a published tool."""
        return await self.calls.call_tool(
            _BY_NAME[params.name],
            params.arguments or {},
            trace=read_trace(context.meta),
            send_progress=context.session.report_progress,
        )

    async def read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Read a resource.

        Raises:
            MCPError: The read failed.
        """
        return await resources.read(
            self.calls,
            self.factory.open,
            params.uri,
            revision=context.protocol_version,
            trace=read_trace(context.meta),
            send_progress=context.session.report_progress,
        )

    async def complete(self, context: Context, params: CompleteRequestParams) -> CompleteResult:
        """Complete an argument of a resource template.

        Raises:
            MCPError: There is no such argument, or the mail server failed.
        """
        completion = await self.completions.complete(
            params.ref,
            params.argument.name,
            params.argument.value,
            known=(params.context.arguments if params.context else None) or {},
            trace=read_trace(context.meta),
        )
        return CompleteResult(completion=completion)
