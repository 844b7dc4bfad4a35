"""Searches for a kind of mail find what an independent reading of random mailboxes says."""

import pytest

from imap.searches import letter
from mailmcp.model.mail_kind import MailKind
from mailmcp.model.owner import Owner
from mailmcp.tools.preferences import Preferences
from search.random_kinds import OWNER, kinds_of, make_messages
from search.walking import walk
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMessage
from thinning import thin
from tools.conftest import DeskFactory
from tools.stores import ACCOUNT_ID, Store, peer_account

MESSAGES = 90
SEEDS = range(4)


@pytest.mark.parametrize("seed", thin(SEEDS, keep_every=len(SEEDS)))
def test_random_mailboxes(store: Store, open_desk: DeskFactory, seed: int) -> None:
    messages = make_messages(seed, MESSAGES)
    uids = store.fill("INBOX", messages)
    desk = open_desk(store.account)
    desk.preferences = Preferences(owners={ACCOUNT_ID: Owner(addresses=(OWNER,))})
    known = {uid: kinds_of(octets) for uid, octets in zip(uids, messages, strict=True)}
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
        ("FROM", b"* SEARCH\r\n{tag} OK -\r\n"),
        ("NOT", b"* SEARCH\r\n{tag} OK -\r\n"),
        ("nothing", b""),
    ],
    ids=["finds-all", "finds-none", "from-fails", "not-fails", "good"],
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
