"""Windows that follow each other join to the whole text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.tools.text_window import cut_window
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
    ("text", "offset", "expected", "next_offset"),
    [
        ("abcde", 2, "cde", None),
        ("abcde", -5, "abc", 3),
        ("abcde", -99, "abc", 3),
        ("abcde", -1, "e", None),
        ("", 0, "", None),
        # What begins within a mark of possibly hidden text has a mark of its own.
        ("Seen [may be hidden: one] seen", 10, "[may be hidden: be ", 13),
        ("Seen [may be hidden: one] seen", 24, "[may be hidden: ] s", 27),
        ("Seen [may be hidden: one] seen", 25, " se", 28),
    ],
)
def test_a_window_has_its_offsets(text: str, offset: int, expected: str, next_offset: int | None) -> None:
    window = cut_window(text, offset=offset, max_chars=3)
    assert (window.text, window.next_offset) == (expected, next_offset)
    assert window.offset == (offset if offset >= 0 else max(0, len(text) + offset))


@pytest.mark.parametrize(("text", "size"), [("a", "1 character"), ("", "0 characters")])
def test_an_offset_past_the_end_is_an_error_with_the_size(text: str, size: str) -> None:
    with pytest.raises(InvalidInputError, match=f"^body_offset: .* the text has {size}.") as caught:
        cut_window(text, offset=1, max_chars=10, argument="body_offset")
    assert caught.value.reason is BaseReason.OUT_OF_RANGE
