"""A `ToolError` as a JSON-RPC error: for requests that have no result for failures, as calls of tools do."""

from typing import Final

from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, ErrorData
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mailmcp.limits import ERROR_URI_CHARS_MAX
from mcp_envelope import Code, ToolError
from mcp_envelope.values import details_value

RESOURCE_NOT_FOUND: Final = -32002
"""Until 2025-11-25; later revisions retired it for INVALID_PARAMS (SEP-2164)."""

_CODES: Final = {
    Code.INVALID_INPUT: INVALID_PARAMS,
    Code.NOT_FOUND: INVALID_PARAMS,
    Code.AUTH_FAILED: INVALID_REQUEST,
    Code.CONFLICT: INVALID_REQUEST,
    Code.TIMEOUT: INTERNAL_ERROR,
    Code.INTERNAL: INTERNAL_ERROR,
}


def rpc_error(error: ToolError, *, request_id: str, uri: str = "", revision: str = "") -> ErrorData:
    """Write a failure; its `data` has our code, the reason, and what else the envelope would say.

    Args:
        error: The failure.
        request_id: Ours, under which the log has it.
        uri: Of the resource that was asked for; its absence has a code of its own in old revisions.
        revision: Of the protocol that was negotiated.
    """
    code = _CODES[error.code]
    if error.code is Code.NOT_FOUND and uri and revision not in MODERN_PROTOCOL_VERSIONS:
        code = RESOURCE_NOT_FOUND
    message = error.message
    if (step := error.next_action) is not None:  # in the message too: clients exist that drop the data
        message = f"{message} {step.instruction} ({step.tool})"
    data = {"code": error.code.value, **details_value(error), "request_id": request_id}
    shown = uri if len(uri) <= ERROR_URI_CHARS_MAX else f"{uri[:ERROR_URI_CHARS_MAX]}…"
    return ErrorData(code=code, message=message, data=data | ({"uri": shown} if uri else {}))
