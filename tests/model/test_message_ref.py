"""Ids go out and come back unchanged, whatever the mailbox is called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.model.message_ref import UINT32_MAX, MessageRef, parse_ref

numbers = st.integers(min_value=1, max_value=UINT32_MAX)
mailboxes = st.text(
    st.characters(blacklist_characters="\r\n\0", blacklist_categories=["Cs"]), min_size=1, max_size=60
)


def make_ref(mailbox: str = "INBOX", uidvalidity: int = 1700000000, uid: int = 42) -> MessageRef:
    return MessageRef(account_id="home", mailbox=mailbox, uidvalidity=uidvalidity, uid=uid)


@given(mailbox=mailboxes, uidvalidity=numbers, uid=numbers)
def test_a_written_value_is_read_back(mailbox: str, uidvalidity: int, uid: int) -> None:
    ref = make_ref(mailbox, uidvalidity, uid)
    assert parse_ref(ref.message_id) == ref


@pytest.mark.parametrize("mailbox", ["a:b", ":", "1:2", "imap:x:INBOX:1:2", "a/b c", "日本語", " "])
def test_an_id_is_read_from_the_right(mailbox: str) -> None:
    ref = make_ref(mailbox)
    assert parse_ref(ref.message_id) == ref


def test_uris_hold_the_mailbox_as_one_segment() -> None:
    ref = make_ref("Projects/Grün & ?#%")
    expected = "imap://home/mailbox/Projects%2FGr%C3%BCn%20%26%20%3F%23%25/message/1700000000/42"
    assert ref.message_uri == expected
    assert ref.message_raw_uri == expected + "/raw"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "imap:work:INBOX:1",
        "imap:work:INBOX:1:",
        "imap:work::1:2",
        "imap::INBOX:1:2",
        "imap:wo rk:INBOX:1:2",
        "imap:work:INBOX:0:2",
        "imap:work:INBOX:1:0",
        "imap:work:INBOX:01:2",
        "imap:work:INBOX:1:-2",
        "imap:work:INBOX:1:4294967296",
        "imap:work:INBOX:4294967296:1",
        "imap:work:INBOX:1:99999999999999999999",
        "imap:work:INBOX:1:2 ",
        "imap:work:INBOX:1:2\n",
        " imap:work:INBOX:1:2",
        "IMAP:work:INBOX:1:2",
        "imap:work:IN\r\nBOX:1:2",
        "imap:work:IN\0BOX:1:2",
        "imap:work:INBOX:1:\N{ARABIC-INDIC DIGIT TWO}",
        "imap://home/mailbox/INBOX/message/1/2",
    ],
)
def test_text_that_is_not_an_id_is_none(text: str) -> None:
    assert parse_ref(text) is None


@given(st.text(max_size=80))
def test_any_text_is_an_id_or_none(text: str) -> None:
    ref = parse_ref(text)
    assert ref is None or ref.message_id == text
