import pytest

from mailmcp.mail.clean import blank_controls, clean_line, clean_text


@pytest.mark.parametrize(
    ("text", "cleaned", "removed"),
    [
        ("", "", 0),
        ("tab\tand\nnewline", "tab\tand\nnewline", 0),
        ("a\u200bb\u2060c\ufeffd", "abcd", 3),
        ("\u202eevil\u202c \u2066x\u2069", "evil x", 4),
        ("fami\u00adly", "family", 1),
        ("a\U000e0049\U000e0067b", "ab", 2),
        ("bell\x07 \x1b[31mred\x9b", "bell [31mred", 3),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd", 0),
        ("\u034f\u034fpadding", "padding", 2),
        ("\ud83d half", "\ufffd half", 0),
        # Joiners that writing needs, and the same ones where it does not.
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467", 0),
        ("\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f3f3\ufe0f\u200d\U0001f308", 0),
        ("\u0645\u06cc\u200c\u062e\u0648", "\u0645\u06cc\u200c\u062e\u0648", 0),
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937", 0),
        ("\u0645\u200c\u200c\u200c\u062e", "\u0645\u200c\u062e", 2),
        ("pass\u200cword\u200d", "password", 2),
        ("\u200d\U0001f469", "\U0001f469", 1),
        ("\U0001f469\u200d", "\U0001f469", 1),
        ("\U0001f469\u200c\U0001f469", "\U0001f469\U0001f469", 1),
        # Variation selectors: after emoji and ideographs; elsewhere they smuggle octets.
        ("\u2764\ufe0f 1\ufe0f\u20e3", "\u2764\ufe0f 1\ufe0f\u20e3", 0),
        ("a\ufe0f", "a", 1),
        ("\ufe0f", "", 1),
        ("\U0001f600\U000e0120\U000e0131", "\U0001f600", 2),
        ("\u8fbb\U000e0100", "\u8fbb\U000e0100", 0),
    ],
)
def test_only_what_nobody_sees_is_removed_and_counted(text: str, cleaned: str, removed: int) -> None:
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


def test_a_line_counts_what_was_removed() -> None:
    assert clean_line("a\u200bb\u202e").removed == 2


def test_controls_become_spaces_one_for_one() -> None:
    assert blank_controls("a\r\n\x00b\x7f") == "a   b "
