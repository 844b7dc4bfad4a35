"""Source is shown as it is: whole lines, nothing invisible, and nothing lost between two windows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.mail.raw_source import read_source


@pytest.mark.parametrize("octets", [b"Gr\xfc\xdfe", b"\xed\xa0\x80", b"abc\0\0", b"\xff", "ü".encode()[:1]])
def test_binary_data_is_not_shown_as_text(octets: bytes) -> None:
    assert read_source(octets, more=False) is None


@pytest.mark.parametrize(
    ("octets", "kept"),
    [
        (b"first line\r\nsecond", 12),
        (b"short\r\na line that is much longer", 33),
        ("x" * 9 + "ü", 11),
        ("x" * 9 + "日", 12),
    ],
)
def test_a_window_ends_with_a_line_or_else_a_character(octets: bytes | str, kept: int) -> None:
    given_octets = octets if isinstance(octets, bytes) else octets.encode()
    found = read_source(given_octets, more=True)
    assert found is not None
    assert found.octets_read == kept


def test_what_nobody_sees_is_shown() -> None:
    found = read_source("a\u200bb\u202e\U000e0041 \u0600".encode(), more=False)
    assert found is not None
    assert (found.text, found.shown) == ("a<U+200B>b<U+202E><U+E0041> \u0600", 3)


@given(
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\r"), max_size=300), st.data()
)
def test_windows_join_to_the_whole(text: str, data: st.DataObject) -> None:
    octets = text.encode()
    whole = read_source(octets, more=False)
    joined, start = "", 0
    while start < len(octets):
        end = min(len(octets), start + data.draw(st.integers(4, 40)))
        piece = read_source(octets[start:end], more=end < len(octets))
        if piece is None:
            return
        assert piece.octets_read > 0
        joined += piece.text
        start += piece.octets_read
    assert whole is None or joined == whole.text
