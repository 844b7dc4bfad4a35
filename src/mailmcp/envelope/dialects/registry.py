"""The dialects there are, by name."""

from mailmcp.envelope.dialects.discriminated import DiscriminatedShape
from mailmcp.envelope.dialects.names import Dialect
from mailmcp.envelope.dialects.response_v2 import ResponseV2Shape
from mailmcp.envelope.dialects.shape import WireShape
from mailmcp.envelope.dialects.summary import SummaryShape

_SHAPES: dict[Dialect, WireShape] = {
    Dialect.SUMMARY: SummaryShape(),
    Dialect.RESPONSE_V2: ResponseV2Shape(),
    Dialect.DISCRIMINATED: DiscriminatedShape(),
}


def shape_named(name: Dialect) -> WireShape:
    """Give the wire shape of a dialect."""
    return _SHAPES[name]
