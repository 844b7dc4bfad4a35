"""The dialects there are, by name."""

from mailmcp.envelope.dialects.dialect import WireShape
from mailmcp.envelope.dialects.names import Dialect
from mailmcp.envelope.dialects.summary import SummaryShape

_SHAPES: dict[Dialect, WireShape] = {Dialect.SUMMARY: SummaryShape()}


def shape_named(name: Dialect) -> WireShape:
    """Give the wire shape of a dialect."""
    return _SHAPES[name]
