"""A `ToolError` as a JSON-RPC error, for requests whose results can't express failure, unlike tool calls."""

from typing import Final

from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, ErrorData
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mailmcp.limits import ERROR_URI_CHARS_MAX
from mcp_envelope import Code, ToolError
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


def rpc_error(error: ToolError, *, request_id: str, uri: str = "", revision: str = "") -> ErrorData:
    """Format a failure. Its `data` holds our code, the reason and the rest of what an envelope would.

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
    shown = uri if len(uri) <= ERROR_URI_CHARS_MAX else f"{uri[:ERROR_URI_CHARS_MAX]}…"
    return ErrorData(code=code, message=message, data=data | ({"uri": shown} if uri else {}))
