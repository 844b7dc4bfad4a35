"""Cursors go out and come back unchanged; what was changed, or forged badly, is refused."""

import string
import zlib
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp import limits
from mailmcp.model.cursor import (
    MailboxesCursor,
    SearchCursor,
    SourceCursor,
    format_mailboxes_cursor,
    format_search_cursor,
    parse_mailboxes_cursor,
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
        SourceCursor(
            account_id="work", mailbox="Projects/Grün.2024", uidvalidity=1700000000, uid=4711, rank=1709294400
        ),
        SourceCursor(account_id="work", mailbox="a:b", uidvalidity=7, top=12, skip=(9, 11)),
        SourceCursor(account_id="home", mailbox="*"),
    ),
    total=150,
    total_exact=False,
    page_size=10,
    snippet_chars=100,
    criteria={"q": 'a.b:"c=d" & ü', "n": "2024-03-01", "d": "3", "u": "1"},
)
ONE = SourceCursor(account_id="work", mailbox="INBOX", uidvalidity=1700000000, uid=4711)
MAILBOXES = MailboxesCursor(account_id="work", position="Projects/Grün.2024", include_counts=True)


def seal(body: str) -> str:
    """Forge a cursor: its checksum is right."""
    return f"{body}.{zlib.crc32(body.encode()):08x}"


begun = st.builds(
    SourceCursor,
    account_id=st.sampled_from(["work", "home", "a-B_9"]),
    mailbox=lines,
    uidvalidity=numbers,
    uid=numbers,
    rank=st.integers(min_value=-(10**10), max_value=10**10),
    skip=st.lists(numbers, max_size=3).map(tuple),
)
untaken = st.builds(
    SourceCursor,
    account_id=st.just("work"),
    mailbox=lines,
    uidvalidity=numbers,
    top=numbers,
    skip=st.lists(numbers, max_size=3).map(tuple),
)
not_begun = st.builds(SourceCursor, account_id=st.just("home"), mailbox=lines)


@given(
    sources=st.lists(
        st.one_of(begun, untaken, not_begun),
        min_size=1,
        max_size=5,
        unique_by=lambda each: (each.account_id, each.mailbox),
    ).map(tuple),
    total=st.integers(min_value=0, max_value=9_999_999_999),
    total_exact=st.booleans(),
    incomplete=st.booleans(),
    page_size=st.integers(min_value=1, max_value=limits.PAGE_SIZE_MAX),
    criteria=st.dictionaries(lines, lines),
)
def test_a_written_value_is_read_back(
    sources: tuple[SourceCursor, ...],
    total: int,
    *,
    total_exact: bool,
    incomplete: bool,
    page_size: int,
    criteria: dict[str, str],
) -> None:
    cursor = SearchCursor(
        sources=sources,
        total=total,
        total_exact=total_exact,
        incomplete=incomplete,
        page_size=page_size,
        criteria=criteria,
    )
    written = format_search_cursor(cursor)
    assert parse_search_cursor(written) == cursor
    assert set(written) <= URL_SAFE


@given(position=lines, include_counts=st.booleans())
def test_a_written_mailboxes_cursor_is_read_back(position: str, *, include_counts: bool) -> None:
    cursor = MailboxesCursor(account_id="a-B_9", position=position, include_counts=include_counts)
    written = format_mailboxes_cursor(cursor)
    assert parse_mailboxes_cursor(written) == cursor
    assert set(written) <= URL_SAFE


@pytest.mark.parametrize("ranks", [(7, 7, 7), (-5, -5, 8), (0, 0, 3), (3, 0, 0), (4, 9, 4)])
def test_a_rank_is_written_once_for_the_sources_that_share_it(ranks: tuple[int, ...]) -> None:
    sources = tuple(replace(ONE, mailbox=f"Box{rank}-{n}", rank=rank) for n, rank in enumerate(ranks))
    cursor = replace(SEARCH, sources=sources)
    written = format_search_cursor(cursor)
    assert parse_search_cursor(written) == cursor
    assert written.count(":=") == sum(a == b != 0 for a, b in pairwise(ranks))


def test_the_first_source_must_have_a_rank_of_its_own() -> None:
    head = "s2.10.0.5.home:INBOX:1:2"
    assert parse_search_cursor(seal(f"{head}:3")).sources[0].rank == 3
    with pytest.raises(InvalidInputError):
        parse_search_cursor(seal(f"{head}:="))


def test_a_tab_in_a_criterion_comes_back() -> None:
    """Only CR, LF and NUL end a command; a search that was accepted must have next pages."""
    cursor = replace(SEARCH, sources=(replace(ONE, mailbox="a\tb"),), criteria={"s": "a\tb\x7f\x1b"})
    assert parse_search_cursor(format_search_cursor(cursor)) == cursor


def test_an_ordinary_cursor_is_short_and_readable() -> None:
    cursor = replace(SEARCH, sources=(ONE,), total_exact=True, snippet_chars=0, criteria={"f": "ann"})
    assert format_search_cursor(cursor).startswith("s2.10.0.150.f=ann.work:INBOX:1700000000:4711.")


def test_an_account_is_named_once_and_nothing_that_is_zero() -> None:
    sources = (ONE, replace(ONE, mailbox="Sent", rank=-5), replace(ONE, mailbox="New", uidvalidity=0, uid=0))
    written = format_search_cursor(replace(SEARCH, sources=sources, criteria={}))
    assert ".150~.work:INBOX:1700000000:4711.:Sent:1700000000:4711:-5.:New." in written


@pytest.mark.parametrize("kind", ["search", "mailboxes"])
def test_one_changed_character_is_found_at_every_position(kind: str) -> None:
    written = format_search_cursor(SEARCH) if kind == "search" else format_mailboxes_cursor(MAILBOXES)
    parse = parse_search_cursor if kind == "search" else parse_mailboxes_cursor
    accepted = []
    for position, right in enumerate(written):
        for wrong in URL_SAFE - {right}:
            changed = written[:position] + wrong + written[position + 1 :]
            try:
                parse(changed)
            except InvalidInputError as error:
                if error.reason is Reason.CURSOR_MALFORMED:
                    continue
            accepted.append(changed)
    assert accepted == []


def test_a_lost_or_doubled_or_swapped_character_is_found() -> None:
    written = format_search_cursor(SEARCH)
    changed = {written[:i] + written[i + 1 :] for i in range(len(written))}
    changed |= {written[:i] + written[i] + written[i:] for i in range(len(written))}
    changed |= {written[:i] + written[i + 1] + written[i] + written[i + 2 :] for i in range(len(written) - 1)}
    for each in changed - {written}:
        with pytest.raises(InvalidInputError, match="not a cursor of this tool"):
            parse_search_cursor(each)


def test_upper_case_is_a_change() -> None:
    with pytest.raises(InvalidInputError):
        parse_search_cursor(format_search_cursor(SEARCH).upper())


def test_a_cursor_is_good_for_its_own_tool_alone() -> None:
    with pytest.raises(InvalidInputError, match="not a cursor of this tool"):
        parse_search_cursor(format_mailboxes_cursor(MAILBOXES))
    with pytest.raises(InvalidInputError, match="not a cursor of this tool"):
        parse_mailboxes_cursor(format_search_cursor(SEARCH))


FORGED_SEARCHES = [
    "s2",
    "s2.10.0",
    "s2.10.0.3",
    "s2.10.0.3.q=a",
    "s2.10.0.3.work:INBOX:0:2",
    "s2.10.0.3.work:INBOX:0:0:5",
    "s2.10.0.3.work:INBOX:0:-5",
    "s2.10.0.3.work:INBOX:0:0:0:5",
    "s2.10.0.3.work:INBOX:4294967296:2",
    "s2.10.0.3.work:INBOX:1:4294967296",
    "s2.10.0.3.work:INBOX:1:-4294967296",
    "s2.10.0.3.work:INBOX:1:2:0:4294967296",
    "s2.10.0.3.work:INBOX:1:2:0:",
    "s2.10.0.3.work:INBOX:1:2:0:3,",
    "s2.10.0.3.work:INBOX:1:2:0:3:4",
    "s2.10.0.3.work:INBOX:1:2:x",
    "s2.10.0.3.work:INBOX:1:2:9999999999999",
    "s2.10.0.3.work:INBOX:1:--2",
    "s2.10.0.3.work:INBOX:-1:2",
    "s2.10.0.3.work:INBOX:1:2.work:INBOX:1:3",
    "s2.10.0.3.:INBOX:1:2",
    "s2.0.0.3.work:INBOX:1:2",
    "s2.101.0.3.work:INBOX:1:2",
    "s2.10.49.3.work:INBOX:1:2",
    "s2.10.501.3.work:INBOX:1:2",
    "s2.10.0.-3.work:INBOX:1:2",
    "s2.10.0.3~~.work:INBOX:1:2",
    "s2.10.0..work:INBOX:1:2",
    "s2.10.0.99999999999.work:INBOX:1:2",
    "s2.10.0.\N{ARABIC-INDIC DIGIT TWO}.work:INBOX:1:2",
    "s2.10.0.3.work:INBOX:1:\N{ARABIC-INDIC DIGIT TWO}",
    "s2.10.0.3.work::1:2",
    "s2.10.0.3.wo rk:INBOX:1:2",
    "s2.10.0.3.work\n:INBOX:1:2",
    "s2.10.0.3.work:IN%0D%0ABOX:1:2",
    "s2.10.0.3.work:IN\r\nBOX:1:2",
    "s2.10.0.3.q=a%0D%0Ab.work:INBOX:1:2",
    "s2.10.0.3.q=a%00.work:INBOX:1:2",
    "s2.10.0.3.q%0A=a.work:INBOX:1:2",
    "s2.10.0.3.q.work:INBOX:1:2",
    "s2.10.0.3..work:INBOX:1:2",
    "s1.10.0.3.work:INBOX:1:2",
    "s2.10.0.3." + ".".join(f"work:{number}" for number in range(limits.SEARCH_SOURCES_MAX + 1)),
    "",
]


@pytest.mark.parametrize("body", FORGED_SEARCHES)
def test_a_forged_search_is_refused(body: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parse_search_cursor(seal(body))
    assert caught.value.reason is Reason.CURSOR_MALFORMED


@pytest.mark.parametrize(
    "body",
    [
        "m1",
        "m1.work.1",
        "m1.work.2.INBOX",
        "m1.work..INBOX",
        "m1.work.1.",
        "m1..1.INBOX",
        "m1.work.1.a%0Ab",
        "m1.work\n.1.INBOX",
        "m1.work.1.a.b",
        "m2.work.1.INBOX",
    ],
)
def test_a_forged_list_is_refused(body: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parse_mailboxes_cursor(seal(body))
    assert caught.value.reason is Reason.CURSOR_MALFORMED


@given(st.text(max_size=80), st.booleans())
def test_any_text_is_a_cursor_or_is_refused(text: str, sealed: bool) -> None:  # noqa: FBT001 - hypothesis passes it so
    with pytest.raises(InvalidInputError, match="not a cursor of this tool"):
        parse_search_cursor(seal(text) if sealed else text)
