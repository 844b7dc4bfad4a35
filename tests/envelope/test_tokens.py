"""Cursors and confirmations: what they say, and that nobody else can say it."""

from collections.abc import Sequence
from datetime import date

import pytest
from pydantic import Field
from typing_extensions import override

from mcp_envelope import (
    Arguments,
    ConfirmationRequired,
    Confirmations,
    ConfirmationStore,
    ConflictError,
    Cursors,
    InvalidInputError,
    ToolError,
    read_arguments,
)
from mcp_envelope.tokens import InProcess


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


class Clock:
    now = 1_764_000_000.25

    def __call__(self) -> float:
        return self.now


CLOCK = Clock()
STORE = InProcess(CLOCK)
CONFIRMATIONS = Confirmations(store=STORE, clock=CLOCK)


def ask(title: str = "Emma", plan: str = "Burn 1 book.", bound: object = (7, 9)) -> Burnt:
    """Return the call that is confirmed."""
    with pytest.raises(ConfirmationRequired) as caught:
        CONFIRMATIONS.require("burn", Burnt(title=title), plan, bound=bound)
    assert caught.value.plan == plan
    CLOCK.now += 1
    return Burnt(title=title, confirm=caught.value.token)


def refuse(
    confirmed: Burnt,
    *,
    by: Confirmations = CONFIRMATIONS,
    tool: str = "burn",
    plan: str = "Burn 1 book.",
    bound: object = (7, 9),
) -> ToolError:
    """Return the error of a call, which asks again."""
    with pytest.raises(ToolError) as caught:
        by.require(tool, confirmed, plan, bound=bound)
    action = caught.value.next_action
    assert action is not None
    assert (action.tool, action.arguments) == (tool, {"title": confirmed.title})
    return caught.value


def test_a_confirmation_is_good_once_for_what_was_confirmed_and_nothing_else() -> None:
    confirmed = ask()
    others = (
        refuse(confirmed, plan="Burn 2 books."),
        refuse(confirmed, bound=(7, 8)),
        refuse(confirmed, bound=""),
        refuse(confirmed, tool="sell"),
        refuse(confirmed.model_copy(update={"title": "Ivanhoe"})),
    )
    for error in others:
        assert (error.code, error.reason) == ("conflict", "plan_changed")
        assert error.message.endswith(str(error.details["plan"]))
    assert others[0].details == {"plan": "Burn 2 books."}
    CONFIRMATIONS.require("burn", confirmed, "Burn 1 book.", bound=[7, 9])
    error = refuse(confirmed)
    assert (error.code, error.reason) == ("conflict", "confirmation_used")
    CONFIRMATIONS.require("burn", ask(), "Burn 1 book.", bound=(7, 9))


def test_what_is_not_a_confirmation_of_this_key_is_refused() -> None:
    token = ask().confirm
    made, what, seal = token.split("-")
    cursor = Cursors(tool="burn", key=STORE.keys()[0]).write(f"1-{what}", Wanted()).replace("~", "-")
    changed = ("yes", "-", token[1:], token[:-1], f"{token}\n", token.upper(), cursor)
    later = (f"f{made}-{what}-{seal}", f"{made}-{'0' * 16}-{seal}", f"{made}{what}-{seal}")
    for each in (*changed, *later):
        error = refuse(Burnt(title="Emma", confirm=each))
        assert (error.code, error.reason) == ("invalid_input", "invalid_value"), each
    assert refuse(Burnt(title="Emma", confirm=token), by=Confirmations()).code == "invalid_input"


def test_a_confirmation_is_good_for_ten_minutes() -> None:
    kept, late = ask(), ask()
    CLOCK.now += 597
    CONFIRMATIONS.require("burn", kept, "Burn 1 book.", bound=(7, 9))
    CLOCK.now += 2
    error = refuse(late)
    assert (error.code, error.reason) == ("conflict", "confirmation_expired")


def test_a_used_confirmation_is_remembered_for_longer_than_it_is_good() -> None:
    """Until then whatever is remembered would have to be asked; after that, its age is enough."""
    written: list[tuple[str, float]] = []

    class Shared(ConfirmationStore):
        @override
        def keys(self) -> Sequence[bytes]:
            return STORE.keys()

        @override
        def spend(self, token: str, until: float, /) -> bool:
            written.append((token, until - CLOCK.now))
            return len(written) == 1

    confirmed = ask()
    replicas = [Confirmations(store=Shared(), clock=CLOCK) for _ in range(2)]
    replicas[0].require("burn", confirmed, "Burn 1 book.", bound=(7, 9))
    assert refuse(confirmed, by=replicas[1]).reason == "confirmation_used"
    assert [token for token, _ in written] == [confirmed.confirm] * 2
    assert all(left == pytest.approx(659) for _, left in written)
    here = InProcess(CLOCK)
    assert here.spend("a", CLOCK.now + 10)
    CLOCK.now += 9
    assert not here.spend("a", CLOCK.now + 1)
    CLOCK.now += 2
    assert here.spend("a", CLOCK.now + 10), "forgotten"


def test_a_key_can_be_replaced_while_its_confirmations_still_count() -> None:
    class Replaced(InProcess):
        several: tuple[bytes, ...] = (b"old",)

        @override
        def keys(self) -> Sequence[bytes]:
            return self.several

    store = Replaced(CLOCK)
    confirmations = Confirmations(store=store, clock=CLOCK)

    def confirm() -> Burnt:
        with pytest.raises(ConfirmationRequired) as caught:
            confirmations.require("burn", Burnt(title="Emma"), "Burn 1 book.")
        CLOCK.now += 1
        return Burnt(title="Emma", confirm=caught.value.token)

    before, withdrawn = confirm(), confirm()
    store.several = (b"new", b"old")
    after = confirm()
    confirmations.require("burn", before, "Burn 1 book.")
    assert refuse(withdrawn, by=confirmations, plan="Burn 2 books.").reason == "plan_changed"
    store.several = (b"new",)
    assert refuse(withdrawn, by=confirmations).code == "invalid_input"
    confirmations.require("burn", after, "Burn 1 book.")
