"""Where conversations are looked for, and what is said when something could not be seen."""

from datetime import timedelta

import pytest

from mailmcp import limits
from servers.peer import PeerFactory
from servers.peer_actions import FailUid, Respond, Rule
from servers.peer_mailbox import PeerMailbox, PeerMessage
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.stores import Store, peer_account
from tools.talks import BEGAN, make_talk, make_turn, turn_id


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
    assert "Only 3 of its messages are shown." in reply.data["coverage"]["method"]


def test_a_conversation_stays_within_the_servers_message_limit(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    """RFC 9738."""
    server = peer(messages=peer_messages(make_talk(6)), capabilities=("IMAP4rev1", "MESSAGELIMIT=2"))
    assert texts(thread_of_newest(open_desk(peer_account(server)))) == [f"Turn {n}." for n in range(1, 7)]
    fetched = [each.line.split(" ")[2] for each in server.commands if each.name == "UID FETCH"]
    assert fetched[-3:] == ["1:2", "3:4", "5:6"]
    assert not {"1:5", "1:6"}.intersection(fetched)


def drafts_of(reply: Reply) -> list[bool]:
    """Tell for each line whether it says that it was not sent; the data must agree."""
    marked = ["draft, not sent" in line for line in reply.text.split("\n") if line.startswith("- ")]
    assert [
        any(flag.lower() == "\\draft" for flag in row["flags"]) for row in reply.data["messages"]
    ] == marked
    return marked


@pytest.mark.parametrize(
    ("attributes", "flags", "draft"),
    [
        (("\\Drafts",), ("\\Seen",), True),
        (("\\Drafts",), ("\\DRAFT",), True),
        ((), ("\\Draft",), True),
        ((), (), False),
        (("\\Sent",), ("\\Seen",), False),
    ],
)
def test_a_draft_is_told_by_its_flag_or_its_mailbox(
    peer: PeerFactory,
    open_desk: DeskFactory,
    attributes: tuple[str, ...],
    flags: tuple[str, ...],
    *,
    draft: bool,
) -> None:
    turns = make_talk(2)
    written = PeerMailbox(
        name="Own", messages=[PeerMessage(uid=7, octets=turns[1], flags=flags)], attributes=attributes
    )
    server = peer(messages=peer_messages(turns[:1]), mailboxes=[written])
    assert drafts_of(thread_of_newest(open_desk(peer_account(server)))) == [False, draft]


@pytest.mark.parametrize("asked", ["INBOX", "Drafts", "Sent"])
def test_what_was_sent_is_no_draft_though_one_was_left_behind(
    peer: PeerFactory, open_desk: DeskFactory, asked: str
) -> None:
    turns = make_talk(2)
    left = PeerMailbox(name="Drafts", messages=[PeerMessage(uid=7, octets=turns[1], flags=("\\Draft",))])
    sent = PeerMailbox(name="Sent", messages=peer_messages(turns[1:]))
    server = peer(messages=peer_messages(turns[:1]), mailboxes=[left, sent])
    reply = thread_of_newest(open_desk(peer_account(server)), asked)
    assert drafts_of(reply) == [False, False]
    row = reply.data["messages"][1]
    assert ":Sent:" in row["message_id"]
    assert [":Drafts:" in each for each in row["places"]] == [True]


@pytest.mark.parametrize("asked", ["INBOX", "Drafts", "Everything"])
@pytest.mark.parametrize("flags", [("\\Draft",), ()])
def test_a_draft_left_behind_is_in_all_mail_beside_what_was_sent(
    peer: PeerFactory, open_desk: DeskFactory, asked: str, flags: tuple[str, ...]
) -> None:
    turns = make_talk(2)
    later = BEGAN + timedelta(days=1)
    left = PeerMessage(uid=7, octets=turns[1], flags=flags)
    sent = PeerMessage(uid=8, octets=turns[1], received=later)
    mailboxes = [
        PeerMailbox(name="Drafts", messages=[left]),
        PeerMailbox(name="Sent", messages=[sent]),
        PeerMailbox(name="Everything", messages=[left, sent], attributes=("\\All",)),
    ]
    server = peer(messages=peer_messages(turns[:1]), mailboxes=mailboxes)
    reply = thread_of_newest(open_desk(peer_account(server)), asked)
    assert texts(reply) == ["Turn 1.", "Turn 2."]
    assert drafts_of(reply) == [False, False]
    assert len(reply.data["messages"][1]["places"]) == 3


def test_a_draft_with_another_text_is_shown_beside_what_was_sent(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    turns = make_talk(2)
    longer = turns[1].replace(b"Turn 2.", b"Turn 2, and more.")
    left = PeerMailbox(name="Drafts", messages=peer_messages([longer]))
    reply = thread_of_newest(open_desk(peer_account(peer(messages=peer_messages(turns), mailboxes=[left]))))
    shown = zip(texts(reply), drafts_of(reply), strict=True)
    assert sorted(shown) == [("Turn 1.", False), ("Turn 2, and more.", True), ("Turn 2.", False)]


def test_copies_of_a_draft_without_a_message_id_are_one(pymap_mail: Store, open_desk: DeskFactory) -> None:
    """The server's ids (EMAILID, RFC 8474) prove them."""
    pymap_mail.fill("INBOX", [make_turn(1)])
    [uid] = pymap_mail.fill("Drafts", [make_turn(2, references=[turn_id(1)], message_id="")])
    with pymap_mail.client() as client:
        client.create_folder("Everything")
        client.select_folder("Drafts")
        client.add_flags([uid], [b"\\Draft"])
        client.copy([uid], "Everything")
    reply = thread_of_newest(open_desk(pymap_mail.account))
    assert texts(reply) == ["Turn 1.", "Turn 2."]
    assert [len(row.get("places", [])) for row in reply.data["messages"]] == [0, 1]


def test_nothing_is_folded_within_one_mailbox(pymap_mail: Store, open_desk: DeskFactory) -> None:
    """Though the server says that they are equal: a page of a search lists both, too."""
    [uid] = pymap_mail.fill("INBOX", [make_turn(1)])
    with pymap_mail.client() as client:
        client.select_folder("INBOX")
        client.copy([uid], "INBOX")
    desk = open_desk(pymap_mail.account)
    first, second = desk.search().data["messages"]
    assert first["email_id"] == second["email_id"]
    assert texts(thread_of_newest(desk)) == ["Turn 1.", "Turn 1."]


@pytest.mark.parametrize("asked", ["INBOX", "Drafts"])
def test_a_copy_in_all_mail_does_not_say_that_a_draft_was_sent(
    peer: PeerFactory, open_desk: DeskFactory, asked: str
) -> None:
    turns = make_talk(2)
    drafts = PeerMailbox(name="Drafts", messages=peer_messages(turns[1:]))
    everything = PeerMailbox(name="Everything", messages=peer_messages(turns), attributes=("\\All",))
    server = peer(messages=peer_messages(turns[:1]), mailboxes=[drafts, everything])
    assert drafts_of(thread_of_newest(open_desk(peer_account(server)), asked)) == [False, True]


def test_a_copy_of_the_one_asked_for_is_found_among_too_many(
    peer: PeerFactory, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is folded into the one that was sent."""
    monkeypatch.setattr(limits, "THREAD_MESSAGES_MAX", 2)
    turns = make_talk(4)
    left = PeerMailbox(name="Drafts", messages=peer_messages(turns[3:]))
    server = peer(messages=peer_messages(turns), mailboxes=[left])
    assert texts(thread_of_newest(open_desk(peer_account(server)), "Drafts")) == ["Turn 3.", "Turn 4."]


def test_a_conversation_longer_than_is_shown_has_the_message_asked_for(
    dovecot_mail: Store, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    dovecot_mail.fill("INBOX", make_talk(5))
    desk = open_desk(dovecot_mail.account)
    newest, *_, oldest = desk.search().data["messages"]
    monkeypatch.setattr(limits, "THREAD_MESSAGES_MAX", 3)
    for row, turn in ((newest, "Turn 5."), (oldest, "Turn 1.")):
        reply = desk.call("imap_get_thread", {"message_id": row["message_id"]})
        assert turn in texts(reply)
        assert len(texts(reply)) == 3
        assert not reply.data["coverage"]["complete"]


def test_copies_do_not_make_a_conversation_too_long(
    dovecot_mail: Store, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "THREAD_MESSAGES_MAX", 3)
    for mailbox in ("INBOX", "Kept"):
        dovecot_mail.fill(mailbox, make_talk(3), received=BEGAN)
    reply = thread_of_newest(open_desk(dovecot_mail.account))
    assert texts(reply) == ["Turn 1.", "Turn 2.", "Turn 3."]
    assert reply.data["coverage"]["complete"]


def test_messages_of_the_same_subject_do_not_crowd_a_conversation_out(
    dovecot_mail: Store, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A subject as `Offer` is that of many; those that the ids name come first."""
    others = [
        make_turn(number, subject="Offer", message_id=f"<other{number}@shop.example>")
        for number in range(9, 19)
    ]
    dovecot_mail.fill("INBOX", [*make_talk(3), *others])
    desk = open_desk(dovecot_mail.account)
    first = desk.search(sort="oldest", limit=1).data["messages"][0]
    monkeypatch.setattr(limits, "THREAD_MESSAGES_MAX", 4)
    reply = desk.call("imap_get_thread", {"message_id": first["message_id"]})
    assert texts(reply) == ["Turn 1.", "Turn 2.", "Turn 3."]
    assert "Very many messages have its subject" in reply.data["coverage"]["method"]
    assert not reply.data["coverage"]["complete"]


def test_threads_by_the_server_are_searched_in_all_mail(pymap_mail: Store, open_desk: DeskFactory) -> None:
    """THREADID (RFC 8474): a server may join what headers do not."""
    turns = [make_turn(1, subject="Plan"), make_turn(2, references=[turn_id(1)], subject="Re: Plan")]
    pymap_mail.fill("INBOX", turns)
    reply = thread_of_newest(open_desk(pymap_mail.account))
    assert texts(reply) == ["Turn 1.", "Turn 2."]
    assert reply.data["coverage"]["method"].startswith("Found by the server's thread ids, Message-ID")


@pytest.mark.parametrize("mailbox", ["INBOX", "Archive"])
def test_a_forgery_hides_nothing_where_the_server_knows_copies(
    pymap_mail: Store, open_desk: DeskFactory, mailbox: str
) -> None:
    """Whoever was sent a message knows its headers; EMAILID (RFC 8474) he does not make."""
    pymap_mail.fill("INBOX", make_talk(2))
    with pymap_mail.client() as client:
        client.create_folder("Archive")
    pymap_mail.fill(mailbox, [make_talk(2)[1].replace(b"Turn 2.", b"Forged.")])
    found = texts(thread_of_newest(open_desk(pymap_mail.account)))
    assert sorted(found) == ["Forged.", "Turn 1.", "Turn 2."]


def test_a_forgery_hides_nothing_in_the_mailbox_of_the_message(
    dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    """Without such ids only copies in other mailboxes are folded."""
    forged = make_talk(2)[1].replace(b"Turn 2.", b"Forged.")
    dovecot_mail.fill("INBOX", [*make_talk(2), forged], received=BEGAN)
    dovecot_mail.fill("Kept", make_talk(2), received=BEGAN)
    reply = thread_of_newest(open_desk(dovecot_mail.account))
    assert sorted(texts(reply)) == ["Forged.", "Turn 1.", "Turn 2."]
    assert sorted(len(row.get("places", [])) for row in reply.data["messages"]) == [0, 1, 1]


@pytest.mark.parametrize("text", [b"Forged.", b"This is forged."])
def test_a_forgery_in_another_mailbox_hides_nothing(
    dovecot_mail: Store, open_desk: DeskFactory, text: bytes
) -> None:
    """Of the same size or not, it came later."""
    dovecot_mail.fill("INBOX", make_talk(2), received=BEGAN)
    forged = make_talk(2)[1].replace(b"Turn 2.", text)
    dovecot_mail.fill("Kept", [forged], received=BEGAN + timedelta(seconds=1))
    reply = thread_of_newest(open_desk(dovecot_mail.account))
    assert sorted(texts(reply)) == sorted(["Turn 1.", "Turn 2.", text.decode()])
