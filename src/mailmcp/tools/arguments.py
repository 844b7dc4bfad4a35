"""Base classes of the tools' arguments; `mcp_envelope.arguments` reads them."""

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

import mcp_envelope
from mailmcp import limits
from mailmcp.tools.argument_aliases import ARGUMENT_ALIASES


class Arguments(mcp_envelope.Arguments):
    """Base of the input models."""

    hints = ARGUMENT_ALIASES
    text_chars_max = limits.ARGUMENT_CHARS_MAX
    cursor_chars_max = limits.CURSOR_CHARS_MAX


class MessageArguments(Arguments):
    """Base of the input models that take a message id.

    The id names the account. Clients of similar servers send the account too, so it is accepted, but no
    schema publishes it and no next action contains it.
    """

    account_id: SkipJsonSchema[str] = Field("", exclude=True)
