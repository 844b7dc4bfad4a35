"""Resources: their lists, what was read of one, and the JSON-RPC errors of requests other than tool calls."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any, Final

from mcp.server.caching import CacheableMethod, CacheHint
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    BlobResourceContents,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mailmcp.imap.account import Account
from mailmcp.model.resource_uri import (
    ATTACHMENT_TEMPLATE,
    MESSAGE_TEMPLATE,
    RAW_TEMPLATE,
    format_mailboxes_uri,
)
from mailmcp.tools.read_resource import Octets
from mcp_envelope import Code, Outcome, ToolError
from mcp_envelope.render import render_outcome
from mcp_envelope.server import Call as Request
from mcp_envelope.values import details_value

RESOURCE_NOT_FOUND: Final = -32002
"""Until 2025-11-25. Later revisions use INVALID_PARAMS (SEP-2164)."""

_CODES: Final = {
    Code.INVALID_INPUT: INVALID_PARAMS,
    Code.NOT_FOUND: INVALID_PARAMS,
    Code.AUTH_FAILED: INVALID_REQUEST,
    Code.CONFLICT: INVALID_REQUEST,
    Code.TIMEOUT: INTERNAL_ERROR,
    Code.INTERNAL: INTERNAL_ERROR,
}

_TEXT_TYPE: Final = "text/markdown"
_LISTS_TTL_MS: Final = 3_600_000
"""Lists and templates change only with the settings, and so with a new process."""

_TEXT_TTL_MS: Final = 60_000
"""Text shows flags and counts, which change."""

_OCTETS_TTL_MS: Final = 3_600_000
"""The octets of a UID never change while UIDVALIDITY stays the same (RFC 9051 section 2.3.1.1)."""

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
        description="A message as text, as from imap_get_message.",
        mime_type=_TEXT_TYPE,
    ),
    ResourceTemplate(
        name="message_raw",
        title="Message source",
        uri_template=RAW_TEMPLATE,
        description="A message exactly as stored.",
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
    """List one resource for each account: its mailboxes. Messages are too many to list."""
    return [
        Resource(
            name=f"mailboxes of {account.account_id}",
            title=f"Mailboxes of {account.account_id}",
            uri=format_mailboxes_uri(account.account_id),
            description="The mailboxes of the account, as from imap_list_mailboxes.",
            mime_type=_TEXT_TYPE,
        )
        for account in accounts
    ]


def make_reply(
    uri: str, revision: str, read: Outcome[Any] | Octets | ToolError, request: Request
) -> ReadResourceResult:
    """Format an outcome as text, and octets as they are.

    Raises:
        MCPError: It is a failure, as `revision` of the protocol has it.
    """
    if isinstance(read, ToolError):
        raise rpc_error(read, request_id=request.request_id, uri=uri, revision=revision)
    if isinstance(read, Octets):
        blob = b64encode(read.octets).decode("ascii")
        return ReadResourceResult(
            contents=[BlobResourceContents(uri=uri, mime_type=read.content_type, blob=blob)],
            ttl_ms=_OCTETS_TTL_MS,
        )
    text = render_outcome(read)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=_TEXT_TYPE, text=text)])


def rpc_error(error: ToolError, *, request_id: str, uri: str = "", revision: str = "") -> MCPError:
    """Make the error of a request whose result has no place for a failure; `data` has all that is known.

    Args:
        error: The failure.
        request_id: The id under which the log has it.
        uri: The requested resource. Old revisions have an error code for a missing one.
        revision: The protocol revision that was negotiated.
    """
    code = _CODES[error.code]
    if error.code is Code.NOT_FOUND and uri and revision not in MODERN_PROTOCOL_VERSIONS:
        code = RESOURCE_NOT_FOUND
    message = error.message
    if (action := error.next_action) is not None:  # in the message too: some clients drop the data
        message = f"{message} {action.instruction} ({action.tool})"
    data = {"code": error.code.value, **details_value(error), "request_id": request_id}
    return MCPError(code=code, message=message, data=data | ({"uri": uri} if uri else {}))
