"""The names of the dialects: what the setting `envelope` chooses between."""

from enum import StrEnum


class Dialect(StrEnum):
    """The wire shape of every reply of one server."""

    SUMMARY = "summary"
    """`summary`, `data` and `meta`, or `error` and `meta`."""
