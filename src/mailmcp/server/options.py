"""What the user chose about replies and calls."""

from dataclasses import dataclass

from mailmcp import limits
from mailmcp.tools.preferences import DEFAULTS, Preferences
from mcp_envelope import Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a server works, apart from its accounts."""

    dialect: Dialect = Dialect.SUMMARY
    """The wire shape of replies, and so of the published output schemas."""

    json_text: bool = False
    """Send the envelope itself in the text channel, instead of Markdown."""

    lean_rows: bool = False
    """Leave out of listed messages what their ids already say."""

    call_timeout_s: float = limits.CALL_TIMEOUT_S
    """The limit of one call, retries included."""

    preferences: Preferences = DEFAULTS
    """The choices that tools depend on."""
