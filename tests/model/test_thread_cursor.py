"""Cursors of conversations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp import limits
from mailmcp.model.cursor import seal
from mailmcp.model.message_ref import UINT32_MAX, MessageRef
from mailmcp.model.thread_cursor import (
    ThreadCursor,
    format_thread_cursor,
    mark_of,
    parse_thread_cursor,
)
from mailmcp.reasons import Reason
from mcp_envelope import InvalidInputError


@given(
    st.text(min_size=1).filter(lambda name: not set(name) & set("\r\n\0") and name.isprintable()),
    st.integers(1, UINT32_MAX),
    st.integers(limits.THREAD_CHARS_MIN, limits.THREAD_CHARS_MAX),
    st.integers(-(10**10), 10**11),
    st.text(),
)
def test_a_written_cursor_is_read_back(
    mailbox: str, number: int, max_chars: int, moment: int, identity: str
) -> None:
    ref = MessageRef(account_id="home", mailbox=mailbox, uidvalidity=number, uid=number)
    cursor = ThreadCursor(ref=ref, max_chars=max_chars, after=(moment, mark_of(identity)))
    text = format_thread_cursor(cursor)
    assert text.isascii()
    assert parse_thread_cursor(text) == cursor


def fields(**changes: str) -> list[str]:
    sound = {
        "kind": "t1",
        "account": "home",
        "mailbox": "INBOX",
        "uidvalidity": "17",
        "uid": "4",
        "max_chars": "500",
        "moment": "-5",
        "mark": "9",
    }
    return list((sound | changes).values())


def test_a_valid_cursor_is_read() -> None:
    assert parse_thread_cursor(seal(fields())).after == (-5, 9)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "s2"},
        {"account": "a b"},
        {"mailbox": ""},
        {"mailbox": "a%0Ab"},
        {"uidvalidity": "0"},
        {"uid": "0"},
        {"uid": str(UINT32_MAX + 1)},
        {"uid": "-4"},
        {"uid": "x"},
        {"max_chars": "499"},
        {"max_chars": "100001"},
        {"moment": "soon"},
        {"mark": "-9"},
    ],
)
def test_invalid_fields_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parse_thread_cursor(seal(fields(**wrong)))
    assert caught.value.reason is Reason.CURSOR_MALFORMED


@pytest.mark.parametrize("count", [2, 7, 9])
def test_too_few_or_too_many_fields_are_refused(count: int) -> None:
    with pytest.raises(InvalidInputError):
        parse_thread_cursor(seal([*fields(), "1"][:count]))
