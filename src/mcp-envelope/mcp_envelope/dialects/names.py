"""The names of the dialects."""

from enum import StrEnum


class Dialect(StrEnum):
    """The wire shape of every reply of one server."""

    SUMMARY = "summary"
    """`summary`, `data` and `meta`, or `error` and `meta`."""

    RESPONSE_V2 = "response-v2"
    """`success`, `data`, `error` and `meta`, always all four; `error` is a string or null."""

    DISCRIMINATED = "discriminated"
    """`success` and `data`, or `success` and `error`, whose code is from the MCP-AQL registry."""
