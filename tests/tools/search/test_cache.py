"""A page is the same with the cache of searches and without, whatever happens between two pages."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from servers.peer import Peer, PeerFactory
from servers.peer_mailbox import PeerMailbox, PeerMessage
from thinning import thin
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import Store, peer_account

NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)
SERVERS = {
    "sorts": ("IMAP4rev1", "LITERAL+", "ESEARCH", "SORT"),
    "plain": ("IMAP4rev1",),
}
SEARCHES: Sequence[Mapping[str, object]] = (
    {"mailbox": "INBOX"},
    {"mailbox": "INBOX", "sort": "oldest"},
    {"mailbox": "INBOX", "sort": "largest"},
    {"mailbox": "INBOX", "sort": "oldest", "unread_only": True},
    {"mailbox": "INBOX", "flagged": True},
    {"mailbox": "INBOX", "since": "2024-03-03", "sort": "oldest"},
    {"mailbox": "INBOX", "since": "2024-03-03", "sort": "largest"},
    {"mailbox": "INBOX", "before": "2024-03-08"},
    {"mailbox": "*"},
    {"mailbox": "*", "sort": "oldest"},
    {"mailbox": "*", "sort": "largest"},
    {"mailboxes": ["INBOX", "Lists"], "subject": "report"},
    {"mailbox": "INBOX", "dates": "written"},
    {"mailbox": "*", "dates": "written", "sort": "oldest"},
    {"mailbox": "*", "dates": "written", "since": "2024-03-03"},
)


@dataclass
class Mail:
    """Two mailboxes in which mail comes and goes, and what becomes of each message."""

    server: Peer
    chance: random.Random
    in_order: bool
    """Whether what comes is newer than all that is there."""

    written: dict[str, datetime] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    stirred: set[str] = field(default_factory=set)
    """Those that came, went, moved or got other flags since the search began."""

    def __post_init__(self) -> None:
        self.boxes = self.server.settings.mailboxes
        self.count = 0
        for _ in range(24):
            self.arrive()
        self.stirred.clear()

    def arrive(self) -> None:
        self.count += 1
        box = self.chance.choice(self.boxes)
        day = self.count if self.in_order else self.chance.randrange(12)
        text = "Text.\n" * self.chance.randrange(1, 9)
        written = NOON + timedelta(hours=self.count * 37 % 290)
        letter = make_letter(f"Weekly report {self.count}", text, date=format_datetime(written))
        letter["Message-ID"] = name = f"<{self.count}@example.org>"
        message = PeerMessage(
            uid=box.uidnext,
            octets=letter.as_bytes(),
            received=NOON + timedelta(days=day % 12 if not self.in_order else day / 3),
            flags=tuple(flag for flag in ("\\Seen", "\\Flagged") if self.chance.random() < 0.5),
        )
        box.messages.append(message)
        self.stirred.add(name.strip("<>"))
        self.written[name.strip("<>")] = written

    def change(self) -> None:
        """Let up to three things happen."""
        for _ in range(self.chance.choice([0, 0, 1, 2, 3])):
            self.chance.choice([self.arrive, self.expunge, self.flag, self.move])()

    def expunge(self) -> None:
        box, message = self._any()
        box.messages.remove(message)
        self.gone.add(_name(message))
        self.stirred.add(_name(message))

    def flag(self) -> None:
        _, message = self._any()
        message.flags = tuple({"\\Seen", "\\Flagged"} - set(message.flags))
        self.stirred.add(_name(message))

    def move(self) -> None:
        box, message = self._any()
        to = self.chance.choice(self.boxes)
        uid = to.uidnext
        box.messages.remove(message)
        message.uid = uid
        to.messages.append(message)
        self.stirred.add(_name(message))

    def _any(self) -> tuple[PeerMailbox, PeerMessage]:
        return self.chance.choice([(box, each) for box in self.boxes for each in box.messages])

    def matching(self, asked: Mapping[str, Any]) -> set[str]:
        """Name the messages that match now, by rules of this test's own."""
        boxes = self.boxes if "mailboxes" in asked or asked["mailbox"] == "*" else self.boxes[:1]

        def matches(each: PeerMessage) -> bool:
            moment = self.written[_name(each)] if "dates" in asked else each.received
            day = moment.date().isoformat()
            return (
                ("unread_only" not in asked or "\\Seen" not in each.flags)
                and ("flagged" not in asked or "\\Flagged" in each.flags)
                and day >= asked.get("since", "")
                and day < asked.get("before", "9")
            )

        return {_name(each) for box in boxes for each in box.messages if matches(each)}


def _name(message: PeerMessage) -> str:
    return message.octets.partition(b"Message-ID: <")[2].partition(b">")[0].decode()


def rank(row: Mapping[str, Any], asked: Mapping[str, Any], mail: Mail) -> float:
    """Tell where a row stands: later ones have higher numbers."""
    times = {_name(each): each.received for box in mail.boxes for each in box.messages}
    if asked.get("sort") == "largest":
        return -float(row["size_bytes"])
    times = mail.written if "dates" in asked else times
    moment = times[row["header_message_id"]].timestamp()
    return moment if asked.get("sort") == "oldest" else -moment


@pytest.mark.parametrize("in_windows", [False, True], ids=["at once", "in windows"])
@pytest.mark.parametrize("asked", SEARCHES, ids=lambda asked: "-".join(map(str, asked.values())))
@pytest.mark.parametrize("capabilities", SERVERS)
@pytest.mark.parametrize("in_order", thin([True, False], keep_every=2))
def test_each_page_is_what_it_would_be_without_the_cache(
    peer: PeerFactory,
    open_desk: DeskFactory,
    monkeypatch: pytest.MonkeyPatch,
    asked: Mapping[str, Any],
    capabilities: str,
    *,
    in_order: bool,
    in_windows: bool,
) -> None:
    if in_windows:
        monkeypatch.setattr("mailmcp.imap.search.windows.LARGE_MAILBOX_MESSAGES", 8)
        monkeypatch.setattr("mailmcp.imap.search.windows.SEARCH_WINDOW_MESSAGES", 3)
        monkeypatch.setattr("mailmcp.imap.search.windows.SEARCH_WINDOW_GROWTH_MAX", 1.0)
        monkeypatch.setattr("mailmcp.imap.search.candidates.BLOCK_MESSAGES", 4)
    if in_windows or capabilities == "plain":  # only a server orders by size, and no large mailbox
        asked = {name: "newest" if each == "largest" else each for name, each in asked.items()}
    chance = random.Random(f"{asked}{capabilities}{in_order}0")  # noqa: S311 - it must repeat
    server = peer(capabilities=SERVERS[capabilities], mailboxes=[PeerMailbox(name="Lists")])
    mail = Mail(server=server, chance=chance, in_order=in_order)
    kept, bare = open_desk(peer_account(server)), open_desk(peer_account(server))
    if in_windows:
        bare.search(**asked)  # a mailbox is large if it was when it was last opened
    expected = mail.matching(asked)
    page = kept.search(**asked, limit=chance.choice([1, 2, 3, 5]))
    given: list[str] = []
    while True:
        rows = page.data["messages"]
        assert page.data["issues"] == []
        names = [row["header_message_id"] for row in rows]
        assert not mail.gone.intersection(names)
        ranks = [rank(row, asked, mail) for row in rows if row["header_message_id"] not in mail.stirred]
        # A mailbox that is too large to be sorted goes by blocks.
        goes_by_blocks = in_windows and (not in_order or "dates" in asked)
        assert goes_by_blocks or ranks == sorted(ranks)
        given += names
        cursor = page.data.get("next_cursor")
        if cursor is None:
            break
        mail.change()
        bare.forget()
        without = bare.search(cursor=cursor)
        page = kept.search(cursor=cursor)
        assert page.data["messages"] == without.data["messages"]
        if not in_windows:  # else one may know that there are no more, and the other not yet
            assert page.data == without.data
            assert page.text == without.text
    undisturbed = expected - mail.stirred
    assert undisturbed <= set(given), "one that stayed as it was is missing"
    assert not [each for each in set(given) - mail.stirred if given.count(each) > 1], "one is given twice"
    assert set(given) <= expected | mail.stirred


def test_mail_that_arrives_costs_newest_first_no_search(store: Store, desk: Desk) -> None:
    store.fill("INBOX", [make_letter(f"Message {number}").as_bytes() for number in range(6)])
    cursor = desk.search(limit=2).data["next_cursor"]
    store.fill("INBOX", [make_letter("New").as_bytes()])
    second = desk.search(cursor=cursor)
    assert (second.places, second.telemetry.imap_round_trips) == ([4, 3], 1)
    assert second.telemetry.cache_hit
