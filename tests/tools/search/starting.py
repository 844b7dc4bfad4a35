"""Searches to start tests from: as the tool reads arguments."""

from datetime import UTC, date, tzinfo
from typing import Any

from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.state import Search, start_search
from mcp_envelope import read_arguments

TODAY = date(2024, 3, 1)


def read(**raw: Any) -> SearchMessagesArguments:
    """Read arguments; `from_` stands for `from`."""
    return read_arguments(SearchMessagesArguments, {name.rstrip("_"): each for name, each in raw.items()})


def start(*accounts: str, **raw: Any) -> Search:
    """Start a search of some accounts, of `home` if none is named."""
    return start_in(UTC, *accounts, **raw)


def start_in(zone: tzinfo, *accounts: str, **raw: Any) -> Search:
    """Start a search whose days are those of a zone."""
    return start_search(read(**raw), accounts or ("home",), today=TODAY, zone=zone)
