"""Untagged responses are read as they came, and what cannot be read is no bug of ours."""

import pytest

from mailmcp.imap.command import Piece, RefusedError, Response


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
