"""What the arguments of mailmcp's tools have in common; `mcp_envelope.arguments` reads them."""

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
    """Base of the input models that name a message by its id.

    The id says which account. Clients of similar servers send that as well, so it is accepted. It is not
    published, since no model needs to know, and a next action never has it.
    """

    account_id: SkipJsonSchema[str] = Field("", exclude=True)
