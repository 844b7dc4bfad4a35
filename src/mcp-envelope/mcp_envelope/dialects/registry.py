"""The dialects, by name."""

from mcp_envelope.dialects.discriminated import DiscriminatedShape
from mcp_envelope.dialects.names import Dialect
from mcp_envelope.dialects.response_v2 import ResponseV2Shape
from mcp_envelope.dialects.shape import WireShape
from mcp_envelope.dialects.summary import SummaryShape

_SHAPES: dict[Dialect, WireShape] = {
    Dialect.SUMMARY: SummaryShape(),
    Dialect.RESPONSE_V2: ResponseV2Shape(),
    Dialect.DISCRIMINATED: DiscriminatedShape(),
}


def shape_of(dialect: Dialect) -> WireShape:
    """Return the wire shape of a dialect."""
    return _SHAPES[dialect]
