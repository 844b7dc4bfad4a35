"""Criteria become keys that no server misreads, and find what they say."""

from array import array
from datetime import UTC, date, datetime
from typing import Any

import pytest

from imap.scenes import At, make_account, session_on
from mailmcp.envelope import limits
from mailmcp.imap.search import Criteria, format_search_date, search_uids, uid_windows
from servers.dovecot import Dovecot, Login
from servers.peer import Peer, PeerFactory
from servers.peer_mailbox import PeerMessage, make_messages

PLAIN = ("IMAP4rev1",)
ODD_TEXTS = ('a"b', "a\\b", "(ab", "ab)", "x{5}", "{5}", "{5+}", "a*b", "a%b", "[ab]", "ab]", "NIL", "'")
BEYOND_ASCII = ("Größe", "日本")


def letter(subject: str) -> bytes:
    return f"From: ann@example.org\r\nTo: bob@example.org\r\nSubject: {subject}\r\n\r\nText\r\n".encode()


def find(server: Peer, criteria: Criteria, *, below: int | None = None) -> list[int]:
    with session_on(make_account(server)) as session:
        session.examine("INBOX")
        return list(search_uids(session, criteria, below=below))


def searches(server: Peer) -> list[str]:
    return [command.line for command in server.commands if command.name == "UID SEARCH"]


@pytest.mark.parametrize(
    ("criteria", "keys"),
    [
        ({}, "ALL"),
        ({"query": "tax  report"}, 'TEXT "tax" TEXT "report"'),
        ({"query": 'tax "annual report" 2024'}, 'TEXT "tax" TEXT "annual report" TEXT "2024"'),
        ({"query": '"open end'}, r'TEXT "\"open" TEXT "end"'),
        ({"from_": "Ann", "to": "Bob", "subject": "A B"}, 'FROM "Ann" TO "Bob" SUBJECT "A B"'),
        ({"query": '"" tax'}, 'TEXT "tax"'),
        ({"query": '""'}, "ALL"),
        ({"unread_only": True}, "UNSEEN"),
        ({"since": date(2024, 2, 5), "before": date(2024, 12, 31)}, "SINCE 5-Feb-2024 BEFORE 31-Dec-2024"),
        ({"subject": 'a"b\\c'}, r'SUBJECT "a\"b\\c"'),
    ],
)
def test_criteria_are_written_as_keys(peer: PeerFactory, criteria: dict[str, Any], keys: str) -> None:
    server = peer(capabilities=PLAIN)
    find(server, Criteria(**criteria))
    assert searches(server) == [f"UID SEARCH {keys}"]
    assert Criteria(**criteria).is_all == (keys == "ALL")


def test_beyond_ascii_the_charset_is_said_and_the_text_is_a_literal(peer: PeerFactory) -> None:
    """Only then: Exchange refuses CHARSET."""
    server = peer(capabilities=PLAIN, messages=[PeerMessage(uid=4, octets=letter("Größe"))])
    assert find(server, Criteria(query="Größe Text")) == [4]
    literal = "Größe".encode().decode("latin-1")
    assert searches(server) == [f'UID SEARCH CHARSET UTF-8 TEXT {{7}}\r\n{literal} TEXT "Text"']


@pytest.mark.parametrize("text", [*ODD_TEXTS, *BEYOND_ASCII])
def test_odd_texts_are_found_as_they_are(peer: PeerFactory, text: str) -> None:
    messages = [PeerMessage(uid=5, octets=letter(f"- {text} -")), PeerMessage(uid=6, octets=letter("Other"))]
    server = peer(messages=messages)
    assert find(server, Criteria(subject=text)) == [5] or not text.isascii()  # the peer's own limit
    assert find(server, Criteria(query=text)) == [5]


@pytest.mark.parametrize("criteria", [{"subject": each} for each in ("a\r\nb", "a\nb", "a\0b", "ä\r\nb")])
def test_line_ends_never_reach_the_wire(peer: PeerFactory, criteria: dict[str, Any]) -> None:
    server = peer()
    with pytest.raises(ValueError, match="CR, LF or NUL"):
        find(server, Criteria(**criteria))
    assert searches(server) == []


def test_dovecot_finds_odd_texts_as_they_are(dovecot: Dovecot, dovecot_user: Login) -> None:
    dovecot.fill(dovecot_user.user, "INBOX", [letter(f"-{text}-") for text in ODD_TEXTS])
    dovecot.fill(dovecot_user.user, "INBOX", [letter("-=?utf-8?q?Gr=C3=B6=C3=9Fe?=-")])
    with session_on(make_account(At(dovecot.host, dovecot.plain_port), dovecot_user)) as session:
        session.examine("INBOX")
        for uid, text in enumerate([*ODD_TEXTS, "Größe"], start=1):
            assert uid in search_uids(session, Criteria(subject=f"-{text}-")), text
            assert len(search_uids(session, Criteria(subject=f"-{text}-"))) == 1, text
            assert uid in search_uids(session, Criteria(query=f'"{text}"')) or '"' in text, text
        assert list(search_uids(session, Criteria())) == list(range(1, len(ODD_TEXTS) + 2))


def test_days_are_the_servers(dovecot: Dovecot, dovecot_user: Login) -> None:
    for day in (1, 2, 3):
        received = datetime(2024, 5, day, 12, tzinfo=UTC)
        dovecot.fill(dovecot_user.user, "INBOX", [letter(str(day))], received=received)
    with session_on(make_account(At(dovecot.host, dovecot.plain_port), dovecot_user)) as session:
        session.examine("INBOX")
        criteria = Criteria(since=date(2024, 5, 2), before=date(2024, 5, 3))
        assert list(search_uids(session, criteria)) == [2]


def test_below_a_uid_only_older_ones_are_found(peer: PeerFactory) -> None:
    server = peer(messages=make_messages(2, 5, 9))
    assert find(server, Criteria(), below=9) == [2, 5]
    assert find(server, Criteria(), below=1) == []
    assert len(searches(server)) == 1
    assert find(server, Criteria(), below=2) == [], "none is below: that is no reason for doubt"


@pytest.mark.parametrize("capabilities", [PLAIN, ("IMAP4rev1", "ESEARCH")])
@pytest.mark.parametrize("below", [None, 40, 1000])
def test_a_huge_mailbox_is_searched_in_windows(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch, capabilities: tuple[str, ...], below: int | None
) -> None:
    monkeypatch.setattr(limits, "SEARCH_WINDOW", 16)
    uids = list(range(3, 60, 2))
    server = peer(messages=make_messages(*uids), capabilities=capabilities)
    assert find(server, Criteria(), below=below) == [uid for uid in uids if below is None or uid < below]
    assert len(searches(server)) > 1


@pytest.mark.parametrize(
    ("uidnext", "size", "open_end", "expected"),
    [
        (1, 10, True, []),
        (2, 10, True, [b"1:*"]),
        (11, 10, True, [b"1:*"]),
        (12, 10, True, [b"1:10", b"11:*"]),
        (12, 10, False, [b"1:10", b"11:11"]),
        (31, 10, False, [b"1:10", b"11:20", b"21:30"]),
    ],
)
def test_windows_cover_all_uids_once(
    uidnext: int, size: int, expected: list[bytes], *, open_end: bool
) -> None:
    assert list(uid_windows(uidnext, size=size, open_end=open_end)) == expected


def test_search_dates_are_english_whatever_the_locale() -> None:
    assert format_search_date(date(2026, 11, 5)) == b"5-Nov-2026"
    assert format_search_date(date(987, 3, 25)) == b"25-Mar-0987"


def test_uids_come_as_numbers_of_four_octets(peer: PeerFactory) -> None:
    server = peer(messages=make_messages(7, 2**32 - 1))
    with session_on(make_account(server)) as session:
        session.examine("INBOX")
        assert search_uids(session, Criteria()) == array("I", [7, 2**32 - 1])
