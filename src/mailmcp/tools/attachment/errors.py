"""Documents that can't be read, as errors of the tool."""

from collections.abc import Mapping
from typing import Final

from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.reasons import Reason
from mcp_envelope import (
    BaseReason,
    Code,
    DeadlineError,
    InternalError,
    InvalidInputError,
    NextAction,
    ToolError,
)

_CODES: Final[Mapping[Cause, Code]] = {
    Cause.TIMED_OUT: Code.TIMEOUT,
    Cause.CRASHED: Code.INTERNAL,
    Cause.OUT_OF_MEMORY: Code.INTERNAL,
}
"""The codes of extraction failures; all others are invalid input."""


def code_of(error: UnreadableError) -> Code:
    """Return the code of a document that can't be read."""
    return _CODES.get(error.cause, Code.INVALID_INPUT)


def document_error(error: UnreadableError, argument: str, next_action: NextAction | None = None) -> ToolError:
    """Build the error for a document; `argument` is what to change."""
    return error_of(code_of(error), error.message, argument, next_action)


def error_of(code: Code, message: str, argument: str, next_action: NextAction | None) -> ToolError:
    """Build the error for a code and a message."""
    match code:
        case Code.TIMEOUT:
            return DeadlineError(message, reason=Reason.COMMAND, next_action=next_action)
        case Code.INVALID_INPUT:
            return InvalidInputError.of(argument, BaseReason.INVALID_VALUE, message, next_action=next_action)
        case _:
            return InternalError(message, reason=BaseReason.UNEXPECTED, next_action=next_action)
