"""A reply envelope for MCP servers: complete or plainly not, in both channels, in three dialects.

This package needs pydantic and mcp-types. `mcp_envelope.server` registers tools on the MCP Python SDK and
needs `mcp`; `mcp_envelope.testing` checks every reply in tests.
"""

from mcp_envelope.arguments import Arguments, read_arguments
from mcp_envelope.check import Mode, check_reply
from mcp_envelope.dialects import Dialect
from mcp_envelope.errors import (
    AuthFailedError,
    BaseReason,
    Code,
    ConfirmationRequired,
    ConflictError,
    DeadlineError,
    InternalError,
    InvalidInputError,
    NextAction,
    NotFoundError,
    Problem,
    RateLimit,
    Resource,
    ToolError,
)
from mcp_envelope.markdown import code, quote
from mcp_envelope.outcome import Embedded, Issue, Meta, Outcome, Page, Status, Untrusted
from mcp_envelope.tokens import Confirmations, ConfirmationStore, Cursors
from mcp_envelope.tool import Report, Tool

__version__ = "0.1.0"

__all__ = [
    "Arguments",
    "AuthFailedError",
    "BaseReason",
    "Code",
    "ConfirmationRequired",
    "ConfirmationStore",
    "Confirmations",
    "ConflictError",
    "Cursors",
    "DeadlineError",
    "Dialect",
    "Embedded",
    "InternalError",
    "InvalidInputError",
    "Issue",
    "Meta",
    "Mode",
    "NextAction",
    "NotFoundError",
    "Outcome",
    "Page",
    "Problem",
    "RateLimit",
    "Report",
    "Resource",
    "Status",
    "Tool",
    "ToolError",
    "Untrusted",
    "check_reply",
    "code",
    "quote",
    "read_arguments",
]
