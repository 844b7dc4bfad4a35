"""Which messages belong together."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.thread import (
    REFERENCES_MAX,
    ThreadHeaders,
    find_ids,
    parse_thread_headers,
    select_thread,
    unasked_ids,
)


def links(own: str, *refers_to: str) -> ThreadHeaders:
    return ThreadHeaders(own_id=own, refers_to=refers_to)


def read(text: str) -> ThreadHeaders:
    return parse_thread_headers(parse_headers(text.replace("\n", "\r\n").encode()))


def test_what_a_reply_says_of_its_place() -> None:
    found = read(
        "Message-ID: <3@a.example>\nReferences: <1@a.example>\n <2@a.example>\nIn-Reply-To: <2@a.example>\n"
        "Subject: Re: [list] AW: Offer\nFrom: Ann <Ann@A.example>\nTo: bob@b.example\nCc: c@c.example\n"
        "Date: Sun, 1 Mar 2026 09:00:00 +0000\n\n"
    )
    assert found == ThreadHeaders(
        own_id="3@a.example",
        refers_to=("1@a.example", "2@a.example"),
        is_reply=True,
        date=datetime(2026, 3, 1, 9, tzinfo=UTC),
    )
    assert found.ids == ("3@a.example", "1@a.example", "2@a.example")
    assert read("X-Other: 1\n\n") == links("")


@pytest.mark.parametrize(
    ("header", "answers"),
    [
        ("Subject: Re: Offer", True),
        ("Subject: AW: Offer", True),
        ("In-Reply-To: <1@a.example>", True),
        ("References: <1@a.example>", True),
    ],
)
def test_a_message_answers_by_its_subject_or_its_references(header: str, *, answers: bool) -> None:
    assert read(f"{header}\n\n").is_answer is answers


def test_long_references_keep_the_first_and_the_latest() -> None:
    ids = " ".join(f"<{number}@a.example>" for number in range(500))
    found = read(f"Message-ID: <x@a.example>\nReferences: {ids}\n\n").refers_to
    assert len(found) == REFERENCES_MAX
    assert (found[0], found[1], found[-1]) == ("0@a.example", "451@a.example", "499@a.example")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<1@a.example>", ("1@a.example",)),
        ("<1@a.example><2@a.example>", ("1@a.example", "2@a.example")),
    ],
)
def test_ids_as_programs_write_them(text: str, expected: tuple[str, ...]) -> None:
    assert find_ids(text) == expected


def test_a_chain_is_joined_from_any_of_its_messages() -> None:
    chain = [links("1"), links("2", "1"), links("3", "1", "2"), links("other"), links("4", "3")]
    for start in (chain[0], chain[2], chain[4]):
        assert select_thread(start, chain) == [0, 1, 2, 4]
    assert select_thread(chain[3], chain) == [3]


def test_what_both_refer_to_joins_them_though_it_is_missing() -> None:
    """References are broken when their root was deleted, or never came."""
    assert select_thread(links("a", "gone"), [links("b", "gone"), links("c", "b"), links("d", "lost")]) == [
        0,
        1,
    ]


def test_two_without_ids_are_not_one_conversation() -> None:
    assert select_thread(links(""), [links(""), links("x")]) == []


def test_ids_to_ask_for_next() -> None:
    members = [links("1"), links("2", "1", "0"), links("3", "1", "2")]
    assert unasked_ids(members, {"2"}) == ["1", "0", "3"]


@given(
    st.lists(
        st.tuples(st.sampled_from(["", *"0123456"]), st.lists(st.sampled_from("0123456"), max_size=2)),
        max_size=10,
    )
)
def test_joining_is_symmetric(drawn: list[tuple[str, list[str]]]) -> None:
    """Whichever message one starts from, the conversation is the same."""
    messages = [links(own, *refers_to) for own, refers_to in drawn]
    for start in messages:
        members = [messages[index] for index in select_thread(start, messages)]
        for member in filter(lambda each: each.ids, members):
            assert [messages[index] for index in select_thread(member, messages)] == members
