"""What a message can be found by; nothing where that is in doubt."""

from datetime import date
from typing import Any

import pytest

from imap.searches import NOON
from mailmcp.imap.fetch import FetchedMessage
from mailmcp.imap.specimens import Specimen, make_specimen, spread


def specimen(header: bytes = b"", **fields: Any) -> Specimen:
    return make_specimen(FetchedMessage(uid=1, sections={"HEADER.FIELDS": header + b"\r\n"}, **fields))


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
    made = specimen(b"Subject: " + subject + b"\r\n")
    assert (made.word, made.foreign_word) == (word, foreign)


def test_addresses_ids_sizes_and_days() -> None:
    made = specimen(
        b"From: Ann <ann@example.org>\r\nTo: undisclosed:;\r\nCc: x, <eve@example.org>\r\n"
        b"Message-ID:\r\n <1@example.org>\r\n",
        size_octets=9,
        internal_date=NOON,
    )
    assert (made.from_, made.to, made.cc) == ("ann@example.org", "", "eve@example.org")
    assert (made.message_id, made.size_octets, made.day) == ("<1@example.org>", 9, date(2024, 3, 1))
    bare = specimen()
    assert (bare.word, bare.from_, bare.message_id, bare.day, bare.size_octets) == ("", "", "", None, None)


@pytest.mark.parametrize(
    ("count", "numbers"),
    [(1, [1]), (3, [1, 2, 3]), (10, list(range(1, 11))), (100, [*range(10, 101, 10)]), (10**9, None)],
)
def test_specimens_are_spread_with_the_newest_among_them(count: int, numbers: list[int] | None) -> None:
    chosen = spread(count, most=10)
    assert chosen[-1] == count
    assert len(chosen) == min(count, 10)
    assert min(chosen) >= 1
    assert numbers is None or chosen == numbers
