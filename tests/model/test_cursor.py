"""Cursors go out and come back unchanged; what was changed, or forged badly, is refused."""

import string
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp import limits
from mailmcp.model.cursor import (
    Position,
    SearchCursor,
    Way,
    format_search_cursor,
    parse_search_cursor,
)
from mailmcp.model.message_ref import UINT32_MAX
from mailmcp.reasons import Reason
from mcp_envelope import InvalidInputError

URL_SAFE = set(string.ascii_letters + string.digits + "-._~%+=:,*/@")
"""What a query may have (RFC 3986 section 3.4)."""


numbers = st.integers(min_value=1, max_value=UINT32_MAX)
lines = st.text(
    st.characters(blacklist_characters="\r\n\0", blacklist_categories=["Cs"]), min_size=1, max_size=40
)

SEARCH = SearchCursor(
    sources=(
        Position(
            account_id="work",
            mailbox="Projects/Grün.2024",
            uidvalidity=1700000000,
            way=Way.SORT,
            uid=4711,
            rank=1709294400,
        ),
        Position(account_id="work", mailbox="a:b", uidvalidity=7, high=12, skip=(9, 11)),
        Position(account_id="home", mailbox="*"),
    ),
    total=150,
    total_exact=False,
    arguments={"query": 'a.b:"c=d" & ü', "since": "2024-03-01", "unread_only": "true"},
)
ONE = Position(account_id="work", mailbox="INBOX", uidvalidity=1700000000, uid=4711)


def seal(body: str) -> str:
    """Forge a cursor: its checksum is right."""
    return f"{body}.{zlib.crc32(body.encode()):08x}"


uids = st.integers(min_value=0, max_value=UINT32_MAX)
sorted_here = st.builds(
    Position,
    account_id=st.sampled_from(["work", "home", "a-B_9"]),
    mailbox=lines,
    uidvalidity=numbers,
    way=st.sampled_from([Way.SORT, Way.BLOCK]),
    uid=numbers,
    rank=st.integers(min_value=-(10**10), max_value=10**10),
    low=uids,
    high=uids,
    skip=st.lists(numbers, max_size=3).map(tuple),
)
positions = st.one_of(
    sorted_here,
    sorted_here.map(lambda each: replace(each, way=Way.UID, rank=0)),
    lines.map(lambda name: Position(account_id="home", mailbox=name)),
)
cursors = st.builds(
    SearchCursor,
    sources=st.lists(
        positions, min_size=1, max_size=5, unique_by=lambda each: (each.account_id, each.mailbox)
    ).map(tuple),
    arguments=st.dictionaries(lines, lines),
    total=st.integers(min_value=0, max_value=9_999_999_999),
    total_exact=st.booleans(),
    incomplete=st.booleans(),
    anywhere=st.booleans(),
)


@given(cursors)
def test_a_written_value_is_read_back(cursor: SearchCursor) -> None:
    written = format_search_cursor(cursor)
    assert parse_search_cursor(written) == cursor
    assert set(written) <= URL_SAFE


def test_an_ordinary_cursor_is_short_and_readable() -> None:
    cursor = replace(SEARCH, sources=(ONE,), total_exact=True, arguments={"from": "ann"})
    assert format_search_cursor(cursor).startswith("s3.150.from=ann.work:INBOX:1700000000:u4711.")


def test_an_account_is_named_once_and_nothing_that_is_zero() -> None:
    sorted_here = replace(ONE, mailbox="Sent", way=Way.BLOCK, rank=-5, low=9)
    sources = (ONE, sorted_here, replace(ONE, mailbox="New", uidvalidity=0, uid=0))
    written = format_search_cursor(replace(SEARCH, sources=sources, arguments={}))
    assert ".150~.work:INBOX:1700000000:u4711.:Sent:1700000000:b4711@-5:9-.:New." in written


def test_one_changed_character_is_found_at_every_position() -> None:
    written = format_search_cursor(SEARCH)
    accepted = []
    for position, right in enumerate(written):
        for wrong in URL_SAFE - {right}:
            changed = written[:position] + wrong + written[position + 1 :]
            try:
                parse_search_cursor(changed)
            except InvalidInputError as error:
                if error.reason is Reason.CURSOR_MALFORMED:
                    continue
            accepted.append(changed)
    assert accepted == []


FORGED_SEARCHES = [
    "s3",
    "s3.3",
    "s3.3.query=a",
    "s3.3.work:INBOX:0:u2",
    "s3.3.work:INBOX:4294967296:u2",
    "s3.3.work:INBOX:1:u4294967296",
    "s3.3.work:INBOX:1:u2:4294967296-",
    "s3.3.work:INBOX:1:u2:x4294967296",
    "s3.3.work:INBOX:1:u2:x",
    "s3.3.work:INBOX:1:z2",
    "s3.3.work:INBOX:1:s2@9999999999999",
    "s3.3.work:INBOX:1:u2.work:INBOX:1:u3",
    "s3.3.:INBOX:1:u2",
    "s3.99999999999.work:INBOX:1:u2",
    "s3.\N{ARABIC-INDIC DIGIT TWO}.work:INBOX:1:u2",
    "s3.3.work::1:u2",
    "s3.3.work\n:INBOX:1:u2",
    "s3.3.work:IN%0D%0ABOX:1:u2",
    "s3.3.work:IN\r\nBOX:1:u2",
    "s3.3.query=a%0D%0Ab.work:INBOX:1:u2",
    "s3.3.query=a%00.work:INBOX:1:u2",
    "s3.3.query.work:INBOX:1:u2",
    "s2.3.work:INBOX:1:u2",
    "s3.3." + ".".join(f"work:{number}" for number in range(limits.SEARCH_SOURCES_MAX + 1)),
    "",
]


@pytest.mark.parametrize("body", FORGED_SEARCHES)
def test_a_forged_search_is_refused(body: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parse_search_cursor(seal(body))
    assert caught.value.reason is Reason.CURSOR_MALFORMED


@given(st.text(max_size=80), st.booleans())
def test_any_text_is_a_cursor_or_is_refused(text: str, sealed: bool) -> None:  # noqa: FBT001 - hypothesis passes it so
    with pytest.raises(InvalidInputError, match="not a cursor of this tool"):
        parse_search_cursor(seal(text) if sealed else text)
