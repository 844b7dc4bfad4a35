import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.mail.clean import (
    INVISIBLE,
    Cleaned,
    clean_line,
    clean_text,
)
from mcp_envelope.markdown import code
from steps import assert_linear

SCOTLAND = "\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
"""The tags that make a black flag one of Scotland (UTS 51, annex C)."""


@pytest.mark.parametrize(
    ("text", "cleaned", "removed"),
    [
        ("", "", 0),
        ("tab\tand\nnewline", "tab\tand\nnewline", 0),
        ("\u202eevil\u202c \u2066x\u2069", "evil x", 4),
        ("\ud83d half", "\ufffd half", 0),
        # Joiners that writing needs, and the same ones where it does not.
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467", 0),
        ("\u0645\u06cc\u200c\u062e\u0648", "\u0645\u06cc\u200c\u062e\u0648", 0),
        ("\u0645\u200c\u200c\u200c\u062e", "\u0645\u200c\u062e", 2),
        ("pass\u200cword\u200d", "password", 2),
        ("\U0001f469\u200d", "\U0001f469", 1),
        ("pay\u061c\u200dpal \u180b\u200c", "paypal ", 4),
        # Variation selectors: after emoji and ideographs; elsewhere they smuggle octets.
        ("\u25b6\ufe0e\U0001f321\ufe0f\U0001f6fc\ufe0f", "\u25b6\ufe0e\U0001f321\ufe0f\U0001f6fc\ufe0f", 0),
        ("a\ufe0f", "a", 1),
        ("\ufe0f", "", 1),
        ("\u1820\u180b\u1820\u180e\u1820", "\u1820\u180b\u1820\u180e\u1820", 0),
        # Tags: in the three flags that are drawn, and nowhere else.
        (f"\U0001f3f4{SCOTLAND}{SCOTLAND}", f"\U0001f3f4{SCOTLAND}", 6),
        # Blanks that are none, and annotation marks.
        ("\u2813\u2811\u2800\u2819", "\u2813\u2811\u2800\u2819", 0),
        # Marks without a letter would be drawn on what comes before the text.
        ("\u0301 \u0302 text", "text", 4),
    ],
)
def test_invisible_characters_are_removed_and_counted(text: str, cleaned: str, removed: int) -> None:
    result = clean_text(text)
    assert (result.text, result.removed) == (cleaned, removed)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  two \t words ", "two words"),
        ("Subject\r\nBcc: all@x.example", "Subject Bcc: all@x.example"),
        ("a\u2028b\x00c\x85d", "a b c d"),
        ("a\u200b \u202e b", "a b"),
        ("\u00a0", ""),
    ],
)
def test_a_line_cannot_forge_a_second_one(text: str, line: str) -> None:
    assert clean_line(text).text == line


_ODD = (
    "a1 \n\r\x00\ud800\u0301\u0645\u064b\u1820\u8fbb\u2813\U0001f469\u2764\U0001f3f4\u20e3\U0001f1e9"
    "\U00013000\U00018b00\U00011052\u061c\u180b\u200b\u200c\u200d\u2028\u2800\ufe00\ufe0f\U000e0100"
)


@given(st.lists(st.sampled_from([*_ODD, "\u0915\u094d", SCOTLAND]), max_size=12).map("".join))
def test_clean_text_stays_as_it_is(text: str) -> None:
    """Nothing is kept for the sake of a character that is removed."""
    once = clean_text(text).text
    assert clean_text(once) == Cleaned(text=once, removed=0)


def test_names_that_are_copied_show_all_that_is_removed_elsewhere() -> None:
    """`mcp_envelope` has its own list: the process that reads documents loads as little as it can."""
    removed = re.sub(f"[^{INVISIBLE}]", "", "".join(map(chr, range(sys.maxunicode + 1))))
    assert len(removed) > 4_300
    assert not [each for each in removed if code(f"a{each}b") == f"`a{each}b`"]


def test_default_ignorable_characters_are_removed() -> None:
    """Default_Ignorable_Code_Point and Bidi_Control (DerivedCoreProperties.txt, PropList.txt)."""
    ranges = (
        "AD 34F 61C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF FFA0 "
        "FFF0-FFF8 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF"
    )
    for span in ranges.split():
        first, _, last = span.partition("-")
        for point in range(int(first, 16), int(last or first, 16) + 1):
            assert clean_text(f"a{chr(point)}b").text == "ab", f"{point:X}"


def test_format_characters_and_fillers_are_removed() -> None:
    """By categories and names; format characters that are seen are Prepended_Concatenation_Mark."""
    seen = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
    for character in map(chr, range(0x110000)):
        category, name = unicodedata.category(character), unicodedata.name(character, "")
        fills = category == "Mn" and re.search(r"\b(?:FILLER|JOINER|VARIATION SELECTOR)\b", name)
        if (category == "Cf" or fills) and character not in seen:
            assert clean_text(f"a{character}b").text == "ab", f"{ord(character):X} {name}"


@pytest.mark.parametrize(
    "piece", ["\u0301", "\u200d", "\U0001f468\u200d", "\u2500", "\U000e0041", "\u2800", "\U0001f3f4"]
)
def test_time_is_linear(piece: str) -> None:
    assert_linear(lambda size: clean_text(f"e{piece * size}"), size=500, large=200_000)
