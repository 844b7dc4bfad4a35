"""Cursors and confirmations: what they say, and that nobody else can say it."""

from collections.abc import Callable

import pytest

from mcp_envelope import (
    Arguments,
    ConfirmationRequired,
    Confirmations,
    ConflictError,
    Cursors,
    InvalidInputError,
)

QUERY = {"text": "toner & ink~", "at": "x", "limit": "10"}
KEYS = [b"", b"secret"]


@pytest.mark.parametrize("key", KEYS)
def test_a_cursor_says_where_its_page_begins_and_what_was_asked(key: bytes) -> None:
    cursors = Cursors(tool="find", key=key)
    cursor = cursors.write(40, revision=3, query=QUERY)
    assert Cursors(tool="find", key=key).read(cursor, revision=3) == ("40", QUERY)
    assert cursors.read(cursors.write("a/b")) == ("a/b", {})


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "change",
    [
        lambda cursor: cursor.replace("40", "41"),
        lambda cursor: cursor[:-1],
        lambda cursor: cursor + "0",
        lambda cursor: cursor.upper(),
        lambda cursor: cursor.partition("~")[0],
        lambda _: "",
        lambda _: "é",
    ],
)
def test_a_cursor_that_was_changed_is_refused(key: bytes, change: Callable[[str], str]) -> None:
    cursors = Cursors(tool="find", key=key)
    with pytest.raises(InvalidInputError, match="cursor: is not a cursor"):
        cursors.read(change(cursors.write(40, revision=3, query=QUERY)), revision=3)


def test_a_cursor_of_another_key_is_refused() -> None:
    for key in (b"", b"other"):
        with pytest.raises(InvalidInputError):
            Cursors(tool="find", key=b"secret").read(Cursors(tool="find", key=key).write(1))


def test_a_cursor_of_another_revision_starts_again_with_its_query() -> None:
    cursors = Cursors(tool="find")
    with pytest.raises(ConflictError) as caught:
        cursors.read(cursors.write(40, revision=3, query=QUERY), revision=4)
    action = caught.value.next_action
    assert action is not None
    assert (action.tool, action.arguments) == ("find", QUERY)


class Burnt(Arguments):
    title: str
    confirm: str = ""


def test_a_confirmation_is_good_for_its_plan_its_arguments_and_its_key_alone() -> None:
    confirmations = Confirmations(key=b"secret")
    with pytest.raises(ConfirmationRequired) as caught:
        confirmations.require("burn", Burnt(title="Emma"), "Burn 1 book.")
    assert caught.value.plan == "Burn 1 book."
    confirmed = Burnt(title="Emma", confirm=caught.value.token)
    confirmations.require("burn", confirmed, "Burn 1 book.")
    others = [
        (confirmations, "burn", confirmed, "Burn 2 books."),
        (confirmations, "sell", confirmed, "Burn 1 book."),
        (confirmations, "burn", confirmed.model_copy(update={"title": "Ivanhoe"}), "Burn 1 book."),
        (Confirmations(), "burn", confirmed, "Burn 1 book."),
    ]
    for each, tool, arguments, plan in others:
        with pytest.raises(ConflictError) as conflict:
            each.require(tool, arguments, plan)
        assert conflict.value.next_action is not None
        assert conflict.value.next_action.arguments == {"title": arguments.title}
