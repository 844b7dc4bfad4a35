"""Message ids are read as models send them: in quotes, as URIs, and refused with the way out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.message_id import MessageIdCache, is_message_id, parse_message_id
from mcp_envelope import InvalidInputError, NextAction

REF = MessageRef(account_id="home", mailbox="Projects/Grün & `x`", uidvalidity=17, uid=4)


@pytest.mark.parametrize("form", ["{}", "`{}`", '"{}"', "'{}'", "<{}>", " {}\t", "“{}”", ' "`{}`" '])
@pytest.mark.parametrize(
    "text", [REF.message_id, REF.message_uri, REF.message_raw_uri, REF.attachment_uri("2.1")]
)
def test_ids_and_uris_are_read_whatever_stands_around_them(form: str, text: str) -> None:
    assert parse_message_id(form.format(text)) == REF
    assert is_message_id(form.format(text))


@pytest.mark.parametrize(
    ("text", "header_id"),
    [
        ("<31398b1c2b4f4c51@example.com>", "31398b1c2b4f4c51@example.com"),
        ("`a/b:c@[127.0.0.1]`", "a/b:c@[127.0.0.1]"),
        ("17 ", ""),
        ("home:INBOX:1:2", ""),
        ("imap:home:a@b:1", ""),
        ("imap://home/mailbox", ""),
        ("imap://home/mailbox/%FF/message/1/2", ""),
        ("a b@c", ""),
        ("a@b@c", ""),
        ("ü@example.org", ""),
        ("a\u200b@example.org", ""),
        ("x" * 251 + "@example.org", ""),
    ],
)
def test_other_text_is_refused_and_a_message_id_header_with_a_search_for_it(
    text: str, header_id: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parse_message_id(text)
    (problem,) = caught.value.problems
    assert (problem.field, problem.reason) == ("message_id", Reason.MALFORMED_ID)
    assert text not in problem.message
    assert ("of the form imap:{account_id}:" in problem.message) is not bool(header_id)
    assert not is_message_id(text)
    search = NextAction(
        instruction="Search all mailboxes for the message.",
        tool="imap_search_messages",
        arguments={"header_message_id": header_id, "account_id": "*", "mailbox": "*"},
    )
    assert caught.value.next_action == (search if header_id else None)


@given(st.text(max_size=80))
def test_any_text_is_an_id_or_is_refused(text: str) -> None:
    try:
        assert parse_message_id(text).uid
    except InvalidInputError as error:
        assert error.reason is Reason.MALFORMED_ID  # noqa: PT017 - either is right, nothing else is


def test_message_ids_of_listed_messages_are_remembered_for_a_while() -> None:
    known = MessageIdCache(entries=2)
    for number in (1, 2, 1, 3):
        known.remember(str(number), f"{number}@b.example")
    known.remember("4", "")
    assert [known.header_of(str(number)) for number in range(1, 5)] == ["1@b.example", "", "3@b.example", ""]
