"""Reads MCP resources: the mailboxes of an account, messages, their sources and their attachments.

`mailmcp.server.resource_lists` lists them. A failure is a JSON-RPC error (`mailmcp.server.rpc_error`).
"""

import secrets
from base64 import b64encode
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final

from mcp.shared.exceptions import MCPError
from mcp.types import BlobResourceContents, ErrorData, ReadResourceResult, TextResourceContents

from mailmcp.server.resource_lists import TEXT_TYPE
from mailmcp.server.rpc_error import rpc_error
from mailmcp.tools.read_resource import Octets, read_resource
from mailmcp.tools.tool import Call
from mcp_envelope import Outcome, ToolError, Trace
from mcp_envelope.server.calls import Call as Request
from mcp_envelope.server.calls import Calls
from mcp_envelope.server.progress import Send, send_nothing
from mcp_envelope.text import render_outcome

_OCTETS_TTL_MS: Final = 3_600_000
"""The octets of a UID never change while UIDVALIDITY stays the same (RFC 9051 section 2.3.1.1)."""


async def read(
    calls: Calls[Call],
    open_call: Callable[[Request], AbstractContextManager[Call]],
    uri: str,
    *,
    revision: str,
    trace: Trace | None = None,
    send_progress: Send = send_nothing,
) -> ReadResourceResult:
    """Read a resource.

    Raises:
        MCPError: The read failed; the error code depends on the protocol's `revision`.
    """

    async def work(request: Request) -> Outcome[Any] | Octets:
        with open_call(request) as call:
            return await read_resource(uri, call)

    def reply(result: Outcome[Any] | Octets | ToolError, request: Request) -> ReadResourceResult | ErrorData:
        if isinstance(result, ToolError):
            return rpc_error(result, request_id=request.request_id, uri=uri, revision=revision)
        return _contents(uri, result)

    replied = await calls.answer("resources/read", work, reply, trace=trace, send_progress=send_progress)
    if isinstance(replied, ErrorData):
        raise MCPError.from_error_data(replied)
    return replied


def _contents(uri: str, result: Outcome[Any] | Octets) -> ReadResourceResult:
    if isinstance(result, Octets):
        blob = b64encode(result.octets).decode("ascii")
        return ReadResourceResult(
            contents=[BlobResourceContents(uri=uri, mime_type=result.content_type, blob=blob)],
            ttl_ms=_OCTETS_TTL_MS,
        )
    text = render_outcome(result, marker=secrets.token_hex(6))
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=TEXT_TYPE, text=text)])
