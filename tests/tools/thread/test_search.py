"""Where conversations are looked for, and what is said when something could not be seen."""

import pytest

from mailmcp.envelope import limits
from servers.peer import PeerFactory
from servers.peer_actions import FailUid, Respond, Rule
from servers.peer_mailbox import PeerMailbox, PeerMessage
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.stores import Store, peer_account
from tools.talks import make_talk, make_turn, turn_id


def peer_messages(turns: list[bytes], first: int = 1) -> list[PeerMessage]:
    return [PeerMessage(uid=number, octets=octets) for number, octets in enumerate(turns, first)]


def thread_of_newest(desk: Desk, mailbox: str = "INBOX") -> Reply:
    message_id = desk.search(mailbox=mailbox, limit=1).data["messages"][0]["message_id"]
    return desk.call("imap_get_thread", {"message_id": message_id})


def texts(reply: Reply) -> list[str]:
    return [row["text"] for row in reply.data["messages"]]


def test_a_mailbox_that_cannot_be_searched_is_said(peer: PeerFactory, open_desk: DeskFactory) -> None:
    turns = make_talk(2)
    refused = Rule(command="EXAMINE", containing="Sent", action=Respond(b"{tag} NO [NOPERM] not yours\r\n"))
    server = peer(
        messages=peer_messages(turns[:1]),
        mailboxes=[PeerMailbox(name="Sent", messages=peer_messages(turns[1:]))],
        rules=[refused],
    )
    reply = thread_of_newest(open_desk(peer_account(server)))
    assert texts(reply) == ["Turn 1."]
    assert reply.data["status"] == "partial"
    [issue] = reply.data["issues"]
    assert (issue["mailbox"], issue["stage"]) == ("Sent", "search")
    coverage = reply.data["coverage"]
    assert (coverage["complete"], coverage["mailboxes_failed"]) == (False, ["Sent"])


def test_a_message_whose_row_cannot_be_had_is_an_issue(peer: PeerFactory, open_desk: DeskFactory) -> None:
    broken = Rule(command="UID FETCH", containing="REFERENCES", action=FailUid(1))
    server = peer(messages=peer_messages(make_talk(2)), rules=[broken])
    reply = thread_of_newest(open_desk(peer_account(server)))
    assert texts(reply) == ["Turn 2."]
    [issue] = reply.data["issues"]
    assert (issue["uid"], issue["mailbox"], reply.data["coverage"]["complete"]) == (1, "INBOX", False)


def test_a_server_that_cannot_search_subjects_still_finds_by_ids(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    refused = Rule(command="UID SEARCH", containing="SENTSINCE", action=Respond(b"{tag} BAD what\r\n"))
    server = peer(messages=peer_messages(make_talk(3)), rules=[refused])
    reply = thread_of_newest(open_desk(peer_account(server)))
    assert texts(reply) == ["Turn 1.", "Turn 2.", "Turn 3."]
    assert reply.data["coverage"]["complete"] is True


def test_a_mailbox_is_not_failed_by_what_is_only_of_help(peer: PeerFactory, open_desk: DeskFactory) -> None:
    """A message without any id has nothing but its subject to be found by."""
    letter = make_letter("A subject of its own").as_bytes()
    refused = Rule(command="UID SEARCH", containing="SENTSINCE", action=Respond(b"{tag} BAD what\r\n"))
    server = peer(messages=peer_messages([letter]), rules=[refused])
    reply = thread_of_newest(open_desk(peer_account(server)))
    assert texts(reply) == ["Text"]


def test_very_long_chains_are_not_followed_for_ever(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    """Each message names only the one before it, so that each search finds one more on either side."""
    turns = [
        make_turn(number, in_reply_to=turn_id(number - 1), subject=f"Topic {number}")
        for number in range(1, 13)
    ]
    dovecot_mail.fill("INBOX", turns)
    reply = thread_of_newest(open_desk(dovecot_mail.account))
    assert len(texts(reply)) == limits.THREAD_ROUNDS_MAX + 1
    assert texts(reply)[-1] == "Turn 12."
    coverage = reply.data["coverage"]
    assert coverage["complete"] is False
    assert "not followed to the end" in coverage["method"]
    assert any("not followed to the end" in warning for warning in reply.outcome.warnings)


def test_a_conversation_that_is_too_long_says_so(
    dovecot_mail: Store, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "THREAD_MESSAGES_MAX", 3)
    dovecot_mail.fill("INBOX", make_talk(5))
    reply = thread_of_newest(open_desk(dovecot_mail.account))
    assert len(texts(reply)) == 3
    assert "Only 3 messages of it are shown." in reply.data["coverage"]["method"]


def test_threads_by_the_server_are_searched_in_all_mail(pymap_mail: Store, open_desk: DeskFactory) -> None:
    """THREADID (RFC 8474): a server may join what headers do not."""
    turns = [make_turn(1, subject="Plan"), make_turn(2, references=[turn_id(1)], subject="Re: Plan")]
    pymap_mail.fill("INBOX", turns)
    reply = thread_of_newest(open_desk(pymap_mail.account))
    assert texts(reply) == ["Turn 1.", "Turn 2."]
    assert reply.data["coverage"]["method"].startswith("Found by the server's thread ids, Message-ID")
