"""Follow a search to its last page, and check each page against what it claims."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from mailmcp.tools.preferences import DEFAULTS
from mcp_envelope import InvalidInputError
from search.filled import Filled
from search.known_mail import Known
from search.query import Query
from search.rules import Rules
from tools.desk import Desk, Reply

_SIZES = (1, 2, 3, 5, 10, 33, 100)
_PAGES_AT_MOST = 5
"""For a query without a page size."""

_ROWS_AT_ONCE = 100


def expected_uids(query: Query, known: Mapping[int, Known], rules: Rules) -> list[int]:
    """List the UIDs a query must find, in the order in which it must."""
    found = [uid for uid, message in known.items() if query.matches(message, rules)]
    if not found:
        found = [
            uid for uid, message in known.items() if query.matches(message, replace(rules, anywhere=True))
        ]
    sort = query.arguments.get("sort")

    def rank(uid: int) -> tuple[float, int]:
        message = known[uid]
        return message.size if sort == "largest" else message.time(query.arguments).timestamp(), uid

    return sorted(found, key=rank, reverse=sort != "oldest")


def ask(filled: Filled, query: Query) -> list[int]:
    """Send a query, check all pages, and return the UIDs that it must find; by time where nothing sorts."""
    desk = filled.desk
    if not filled.sorts and query.arguments.get("sort") == "largest":
        with pytest.raises(InvalidInputError, match="Send larger_than"):
            desk.search(**query.arguments)
        query = replace(query, arguments={**query.arguments, "sort": "newest"})
    desk.forget()
    desk.today, desk.preferences = query.today, replace(DEFAULTS, zone=query.zone)
    expected = expected_uids(query, filled.known, filled.rules)
    limit = query.limit or page_sizes(len(expected))
    pages = list(walk(desk, {"limit": limit, **query.arguments}))
    check_pages(pages, expected, limit=limit)
    check_rows(pages[0].data["messages"], filled.known)
    return expected


def page_sizes(total: int) -> int:
    """Choose a size of pages by the number of messages: varied, and not too many pages."""
    fitting = [size for size in _SIZES if size * _PAGES_AT_MOST >= total] or [_ROWS_AT_ONCE]
    return fitting[total % min(len(fitting), 3)]


def walk(desk: Desk, arguments: Mapping[str, object], *, most_pages: int = 1000) -> Iterator[Reply]:
    """Follow a search from page to page, every third one without the cache."""
    reply = desk.search(**arguments)
    for number in count(1):
        yield reply
        cursor = reply.data.get("next_cursor")
        assert reply.data["has_more"] == (cursor is not None)
        if cursor is None:
            return
        assert number < most_pages, "pages without end"
        if number % 3 == 0:
            desk.forget()
        reply = desk.search(cursor=cursor)


def check_pages(pages: list[Reply], expected: list[int], *, limit: int) -> None:
    """Check that the pages together are the result, and that each is truthful."""
    given = [uid for page in pages for uid in page.uids]
    assert given == expected
    for page in pages:
        data = page.data
        assert (data["status"], data["issues"]) == ("ok", [])
        coverage = data["coverage"]
        unproven = "can't be relied on" in coverage["method"]
        overlooked = not expected and "may miss words" in coverage["method"]
        assert coverage["complete"] or unproven or overlooked, coverage
        assert data["returned"] == data["attempted"] == len(data["messages"]) <= limit
        if data.get("total_at_most"):
            assert data["total"] >= len(expected)
        else:
            assert data["total"] == len(expected)


def check_rows(rows: list[dict[str, Any]], known: Mapping[int, Known]) -> None:
    """Check that each row describes the message it names."""
    for row in rows:
        message = known[row["uid"]]
        assert row["header_message_id"] == message.message_id.strip("<>")
        assert row["size_bytes"] == message.size
        assert row["has_attachments"] == message.written.files
        assert {*row["flags"]} == message.flags
