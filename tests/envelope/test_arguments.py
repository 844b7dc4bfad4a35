"""Arguments as models send them, and what is said of those that don't fit."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, Field

from mcp_envelope import Arguments, InvalidInputError, read_arguments

SECRET = "Xq9-never-echoed"


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def _even(number: int) -> int:
    if number % 2:
        raise ValueError("must be even. Send 2, for example.")
    return number


class Wanted(Arguments):
    """One argument of each kind."""

    plurals = {"title": "titles"}  # noqa: RUF012 - pydantic knows it as a ClassVar of the base
    aliases = {"name": "title"}  # noqa: RUF012
    exclusive = (("title", "titles"),)
    hints = (("maximum", "limit"),)

    title: str = ""
    titles: list[str] = Field([])
    numbers: tuple[int, ...] = ()
    colour: Colour = Colour.RED
    colours: Sequence[Colour] = ()
    order: Literal["up", "down"] = "up"
    day: date | None = None
    moment: datetime | None = None
    price: float = 0.0
    limit: int = Field(10, ge=1, le=100)
    even: Annotated[int, AfterValidator(_even)] = 0
    either: int | bool = 0
    exact: bool = False
    code: str = Field("", max_length=3, pattern="^[A-Z]*$")
    options: dict[str, int] = Field({})
    some: list[str] = Field(["a"], min_length=1)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ({"title": "two\nlines" * 1000}, {"title": "two\nlines" * 1000}),
        ({"title": 7}, {"title": "7"}),
        ({"title": None, "limit": None, "day": None, "numbers": None}, {}),
        ({"limit": "", "colour": "", "day": "", "titles": "", "exact": ""}, {}),
        ({"limit": " 7 ", "exact": " TRUE ", "price": "1.5"}, {"limit": 7, "exact": True, "price": 1.5}),
        ({"limit": 7.0, "price": 3}, {"limit": 7, "price": 3.0}),
        ({"colour": "blue", "colours": ["red", "blue"]}, {"colour": "blue", "colours": ["red", "blue"]}),
        ({"colours": "blue"}, {"colours": ["blue"]}),
        ({"day": "2026-11-05"}, {"day": date(2026, 11, 5)}),
        ({"moment": "2026-11-05T09:30:00Z"}, {"moment": datetime(2026, 11, 5, 9, 30, tzinfo=UTC)}),
        ({"titles": '["a", "b"]', "numbers": "[1, 2]"}, {"titles": ["a", "b"], "numbers": (1, 2)}),
        ({"titles": "a", "numbers": "7"}, {"titles": ["a"], "numbers": (7,)}),
        ({"titles": [1, 2]}, {"titles": ["1", "2"]}),
        ({"title": ["a", "b"]}, {"titles": ["a", "b"]}),
        ({"name": "a"}, {"title": "a"}),
        ({"options": '{"a": 1}'}, {"options": {"a": 1}}),
    ],
)
def test_what_is_unambiguous_is_accepted(sent: dict[str, Any], read: dict[str, Any]) -> None:
    assert read_arguments(Wanted, sent) == Wanted.model_construct(**read)


@pytest.mark.parametrize(
    ("sent", "problems"),
    [
        ({"limit": 0}, {"limit": "out_of_range: must be greater than or equal to 1."}),
        ({"limit": "101"}, {"limit": "out_of_range: must be less than or equal to 100."}),
        ({"limit": SECRET}, {"limit": "invalid_type: must be a valid integer, "}),
        ({"limit": 1.5}, {"limit": "invalid_type: must be a valid integer, "}),
        ({"price": SECRET}, {"price": "invalid_type: must be a valid number, "}),
        ({"exact": SECRET}, {"exact": "invalid_type: must be a valid boolean, "}),
        ({"title": {"a": 1}}, {"title": "invalid_type: must be a valid string."}),
        ({"options": SECRET}, {"options": "invalid_type: must be a valid dictionary."}),
        ({"numbers": [1, SECRET]}, {"numbers": "invalid_type: item 2 must be a valid integer, "}),
        ({"colour": SECRET}, {"colour": "invalid_value: must be 'red' or 'blue'."}),
        ({"order": SECRET}, {"order": "invalid_value: must be 'up' or 'down'."}),
        ({"day": SECRET}, {"day": "invalid_value: must be a valid date or datetime, "}),
        ({"moment": SECRET}, {"moment": "invalid_value: must be a valid datetime or date, "}),
        ({"code": "ABCD"}, {"code": "out_of_range: must have at most 3 characters."}),
        ({"some": "[]"}, {"some": "out_of_range: must have at least 1 item, not 0."}),
        ({"code": "a"}, {"code": "invalid_value: must match pattern '^[A-Z]*$'."}),
        ({"even": 3}, {"even": "invalid_value: must be even. Send 2, for example."}),
        ({"either": SECRET}, {"either": "invalid_type: must be a valid integer, "}),
        (
            {"title": "a", "titles": ["b"]},
            {"title": "exclusive_params: can't be combined with titles. Send one of the two."},
        ),
        ({"limt": 3}, {"limt": "unknown_param: is not an argument of this tool. Did you mean limit?"}),
        ({"maximum": 3}, {"maximum": "unknown_param: is not an argument of this tool. Did you mean limit?"}),
        (
            {"exactMatch": 1, SECRET + "\n": 2},
            {"exactMatch": "unknown_param: ", "arguments": "unknown_param: "},
        ),
        ({"limit": 0, "day": "x"}, {"day": "invalid_value: ", "limit": "out_of_range: "}),
    ],
)
def test_what_does_not_fit_is_named_and_never_repeated(
    sent: dict[str, Any], problems: dict[str, str]
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_arguments(Wanted, sent)
    found = {each.field: f"{each.reason.value}: {each.message}" for each in caught.value.problems}
    assert found.keys() == problems.keys()
    assert all(found[field].startswith(start) for field, start in problems.items()), found
    assert SECRET not in caught.value.message


class Needed(Arguments):
    title: str = Field(alias="from")


def test_a_missing_argument_is_named_as_it_is_sent() -> None:
    with pytest.raises(InvalidInputError, match="from: is missing"):
        read_arguments(Needed, {"from": None})
    assert read_arguments(Needed, {"from": "a"}).title == "a"
