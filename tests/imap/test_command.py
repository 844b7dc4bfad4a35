"""Commands as words, strings and mailbox names as they are sent."""

import pytest

from mailmcp.imap.command import Command, canonical_name, encode_mailbox, quoted


def test_a_command_is_its_words() -> None:
    assert Command(name="FETCH", arguments=[b"1", b"(UID)"], uid=True).words == [
        b"UID",
        b"FETCH",
        b"1",
        b"(UID)",
    ]
    assert Command(name="NOOP").words == [b"NOOP"]


@pytest.mark.parametrize(
    ("name", "canonical"), [("inbox", "INBOX"), ("InBox", "INBOX"), ("Inbox/a", "Inbox/a"), ("", "")]
)
def test_inbox_has_one_name(name: str, canonical: str) -> None:
    assert canonical_name(name) == canonical


@pytest.mark.parametrize(
    ("text", "octets"),
    [
        ("", b'""'),
        ("plain", b'"plain"'),
        ('a"b\\c', b'"a\\"b\\\\c"'),
        ("{5}*%(])", b'"{5}*%(])"'),
        ("Größe", "Größe".encode()),
    ],
)
def test_a_string_is_quoted_or_left_for_a_literal(text: str, octets: bytes) -> None:
    assert quoted(text) == octets


@pytest.mark.parametrize("text", ["a\r\nb", "a\rb", "a\nb", "a\0b", "ä\r\n", "\n"])
def test_line_ends_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="CR, LF or NUL"):
        quoted(text)


@pytest.mark.parametrize(
    ("name", "octets"),
    [("A & B", b"A &- B"), ("Müll", b"M&APw-ll"), ("a\r\nb", b"a&AA0ACg-b"), ("a\0", b"a&AAA-")],
)
def test_mailbox_names_are_modified_utf_7_with_no_control_characters(name: str, octets: bytes) -> None:
    assert encode_mailbox(name) == octets
