"""What needs mail: calls of tools, reading of resources, completion, all on one pool.

This module brings with it whatever they need, and is loaded after the first answers
(see `mailmcp.server.on_demand`): nothing that a host waits for at the start may import it.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
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

from mailmcp import REPLY_VERSION
from mailmcp.imap.account import Account
from mailmcp.imap.pool import Pool
from mailmcp.server import resources
from mailmcp.server.completion import Completions
from mailmcp.server.mail_calls import MailCalls
from mailmcp.tools.preferences import Preferences
from mailmcp.tools.registry import TOOLS
from mailmcp.tools.tool import Call
from mcp_envelope import Dialect
from mcp_envelope.server.calls import Calls
from mcp_envelope.server.trace import read_trace

_BY_NAME = {tool.name: tool for tool in TOOLS}

Context = ServerRequestContext[Any]


@asynccontextmanager
async def open_service(
    accounts: Sequence[Account],
    *,
    dialect: Dialect,
    json_text: bool,
    lean_rows: bool,
    call_timeout_s: float,
    preferences: Preferences,
) -> AsyncIterator["Service"]:
    """Serve until the block ends, then close all connections; arguments as `build_server` takes them."""
    async with Pool(accounts, clock=monotonic).opened() as pool:
        mail = MailCalls(pool=pool, preferences=preferences, lean_rows=lean_rows)
        calls = Calls(
            version=REPLY_VERSION,
            context=mail.open,
            dialect=dialect,
            json_text=json_text,
            timeout_s=call_timeout_s,
        )
        yield Service(calls=calls, mail=mail, completions=Completions(calls, mail, clock=monotonic))


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Answers requests, each from its parameters to its result."""

    calls: Calls[Call]
    mail: MailCalls
    completions: Completions

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        """Call one of the tools that are published."""
        return await self.calls.call_tool(
            _BY_NAME[params.name],
            params.arguments or {},
            trace=read_trace(context.meta),
            send_progress=context.session.report_progress,
        )

    async def read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Read a resource.

        Raises:
            MCPError: It cannot be had.
        """
        return await resources.read(
            self.calls,
            self.mail,
            params.uri,
            revision=context.protocol_version,
            trace=read_trace(context.meta),
            send_progress=context.session.report_progress,
        )

    async def complete(self, context: Context, params: CompleteRequestParams) -> CompleteResult:
        """Complete an argument of a resource template.

        Raises:
            MCPError: There is no such argument, or the mail server cannot be asked.
        """
        completion = await self.completions.complete(
            params.ref,
            params.argument.name,
            params.argument.value,
            known=(params.context.arguments if params.context else None) or {},
            trace=read_trace(context.meta),
        )
        return CompleteResult(completion=completion)
