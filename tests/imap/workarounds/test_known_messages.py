"""What a message can be found by; nothing that is in doubt."""

from datetime import date
from typing import Any

import pytest

from imap.searches import NOON
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.workarounds.known_messages import KnownMessage, parse_known_message, spread_evenly


def message(header: bytes = b"", **fields: Any) -> KnownMessage:
    return parse_known_message(FetchedMessage(uid=1, sections={"HEADER.FIELDS": header + b"\r\n"}, **fields))


@pytest.mark.parametrize(
    ("subject", "word", "foreign"),
    [
        (b"The weekly report", "weekly", ""),
        (b"Re: it is so", "", ""),
        (b"report2024 a_word xreport", "xreport", ""),
        (b"=?utf-8?q?Gr=C3=B6=C3=9Fe_und_Form?=", "", "Größe"),
        (b"=?utf-8?q?Weekly_report?=", "", ""),
        (b"=?utf-8?b?5pel5pys6Kqe?=", "", ""),
        (b"=?no-such-charset?q?Gr=C3=B6=C3=9Fe?=", "", ""),
        (b"=?utf-8?b?!!!?=", "", ""),
        ("Größere Wörter".encode(), "", ""),
        (b"x" * 100, "", ""),
    ],
)
def test_words_are_whole_and_long(subject: bytes, word: str, foreign: str) -> None:
    """Some servers find words, some parts of words, and none finds stop-words by an index."""
    made = message(b"Subject: " + subject + b"\r\n")
    assert (made.word, made.foreign_word) == (word, foreign)


def test_addresses_ids_sizes_and_days() -> None:
    made = message(
        b"From: Ann <ann@example.org>\r\nTo: undisclosed:;\r\nCc: x, <eve@example.org>\r\n"
        b"Message-ID:\r\n <1@example.org>\r\n",
        size_octets=9,
        internal_date=NOON,
    )
    assert (made.from_, made.to, made.cc) == ("ann@example.org", "", "eve@example.org")
    assert (made.message_id, made.size_octets, made.day) == ("<1@example.org>", 9, date(2024, 3, 1))
    bare = message()
    assert (bare.word, bare.from_, bare.message_id, bare.day, bare.size_octets) == ("", "", "", None, None)


@pytest.mark.parametrize(
    ("header", "text", "word"),
    [
        (b"", b"Dear Bob,\r\nthe committee met.\r\n", "committee"),
        (b"Content-Type: text/plain; charset=utf-8\r\n", b"Kind regards, Ann\r\n", "regards"),
        (b"Content-Type: text/plain; charset=ISO-8859-15\r\n", b"caf\xe9crowd only\r\n", "only"),
        (b"Content-Transfer-Encoding: 8BIT \r\n", b"Dear all\r\n", "Dear"),
        (b"", b"see https://www.example.org/committee, a_word x2word\r\n", ""),
        (b"", b"cut committ", ""),
        (b"", b"a" * 400, ""),
        (b"", b"", ""),
        (b"Content-Transfer-Encoding: base64\r\n", b"RGVhciBCb2Is committee \r\n", ""),
        (b"Content-Transfer-Encoding: quoted-printable\r\n", b"Dear com=\r\nmittee, =C3=A4\r\n", "committee"),
        (b"Content-Type: text/html\r\n", b"Dear Bob,\r\n", ""),
        (b"Content-Type: multipart/mixed; boundary=x\r\n", b"Dear Bob,\r\n", ""),
        (b"Content-Type: multipart/mixed; boundary=x\r\n", b"--x\r\n\r\nDear committee\r\n", "committee"),
        (
            b'Content-Type: multipart/mixed; boundary="x y"\r\n',
            b"This is preamble\r\n--x y\r\nContent-Type: multipart/alternative; boundary=z\r\n\r\n"
            b"--z\r\nContent-Transfer-Encoding: 8bit\r\n\r\nDear all of you\r\n--z\r\n",
            "Dear",
        ),
        (
            b"Content-Type: multipart/mixed; boundary=x\r\n",
            b"--x\r\nContent-Type: text/html\r\n\r\nDear all\r\n",
            "",
        ),
        (b"Content-Type: multipart/mixed\r\n", b"--x\r\n\r\nDear Bob,\r\n", ""),
        (b"Content-Type: text/plain; charset=iso-2022-jp\r\n", b"committee \r\n", ""),
        (b'Content-Type: text/plain; charset="\xff\xfe\r\n', b"committee \r\n", "committee"),
        (b"Content-Type: \xff/\xfe;;=\r\nContent-Transfer-Encoding: \xff\r\n", b"committee \r\n", ""),
    ],
)
def test_body_words_are_stored_as_they_read(header: bytes, text: bytes, word: str) -> None:
    sections = {"HEADER.FIELDS": header + b"\r\n", "TEXT": text}
    assert parse_known_message(FetchedMessage(uid=1, sections=sections)).body_word == word


@pytest.mark.parametrize(("flags", "seen"), [((), False), (("\\Flagged",), False), (("\\SEEN",), True)])
def test_seen_is_read_from_the_flags(flags: tuple[str, ...], *, seen: bool) -> None:
    assert message(flags=flags).seen is seen


@pytest.mark.parametrize(
    ("count", "numbers"),
    [(1, [1]), (3, [1, 2, 3]), (10, list(range(1, 11))), (100, [*range(10, 101, 10)]), (10**9, None)],
)
def test_messages_are_spread_evenly_and_include_the_newest(count: int, numbers: list[int] | None) -> None:
    chosen = spread_evenly(count, limit=10)
    assert chosen[-1] == count
    assert len(chosen) == min(count, 10)
    assert min(chosen) >= 1
    assert numbers is None or chosen == numbers
