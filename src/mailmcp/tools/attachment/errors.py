"""Documents that can't be read, as errors of the tool."""

from mailmcp.documents.extraction import ExtractionError
from mailmcp.reasons import Reason
from mailmcp.tools.attachment.text import code_of
from mcp_envelope import (
    BaseReason,
    Code,
    DeadlineError,
    InternalError,
    InvalidInputError,
    NextAction,
    ToolError,
)


def document_error(error: ExtractionError, argument: str, next_action: NextAction | None = None) -> ToolError:
    """Build the error for a document; `argument` is what to change."""
    return error_of(code_of(error), error.message, argument, next_action)


def error_of(code: Code, message: str, argument: str, next_action: NextAction | None) -> ToolError:
    """Build the error for a code and a message."""
    match code:
        case Code.TIMEOUT:
            return DeadlineError(message, reason=Reason.COMMAND)
        case Code.INVALID_INPUT:
            return InvalidInputError.of(argument, BaseReason.INVALID_VALUE, message, next_action=next_action)
        case _:
            return InternalError(message, reason=BaseReason.UNEXPECTED, next_action=next_action)
