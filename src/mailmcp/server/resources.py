"""Resources: their lists, what was read of one, and the JSON-RPC errors of reads."""

from base64 import b64encode
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    BlobResourceContents,
    EmptyResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mailmcp.model.resource_uri import (
    ATTACHMENT_TEMPLATE,
    MAILBOX_TEMPLATE,
    MESSAGE_TEMPLATE,
    RAW_TEMPLATE,
    format_mailboxes_uri,
)
from mailmcp.server.users import Users
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
}
"""Those of the rest are INTERNAL_ERROR."""

_TEXT_TYPE: Final = "text/markdown"

TEMPLATES: Final = (
    ResourceTemplate(
        name="mailbox",
        title="Mailbox",
        uri_template=MAILBOX_TEMPLATE,
        description="The newest messages of a mailbox, as from imap_search_messages. Can be subscribed to.",
        mime_type=_TEXT_TYPE,
    ),
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


async def list_resources(
    context: ServerRequestContext[Users], _params: PaginatedRequestParams | None
) -> ListResourcesResult:
    """List one resource for each account: its mailboxes. Messages are too many to list."""
    resources = [
        Resource(
            name=f"mailboxes of {account.account_id}",
            title=f"Mailboxes of {account.account_id}",
            uri=format_mailboxes_uri(account.account_id),
            description="The mailboxes of the account, as from imap_list_mailboxes. Can be subscribed to.",
            mime_type=_TEXT_TYPE,
        )
        for account in context.lifespan_context.accounts_of(context)
    ]
    return ListResourcesResult(resources=resources)


async def list_templates(
    _context: ServerRequestContext[Users], _params: PaginatedRequestParams | None
) -> ListResourceTemplatesResult:
    """List what else can be read."""
    return ListResourceTemplatesResult(resource_templates=list(TEMPLATES))


def make_reply(uri: str, read: Outcome[Any] | Octets | ToolError, request: Request) -> ReadResourceResult:
    """Format an outcome as text, and octets as they are; raise an MCPError if the read failed."""
    if isinstance(read, ToolError):
        raise rpc_error(read, request, uri)
    if isinstance(read, Octets):
        blob = b64encode(read.octets).decode("ascii")
        contents = BlobResourceContents(uri=uri, mime_type=read.content_type, blob=blob)
        return ReadResourceResult(contents=[contents])
    text = TextResourceContents(uri=uri, mime_type=_TEXT_TYPE, text=render_outcome(read))
    return ReadResourceResult(contents=[text])


def make_subscribed(uri: str, added: ToolError | None, request: Request) -> EmptyResult:
    """Make the result of a subscription; raise an MCPError if it failed."""
    if added is not None:
        raise rpc_error(added, request, uri)
    return EmptyResult()


def rpc_error(error: ToolError, request: Request, uri: str) -> MCPError:
    """Make the error of a read, whose result has no place for a failure; `data` has all that is known."""
    code = _CODES.get(error.code, INTERNAL_ERROR)
    if error.code is Code.NOT_FOUND and request.request.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        code = RESOURCE_NOT_FOUND
    message = error.message
    if (action := error.next_action) is not None:  # in the message too: some clients drop the data
        message = f"{message} {action.instruction} ({action.tool})"
    data = {"code": error.code.value, **details_value(error), "request_id": request.request_id, "uri": uri}
    return MCPError(code=code, message=message, data=data)
