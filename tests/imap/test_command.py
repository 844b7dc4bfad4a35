"""Commands, strings and mailbox names as they are sent; responses and refusals as they came."""

import pytest

from mailmcp.imap.command import (
    Command,
    Piece,
    RefusedError,
    Response,
    canonical_name,
    encode_mailbox,
    quoted,
)


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


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[NONEXISTENT] Gone", "NONEXISTENT"),
        ("[badcharset (US-ASCII)] No", "BADCHARSET"),
        ("Mailbox [Gmail] is gone", ""),
        ("", ""),
        ("[]", ""),
    ],
)
def test_a_refusal_has_its_response_code(text: str, code: str) -> None:
    assert RefusedError("EXAMINE", "NO", text).code == code


def test_a_refusal_is_short_and_printable() -> None:
    error = RefusedError("EXAMINE", "NO", "a\x1b[1m\u202eb" + "x" * 1_000)
    assert error.text.startswith("a [1m bxxx")
    assert len(error.text) == 200
    assert str(error) == f"EXAMINE: NO {error.text}"


def test_the_pieces_of_a_response_stay_together() -> None:
    pieces: list[Piece] = [(b"1 (A {1}", b"x"), (b" B {1}", b"y"), b")", b"2 ()", b""]
    assert Response(untagged={"FETCH": pieces}).lines("FETCH") == [pieces[:3], [b"2 ()"], [b""]]
    assert Response().lines("FETCH") == []


@pytest.mark.parametrize(
    ("pieces", "number"),
    [
        ([], None),
        ([b"5"], 5),
        ([b"5", b" 6 "], 6),
        ([b"5", b"x"], 5),
        ([b"9" * 5000], None),
        ([(b"{1}", b"1")], None),
    ],
)
def test_the_last_number_counts(pieces: list[Piece], number: int | None) -> None:
    assert Response(untagged={"EXISTS": pieces}).number("EXISTS") == number
