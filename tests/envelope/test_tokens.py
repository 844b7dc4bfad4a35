"""Cursors and confirmations: what they say, and that nobody else can say it."""

from datetime import date

import pytest
from pydantic import Field

from mcp_envelope import (
    Arguments,
    ConfirmationRequired,
    Confirmations,
    ConflictError,
    Cursors,
    InvalidInputError,
    read_arguments,
)


class Wanted(Arguments):
    text: str = Field(default="", alias="from")
    at: date | None = None
    tags: list[str] = []  # noqa: RUF012 - pydantic copies it
    limit: int = 10
    cursor: str = ""


ASKED = {"from": "toner & ink~", "at": "2026-11-05", "tags": ["a", "b"], "limit": 5}


def sent(cursor: str) -> Wanted:
    return read_arguments(Wanted, {"cursor": cursor})


@pytest.mark.parametrize("key", [b"", b"secret"])
def test_a_cursor_says_where_its_page_begins_and_what_was_asked(key: bytes) -> None:
    cursors, asked = Cursors(tool="find", key=key), read_arguments(Wanted, ASKED)
    cursor = cursors.write(40, asked, revision=3)
    assert Cursors(tool="find", key=key).read(sent(cursor), revision=3) == ("40", asked)
    assert cursors.read(asked, revision=3) == ("", asked)
    changed = [cursor.replace("40", "41"), cursor[:-1], cursor + "0", cursor.partition("~")[0], "é"]
    for each in (*changed, Cursors(tool="find", key=b"other").write(40, asked, revision=3)):
        with pytest.raises(InvalidInputError, match="cursor: is not a cursor"):
            cursors.read(sent(each), revision=3)


def test_a_cursor_of_another_revision_starts_again_with_its_arguments() -> None:
    cursors = Cursors(tool="find")
    cursor = cursors.write(40, read_arguments(Wanted, ASKED), revision=3)
    with pytest.raises(ConflictError) as caught:
        cursors.read(sent(cursor), revision=4)
    action = caught.value.next_action
    assert action is not None
    assert (action.tool, action.arguments) == ("find", ASKED)


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
    for token in ("yes", caught.value.token[1:], f"{caught.value.token}\n"):
        with pytest.raises(InvalidInputError, match="confirm: is not a confirmation") as refused:
            confirmations.require("burn", Burnt(title="Emma", confirm=token), "Burn 1 book.")
        assert refused.value.next_action is not None
        assert refused.value.next_action.arguments == {"title": "Emma"}
