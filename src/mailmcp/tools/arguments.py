"""What the arguments of mailmcp's tools have in common; `mcp_envelope.arguments` reads them."""

import mcp_envelope
from mailmcp import limits
from mailmcp.tools.usual_names import USUAL_NAMES


class Arguments(mcp_envelope.Arguments):
    """Base of the input models."""

    hints = USUAL_NAMES
    text_chars_max = limits.ARGUMENT_CHARS_MAX
    cursor_chars_max = limits.CURSOR_CHARS_MAX
