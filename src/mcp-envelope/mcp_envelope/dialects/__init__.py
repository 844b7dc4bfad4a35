"""The dialects: three wire shapes of the same outcomes and errors. A module and a row here make one."""

from enum import StrEnum
from typing import Any, Final, Protocol

from mcp_envelope.dialects import discriminated, response_v2, summary
from mcp_envelope.errors import Code, ToolError
from mcp_envelope.outcome import Meta, Outcome
from mcp_envelope.schema import JsonObject


class Dialect(StrEnum):
    """The wire shape of every reply of one server."""

    SUMMARY = "summary"
    """`summary`, `data` and `meta`, or `error` and `meta`."""

    RESPONSE_V2 = "response-v2"
    """`success`, `data`, `error` and `meta`, always all four; `error` is a string or null."""

    DISCRIMINATED = "discriminated"
    """`success` and `data`, or `success` and `error`, whose code is from the MCP-AQL registry."""


class Shape(Protocol):
    """What the module of a dialect has. A reply without `meta` has it in the `_meta` of the result."""

    @property
    def UNKNOWN_TOOL(self) -> str:  # noqa: N802 - a constant of the module
        """`data.code` of the JSON-RPC error for a tool that doesn't exist."""

    def spell(self, code: Code, reason: StrEnum | None, /) -> str:
        """Return a code as this dialect spells it, in errors, issues and text; the reason may decide."""

    def success(self, outcome: Outcome[Any], meta: Meta, /, *, has_status: bool) -> JsonObject:
        """Format a whole or partial success; without status and issues for a tool that can't be partial."""

    def failure(self, error: ToolError, meta: Meta, /) -> JsonObject:
        """Format a failure."""

    def schema(self, data: JsonObject, /) -> JsonObject:
        """Write the output schema of a tool whose `data` has the schema `data`.

        Its root has a `type`, and one schema is for success and failure: clients check errors against it too.
        """


_SHAPES: Final[dict[Dialect, Shape]] = {
    Dialect.SUMMARY: summary,
    Dialect.RESPONSE_V2: response_v2,
    Dialect.DISCRIMINATED: discriminated,
}


def shape_of(dialect: Dialect) -> Shape:
    """Return the wire shape of a dialect."""
    return _SHAPES[dialect]
