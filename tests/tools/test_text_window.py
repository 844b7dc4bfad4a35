"""Windows that follow each other join to the whole text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.tools.text_window import TextWindow, cut_window
from mcp_envelope import BaseReason, InvalidInputError


@given(text=st.text(max_size=200), max_chars=st.integers(1, 50))
def test_windows_join_to_the_text(text: str, max_chars: int) -> None:
    joined, offset = "", 0
    while True:
        window = cut_window(text, offset=offset, max_chars=max_chars)
        assert window.total_chars == len(text)
        assert len(window.text) <= max_chars
        joined += window.text
        if window.next_offset is None:
            break
        offset = window.next_offset
    assert joined == text


@pytest.mark.parametrize(
    ("offset", "expected", "next_offset"),
    [
        (0, "abc", 3),
        (2, "cde", None),
        (4, "e", None),
        (-5, "abc", 3),
        (-99, "abc", 3),
        (-4, "bcd", 4),
        (-1, "e", None),
    ],
)
def test_a_window_has_its_offsets(offset: int, expected: str, next_offset: int | None) -> None:
    window = cut_window("abcde", offset=offset, max_chars=3)
    assert window == TextWindow(
        text=expected,
        offset="abcde".index(expected),
        end="abcde".index(expected) + len(expected),
        total_chars=5,
        next_offset=next_offset,
    )


def test_an_empty_text_has_one_empty_window() -> None:
    assert cut_window("", offset=0, max_chars=10).next_offset is None


@pytest.mark.parametrize(
    ("text", "offset", "size"),
    [
        ("abc", 3, "3 characters"),
        ("abc", 99, "3 characters"),
        ("a", 1, "1 character"),
        ("", 1, "0 characters"),
    ],
)
def test_an_offset_past_the_end_is_an_error_with_the_size(text: str, offset: int, size: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        cut_window(text, offset=offset, max_chars=10, argument="body_offset")
    assert caught.value.reason is BaseReason.OUT_OF_RANGE
    assert caught.value.problems[0].field == "body_offset"
    assert f"the text has {size}." in caught.value.message


def test_a_window_that_begins_within_a_mark_has_a_mark_of_its_own() -> None:
    text = "Seen [may be hidden: one two three] seen"
    windows = [cut_window(text, offset=offset, max_chars=8).text for offset in (4, 8, 20, 25, 34, 35)]
    assert windows == [
        " [may be",
        "[may be hidden: y be hid",
        "[may be hidden:  one two",
        "[may be hidden: two thre",
        "[may be hidden: ] seen",
        " seen",
    ]
