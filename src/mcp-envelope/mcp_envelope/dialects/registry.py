"""The dialects: a name, a module and a row here make one."""

from enum import StrEnum
from typing import Final

from mcp_envelope.dialects.discriminated import DiscriminatedShape
from mcp_envelope.dialects.response_v2 import ResponseV2Shape
from mcp_envelope.dialects.shape import WireShape
from mcp_envelope.dialects.summary import SummaryShape


class Dialect(StrEnum):
    """The wire shape of every reply of one server."""

    SUMMARY = "summary"
    """`summary`, `data` and `meta`, or `error` and `meta`."""

    RESPONSE_V2 = "response-v2"
    """`success`, `data`, `error` and `meta`, always all four; `error` is a string or null."""

    DISCRIMINATED = "discriminated"
    """`success` and `data`, or `success` and `error`, whose code is from the MCP-AQL registry."""


_SHAPES: Final[dict[Dialect, WireShape]] = {
    Dialect.SUMMARY: SummaryShape(),
    Dialect.RESPONSE_V2: ResponseV2Shape(),
    Dialect.DISCRIMINATED: DiscriminatedShape(),
}


def shape_of(dialect: Dialect) -> WireShape:
    """Return the wire shape of a dialect."""
    return _SHAPES[dialect]
