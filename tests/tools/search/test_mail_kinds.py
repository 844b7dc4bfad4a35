"""Searches for a kind of mail find what an independent reading of random mailboxes says."""

import pytest

from imap.searches import letter
from mailmcp import limits
from mailmcp.model import mail_kind
from mailmcp.model.mail_kind import MailKind
from mailmcp.model.owner import Owner
from mailmcp.tools.preferences import Preferences
from mcp_envelope import InvalidInputError
from search.random_kinds import OWNER, kinds_of, make_messages, make_sent, recipients_of
from search.walking import walk
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMessage
from thinning import thin
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.stores import ACCOUNT_ID, Store, peer_account

MESSAGES = 90
SEEDS = range(4)


@pytest.mark.parametrize("seed", thin(SEEDS, keep_every=len(SEEDS)))
def test_random_mailboxes(store: Store, open_desk: DeskFactory, seed: int) -> None:
    messages, sent = make_messages(seed, MESSAGES), make_sent(seed, 12)
    uids = store.fill("INBOX", messages)
    store.fill("Sent", sent)
    desk = open_desk(store.account)
    desk.preferences = Preferences(owners={ACCOUNT_ID: Owner(addresses=(OWNER,))})
    written_to = recipients_of(sent)
    known = {uid: kinds_of(octets, written_to) for uid, octets in zip(uids, messages, strict=True)}
    for kind in MailKind:
        expected = [uid for uid in reversed(uids) if kind in known[uid]]
        assert len(expected) >= 3, "the mailbox proves too little"
        pages = list(walk(desk, {"kind": kind, "limit": 12}))
        assert [uid for page in pages for uid in page.uids] == expected, kind
        assert all(page.data["coverage"]["complete"] for page in pages), kind
        everywhere = desk.search(kind=kind, mailbox="*", limit=100)
        assert [each["uid"] for each in everywhere.data["messages"] if each["mailbox"] == "INBOX"] == expected


FIELDS = (
    "List-Unsubscribe: <https://x/u>",
    "Auto-Submitted: auto-generated",
    "List-Post: NO",
    "X-Tea: green",
)
EXPECTED = {
    "newsletter": [18, 14, 10, 6, 2],
    "automatic": [19, 15, 11, 7, 3],
    "personal": [20, 17, 16, 13, 12],
}
ALL = b" ".join(b"%d" % uid for uid in range(1, 21))


def with_fields(uid: int) -> PeerMessage:
    made = letter(uid)
    made.octets = FIELDS[(uid + 2) % 4].encode() + b"\r\n" + made.octets
    return made


@pytest.mark.parametrize("kind", EXPECTED)
@pytest.mark.parametrize(
    ("containing", "answer"),
    [
        ('""', b"* SEARCH " + ALL + b"\r\n{tag} OK -\r\n"),  # seen where the empty text is ignored
        ('""', b"* SEARCH\r\n{tag} OK -\r\n"),
        ('""', b"{tag} BAD Empty argument\r\n"),
        ("FROM", b"* SEARCH\r\n{tag} OK -\r\n"),
        ("NOT", b"* SEARCH\r\n{tag} OK -\r\n"),
        ("nothing", b""),
    ],
    ids=["finds-all", "finds-none", "refuses", "from-fails", "not-fails", "good"],
)
def test_servers_that_do_not_know_the_empty_text(
    peer: PeerFactory, open_desk: DeskFactory, kind: str, containing: str, answer: bytes
) -> None:
    rule = Rule(command="UID SEARCH", containing=containing, action=Respond(answer))
    messages = [with_fields(uid) for uid in range(1, 21)]
    server = peer(messages=messages, capabilities=("IMAP4rev1", "LITERAL+"), rules=[rule])
    reply = open_desk(peer_account(server)).search(kind=kind, limit=5)
    assert reply.uids == EXPECTED[kind]
    assert reply.data["coverage"]["complete"]
    said = "search by kinds of mail doesn't work" in reply.data["coverage"]["method"]
    assert said == (containing != "nothing")


def write_to(*addresses: str) -> bytes:
    return f"From: me@home.example\r\nTo: {', '.join(addresses)}\r\nSubject: Tea\r\n\r\nTea?\r\n".encode()


def from_(address: str) -> bytes:
    return f"From: {address}\r\nSubject: Tea\r\nMIME-Version: 1.0\r\n\r\nTea.\r\n".encode()


def test_correspondents_are_learned_once_and_then_followed(
    dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    dovecot_mail.fill("INBOX", [from_("ann@a.example"), from_("bob@b.example"), from_("eve@e.example")])
    dovecot_mail.fill("Sent", [write_to("Ann <Ann@A.example>")])
    desk = open_desk(dovecot_mail.account)
    desk.search(from_="nobody")  # the probes of a first search
    first = desk.search(kind="correspondent")
    assert first.uids == [1]
    said = "Correspondents are the 1 address to which the messages in `Sent` went."
    assert said in first.data["coverage"]["method"]
    again = desk.search(kind="correspondent")
    assert first.telemetry.imap_round_trips - again.telemetry.imap_round_trips == 2, "LIST and FETCH"
    dovecot_mail.fill("Sent", [write_to("bob@b.example")])
    assert desk.search(kind="correspondent").uids == [2, 1]
    dovecot_mail.rebuild("Sent")
    assert desk.search(kind="correspondent").uids == []


def test_a_large_sent_mailbox_is_read_in_part(
    dovecot_mail: Store, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SENT_MESSAGES_MAX", 2)
    dovecot_mail.fill("INBOX", [from_("ann@a.example"), from_("bob@b.example")])
    dovecot_mail.fill("Sent", [write_to("ann@a.example"), write_to("bob@b.example"), write_to("eve@e")])
    reply = open_desk(dovecot_mail.account).search(kind="correspondent")
    assert reply.uids == [2]
    assert not reply.data["coverage"]["complete"]
    assert "the newest 2 of 3 messages in `Sent`" in reply.text


def test_more_correspondents_than_a_search_takes_are_checked_here(
    dovecot_mail: Store, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_kind, "KIND_ADDRESSES_MAX", 1)
    dovecot_mail.fill("INBOX", [from_("ann@a.example"), from_("bob@b.example"), from_("eve@e.example")])
    dovecot_mail.fill("Sent", [write_to("ann@a.example", "bob@b.example")])
    reply = open_desk(dovecot_mail.account).search(kind="correspondent")
    assert reply.uids == [2, 1]
    assert "were checked here, message by message" in reply.data["coverage"]["method"]


def test_without_sent_mail_there_are_no_correspondents(pymap_mail: Store, open_desk: DeskFactory) -> None:
    pymap_mail.fill("INBOX", [from_("ann@a.example")])
    with pytest.raises(
        InvalidInputError, match="kind: needs a mailbox for sent mail, and account work has none"
    ):
        open_desk(pymap_mail.account).search(kind="correspondent")


def test_an_unknown_kind_is_refused_with_those_there_are(desk: Desk) -> None:
    with pytest.raises(InvalidInputError, match="kind: must be one of: invitation, newsletter, automatic, "):
        desk.search(kind="spam")


def test_kinds_can_be_counted(
    dovecot_mail: Store, open_desk: DeskFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SENT_MESSAGES_MAX", 1)
    news = b"List-Unsubscribe: <https://x/u>\r\n"
    dovecot_mail.fill("INBOX", [news + from_("shop@a.example")] * 3 + [from_("ann@a.example")])
    dovecot_mail.fill("Sent", [write_to("bob@b.example"), write_to("ann@a.example")])
    desk = open_desk(dovecot_mail.account)
    counted = desk.search(kind="newsletter", group_by="sender").data
    assert [(each["key"], each["count"]) for each in counted["groups"]] == [("shop@a.example", 3)]
    assert counted["coverage"]["complete"]
    counted = desk.search(kind="correspondent", group_by="sender").data
    assert [(each["key"], each["count"]) for each in counted["groups"]] == [("ann@a.example", 1)]
    assert not counted["coverage"]["complete"]
    assert "the newest 1 of 2 messages in `Sent`" in counted["coverage"]["method"]
