"""Invitations have no search key: the structures of what was found are looked through, in chunks."""

from dataclasses import replace
from typing import Any

import pytest

from imap.scenes import make_account, session_on
from imap.searches import PROOFS, all_pages, letter, probed, request, search_mailboxes, search_one
from mailmcp import limits
from mailmcp.imap.search.page import MailboxPage, PageRequest
from mailmcp.model.mail_kind import MailKind, WantedKind
from servers.peer import Peer, PeerFactory
from servers.peer_actions import FailUid, Respond, Rule
from servers.peer_mailbox import PeerMessage

UIDS = range(1, 101)
INVITATIONS = [99, 60, 59, 3]
KIND = WantedKind(kind=MailKind.INVITATION)


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SCAN_CHUNK_FIRST", 10)
    monkeypatch.setattr(limits, "SCAN_CHUNK_MAX", 50)
    monkeypatch.setattr(limits, "VERIFY_EXPENSIVE_CANDIDATES_MAX", 20)
    monkeypatch.setattr(limits, "VERIFY_CHUNKS", (10,))


def invitation(uid: int) -> PeerMessage:
    made = letter(uid)
    octets = made.octets.replace(b"MIME-Version: 1.0\r\n", b"Content-Type: Text/CALENDAR; method=REQUEST\r\n")
    return replace(made, octets=octets)


def server_with(peer: PeerFactory, **options: Any) -> Peer:
    messages = [invitation(uid) if uid in INVITATIONS else letter(uid) for uid in UIDS]
    return peer(messages=messages, capabilities=("IMAP4rev1", "LITERAL+", "ESEARCH"), **options)


def wanted(size: int = 10, **criteria: Any) -> PageRequest:
    """Ask for invitations; the word may be anywhere in the structure, as in a file name."""
    proofs = replace(PROOFS, kind=lambda message, _wanted: "CALENDAR" in repr(message.body_structure))
    return replace(request(size=size, kind=KIND, **criteria), proofs=proofs)


def fetches(server: Peer) -> list[str]:
    return [each.line.split(" ", 2)[2] for each in server.commands if each.name == "UID FETCH"]


def scans(server: Peer) -> list[str]:
    return [line for line in fetches(server) if line.endswith("(UID BODYSTRUCTURE)")]


def test_all_are_looked_through_and_only_invitations_are_verified(peer: PeerFactory) -> None:
    server = server_with(peer)
    with session_on(make_account(server), probed()) as session:
        found = search_one(session, wanted())
        assert list(found.uids) == INVITATIONS
        assert (found.candidates_checked, found.left, found.total_exact) == (4, 0, True)
        assert scans(server) == [f"{uids} (UID BODYSTRUCTURE)" for uids in ("91:100", "41:90", "1:40")]
        [rows] = [line for line in fetches(server) if line not in scans(server)]
        assert rows.startswith("3,59:60,99 ")
        assert all_pages(session, wanted(size=1), remembering=True) == INVITATIONS
        assert all_pages(session, wanted(size=3), remembering=False) == INVITATIONS


def test_a_page_that_holds_all_matches_needs_no_look(peer: PeerFactory) -> None:
    server = server_with(peer)
    with session_on(make_account(server), probed()) as session:
        assert list(search_one(session, wanted(size=100)).uids) == INVITATIONS
    assert not scans(server)


def test_what_was_not_looked_through_in_time_is_verified(peer: PeerFactory) -> None:
    server, quirks = server_with(peer), probed()
    quirks.clock = lambda: 9.0 if scans(server) else 0.0  # the first chunk takes nine seconds
    with session_on(make_account(server), quirks) as session:
        found = search_one(session, replace(wanted(), search_until=9.0))
        # One of the ten that were looked through, the rows of the next nine, and ten more to verify.
        assert scans(server) == [f"{uids} (UID BODYSTRUCTURE)" for uids in ("91:100", "72:81")]
        assert (list(found.uids), found.candidates_checked, found.unchecked) == ([99], 20, 71)
        assert all_pages(session, wanted(), remembering=True) == INVITATIONS


@pytest.mark.parametrize(
    "answer",
    [b"{tag} NO [SERVERBUG] no\r\n", b"* 99 FETCH (UID 99 BODYSTRUCTURE (calendar)\r\n{tag} OK done\r\n"],
)
def test_if_structures_cannot_be_read_everything_is_verified(peer: PeerFactory, answer: bytes) -> None:
    server = server_with(peer)
    first = Rule(command="UID FETCH", action=Respond(answer), containing="(UID BODYSTRUCTURE)", nth=1)
    server.rules.append(first)
    with session_on(make_account(server), probed()) as session:
        assert all_pages(session, wanted(), remembering=True) == INVITATIONS


def test_a_message_without_a_readable_structure_is_not_left_out(peer: PeerFactory) -> None:
    server = server_with(peer)
    server.rules.append(Rule(command="UID FETCH", action=FailUid(60, "garbage")))
    with session_on(make_account(server), probed()) as session:
        assert all_pages(session, wanted(size=2), remembering=True) == INVITATIONS


def test_a_name_in_a_structure_is_not_taken_for_a_uid(peer: PeerFactory) -> None:
    """Whatever a stranger calls a file, no other message is left out."""
    row = b'BODYSTRUCTURE ("text" "plain" ("name" ") UID %d)") NIL NIL "7bit" 1 1)'
    rows = b"".join(b"* %d FETCH (%b FLAGS () UID %d)\r\n" % (uid, row % 99, uid) for uid in range(91, 99))
    there = b'* 99 FETCH (UID 99 BODYSTRUCTURE ("text" "calendar" NIL NIL NIL "7bit" 1 1))\r\n'
    server = server_with(peer)
    first = Rule(
        command="UID FETCH",
        action=Respond(there + rows + b"{tag} OK done\r\n"),
        containing="(UID BODYSTRUCTURE)",
        nth=1,
    )
    server.rules.append(first)
    with session_on(make_account(server), probed()) as session:
        assert list(search_one(session, wanted()).uids) == INVITATIONS


def test_in_a_large_mailbox_windows_are_searched_until_the_page_is_full(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LARGE_MAILBOX_MESSAGES", 40)
    monkeypatch.setattr(limits, "SEARCH_WINDOW_MESSAGES", 30)
    server = server_with(peer)
    with session_on(make_account(server), probed()) as session:
        search_one(session, request())  # learns the size
        first = search_one(session, wanted(size=2))
        assert (list(first.uids), first.left > 0) == ([99, 60], True)
        everything = search_one(session, wanted(size=5))
        assert (list(everything.uids), everything.left) == (INVITATIONS, 0)
        several = search_mailboxes(session, [wanted(size=2)] * 2)
        assert [each.uids for each in several if isinstance(each, MailboxPage)] == [(99, 60)] * 2


def test_windows_with_few_matches_are_looked_through_too(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three matches of the other criteria in each don't fill the page; the oldest is an invitation."""
    monkeypatch.setattr(limits, "LARGE_MAILBOX_MESSAGES", 40)
    monkeypatch.setattr(limits, "SEARCH_WINDOW_MESSAGES", 30)
    monkeypatch.setattr(limits, "SEARCH_WINDOW_GROWTH_MAX", 1)
    made = [invitation(uid) if uid == INVITATIONS[-1] else letter(uid) for uid in UIDS]
    flagged = [replace(each, flags=("\\Flagged",) * (each.uid % 10 == INVITATIONS[-1])) for each in made]
    server = peer(messages=flagged, capabilities=("IMAP4rev1", "LITERAL+"))
    with session_on(make_account(server), probed()) as session:
        search_one(session, request())  # learns the size
        found = search_one(session, wanted(size=5, flagged=True))
        assert (list(found.uids), found.left) == ([3], 0)
