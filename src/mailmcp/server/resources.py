"""Mail as MCP resources: the mailboxes of an account, messages, their source, their attachments.

Templates name what can be read; the list holds one entry an account, made without a connection.
A failure is a JSON-RPC error (see `mailmcp.server.rpc_error`).
"""

import secrets
from base64 import b64encode
from collections.abc import Sequence
from typing import Any, Final

from mcp.server.caching import CacheableMethod, CacheHint
from mcp.shared.exceptions import MCPError
from mcp.types import (
    BlobResourceContents,
    ErrorData,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from mailmcp.envelope.errors import MailError
from mailmcp.envelope.meta import Trace
from mailmcp.envelope.outcome import Outcome
from mailmcp.envelope.text import render_outcome
from mailmcp.imap.account import Account
from mailmcp.mail.uri import ATTACHMENT_TEMPLATE, MESSAGE_TEMPLATE, RAW_TEMPLATE, format_mailboxes_uri
from mailmcp.server.calls import Calls, Request
from mailmcp.server.progress import Send, send_nothing
from mailmcp.server.rpc_error import rpc_error
from mailmcp.tools.read_resource import Octets, read_resource
from mailmcp.tools.tool import Call

_TEXT_TYPE: Final = "text/markdown"

_LISTS_TTL_MS: Final = 3_600_000
"""Lists and templates change only with the settings, that is, with a new process."""

_TEXT_TTL_MS: Final = 60_000
"""Text has flags and counts in it, which change."""

_OCTETS_TTL_MS: Final = 3_600_000
"""The octets of a UID never change under one UIDVALIDITY (RFC 9051 section 2.3.1.1)."""

CACHE_HINTS: Final[dict[CacheableMethod, CacheHint]] = {
    "resources/list": CacheHint(ttl_ms=_LISTS_TTL_MS, scope="private"),
    "resources/templates/list": CacheHint(ttl_ms=_LISTS_TTL_MS, scope="public"),
    "resources/read": CacheHint(ttl_ms=_TEXT_TTL_MS, scope="private"),
}

TEMPLATES: Final = (
    ResourceTemplate(
        name="message",
        title="Message",
        uri_template=MESSAGE_TEMPLATE,
        description="A message as text, as imap_get_message gives it.",
        mime_type=_TEXT_TYPE,
    ),
    ResourceTemplate(
        name="message_raw",
        title="Message source",
        uri_template=RAW_TEMPLATE,
        description="A message as it is stored, octet by octet.",
        mime_type="message/rfc822",
    ),
    ResourceTemplate(
        name="attachment",
        title="Attachment",
        uri_template=ATTACHMENT_TEMPLATE,
        description="An attachment, or any other part of a message, decoded.",
    ),
)


def list_resources(accounts: Sequence[Account]) -> list[Resource]:
    """List the mailboxes of each account as one resource; messages are too many to be listed."""
    return [
        Resource(
            name=f"mailboxes of {account.account_id}",
            title=f"Mailboxes of {account.account_id}",
            uri=format_mailboxes_uri(account.account_id),
            description="The mailboxes of the account, as imap_list_mailboxes gives them.",
            mime_type=_TEXT_TYPE,
        )
        for account in accounts
    ]


async def read(
    calls: Calls, uri: str, *, revision: str, trace: Trace | None = None, send_progress: Send = send_nothing
) -> ReadResourceResult:
    """Read a resource.

    Raises:
        MCPError: It cannot be had; `revision` is the protocol's, which assigns the codes.
    """

    async def work(call: Call) -> Outcome[Any] | Octets:
        return await read_resource(uri, call)

    def reply(result: Outcome[Any] | Octets | MailError, request: Request) -> ReadResourceResult | ErrorData:
        if isinstance(result, MailError):
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
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=_TEXT_TYPE, text=text)])
