"""ESEARCH responses are parsed strictly, and large ones with little memory."""

import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from mailmcp.imap.command import Response
from mailmcp.imap.search.server import parse_found, parse_search
from steps import assert_linear


def parse_esearch(lines: Sequence[Any]) -> Sequence[int] | None:
    """Parse what came with one search, whose tag is A1."""
    reply = Response(tag=b"A1", untagged={"ESEARCH": lines})
    return parse_found([reply], reply, extended=True)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'(TAG "A1") UID COUNT 3 ALL 5,1:2', [5, 1, 2]),
        (b'(TAG "A1") uid all 4:3 count 2', [3, 4]),
        (b'(TAG "A1") UID COUNT 0', []),
        (b'(TAG "A1") UID COUNT 1 ALL ' + b"9" * 5000, [int("9" * 19)]),
        (b'(TAG "A1") UID COUNT ' + b"9" * 5000 + b" ALL 1", None),
        (b'(TAG "A1") UID COUNT 100 PARTIAL (1:10 1:10)', None),
        (b'(TAG "A1") COUNT 1 ALL 1', None),
        (b'(TAG "A2") UID COUNT 1 ALL 1', None),
        (b"UID COUNT 1 ALL 1", None),
        (b'(TAG "A1") UID ALL 1', None),
        (b'(TAG "A1") UID COUNT 2', None),
        (b'(TAG "A1") UID COUNT 3 ALL 1:2', None),
        (b'(TAG "A1") UID COUNT 1 ALL 1:4294967295', None),
        (b'(TAG "A1") UID COUNT 4294967295 ALL 1:4294967295', None),
    ],
)
def test_an_extended_response_that_contradicts_itself_is_rejected(
    line: bytes, expected: list[int] | None
) -> None:
    found = parse_esearch([line])
    assert (None if found is None else list(found)) == expected


def test_many_scattered_uids_are_read_in_linear_time() -> None:
    def parse(count: int) -> None:
        scattered = list(range(1, 2 * count, 2))
        line = b'(TAG "A1") UID COUNT %d ALL ' % count + b",".join(b"%d" % uid for uid in scattered)
        assert list(parse_esearch([line]) or ()) == scattered

    assert_linear(parse, size=500, large=100_000)


@pytest.mark.parametrize("parse", [parse_search, parse_esearch])
def test_uids_take_little_memory_while_they_are_read(parse: Callable[[list[bytes]], Sequence[int]]) -> None:
    """A million of them as objects would take 60 MB."""
    count = 100_000
    line = b'(TAG "A1") UID COUNT %d ALL 1:%d' % (count, count)
    if parse is parse_search:
        line = b" ".join(b"%d" % uid for uid in range(1, count + 1))
    tracemalloc.start()
    try:
        found = parse([line])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(found) == count
    assert peak < 24 * count
