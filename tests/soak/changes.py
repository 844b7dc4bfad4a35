"""A walk: another program does random things, and the states that follow each other must give the truth.

The truth is what a program sees that has just logged in. What isn't known must be said: how many messages are
gone of which it isn't known which, and in which mailboxes flags aren't followed.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

from imapclient import IMAPClient

from mailmcp.model.message_ref import MessageRef
from mcp_envelope import Code, ConflictError
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import Store

CHANGES: Final = "imap_get_changes"

PLAINER: Final = "imap_capability = IMAP4rev1 LITERAL+ MULTIAPPEND UIDPLUS ENABLE CONDSTORE ESEARCH\n"
"""For `Dovecot(extra=…)`: CONDSTORE without QRESYNC, as Gmail has it."""

MAILBOXES: Final = ("INBOX", "Work", "Grüße: a", 'x "y" %*', "Projects/1", "Passing")
"""Those that the other program makes, renames and deletes; INBOX always is."""

MESSAGES_MAX: Final = 80
"""In one mailbox: above, more is deleted. Some mailboxes get more gaps than a state can hold."""

_FLAGS: Final = (b"\\Seen", b"\\Flagged", b"\\Answered", b"$Later")
_AT_ONCE_MAX: Final = 30
"""Things that happen between two looks."""

_MEANWHILE_SHARE: Final = 0.2
"""How often something happens between two pages."""

_LEFT: Final = re.compile(r"(\d+) (?:other )?messages? left `(.*)`; which isn't known\.")
_FLAGS_UNKNOWN: Final = re.compile(r"Which flags changed in `(.*)` isn't known\.")

Known = dict[str, dict[str, frozenset[str]]]
"""Flags by mailbox and message id."""


def letters(count: int) -> list[bytes]:
    """Make so many different messages."""
    return [make_letter(f"Letter {number}", "Text\n").as_bytes() for number in range(count)]


def truth(store: Store) -> Known:
    """Read all messages and their flags, as a program that has just logged in."""
    found: Known = {}
    with store.client() as client:
        for name in _names(client):
            uidvalidity = client.select_folder(name, readonly=True)[b"UIDVALIDITY"]
            uids, rows = client.search(), found.setdefault(name, {})
            for uid, row in client.fetch(uids, ["FLAGS"]).items() if uids else ():
                ref = MessageRef(account_id="work", mailbox=name, uidvalidity=uidvalidity, uid=uid)
                rows[ref.message_id] = frozenset(
                    flag.decode() for flag in row[b"FLAGS"] if flag != b"\\Recent"
                )
    return found


def _names(client: IMAPClient) -> list[str]:
    listed = client.list_folders()
    return [name for flags, _, name in listed if name not in {"Junk", "Trash"} and b"\\Noselect" not in flags]


@dataclass(slots=True)
class OtherProgram:
    """A second client of the same user, which does random things."""

    client: IMAPClient
    random: Random
    done: Counter[str] = field(default_factory=Counter)

    def act(self) -> None:
        """Do one thing."""
        every = _names(self.client)
        name, target = self.random.choice(every), self.random.choice(every)
        self.client.select_folder(name)
        uids = self.client.search()
        count = self.random.randint(1, 4 if len(uids) < MESSAGES_MAX else 30)
        some = self.random.sample(uids, min(count, len(uids)))
        flags = self.random.sample(_FLAGS, self.random.randint(1, 2))
        actions: dict[str, tuple[int, Callable[[], object]]] = {
            "appended": (8, lambda: self._append(name, count, flags[1:])),
            "mailbox made": (1, lambda: self._make(every)),
            "mailbox renamed": (1, lambda: self._rename(name, every)),
            "mailbox deleted": (1, lambda: self._delete(name)),
            "mailbox rebuilt": (1, lambda: self._rebuild(name)),
        }
        if some:
            actions |= {
                "flagged": (8, lambda: self.client.add_flags(some, flags)),
                "unflagged": (6, lambda: self.client.remove_flags(some, flags)),
                "flags replaced": (2, lambda: self.client.set_flags(some, flags)),
                "deleted": (6, lambda: self._expunge(some)),
                "moved": (6, lambda: self._move(some, target)),
                "copied": (4, lambda: self.client.copy(some, target)),
            }
        [what] = self.random.choices(list(actions), weights=[weight for weight, _ in actions.values()])
        if actions[what][1]() is not False:
            self.done[what] += 1

    def _append(self, name: str, count: int, flags: list[bytes]) -> None:
        for letter in letters(count):
            self.client.append(name, letter, flags)

    def _expunge(self, uids: list[int]) -> None:
        self.client.delete_messages(uids)
        self.client.expunge()

    def _move(self, uids: list[int], target: str) -> None:
        if self.client.has_capability("MOVE"):
            self.client.move(uids, target)
        else:
            self.client.copy(uids, target)
            self._expunge(uids)

    def _make(self, every: list[str]) -> bool:
        free = [each for each in MAILBOXES if each not in every]
        if free:
            self.client.create_folder(self.random.choice(free))
        return bool(free)

    def _rename(self, name: str, every: list[str]) -> bool:
        """Rename a mailbox; that of INBOX leaves an empty one (RFC 9051 section 6.3.6)."""
        free = [each for each in MAILBOXES if each not in every and name in MAILBOXES]
        if free:
            self.client.close_folder()
            self.client.rename_folder(name, self.random.choice(free))
        return bool(free)

    def _delete(self, name: str) -> bool:
        if name == "INBOX" or name not in MAILBOXES:
            return False
        self.client.close_folder()
        self.client.delete_folder(name)
        return True

    def _rebuild(self, name: str) -> bool:
        """Change the UIDVALIDITY of a mailbox."""
        if deleted := self._delete(name):
            self.client.create_folder(name)
        return deleted


@dataclass(slots=True)
class Follower:
    """Whoever asks what has changed, and keeps what it was told."""

    store: Store
    random: Random
    told: Counter[str] = field(default_factory=Counter)
    known: Known = field(default_factory=dict)
    state: str = ""
    _left: Counter[str] = field(default_factory=Counter)
    """Messages that are gone, by mailbox, of which it isn't known which."""

    _unfollowed: set[str] = field(default_factory=set)
    """Mailboxes whose flags aren't known."""

    def begin(self, desk: Desk) -> None:
        """Begin with what is there."""
        self.known = truth(self.store)
        self.state = desk.call(CHANGES, {"mailbox": "*"}).data["new_state"]

    def catch_up(self, desk: Desk, meanwhile: Callable[[], object]) -> None:
        """Follow the changes to their end, and compare with the truth; `meanwhile` between two pages."""
        limit = self.random.choice([1, 3, 10, 100])
        try:
            while self._turn_page(desk, limit):
                meanwhile()
        except ConflictError:  # nothing is left of the mailboxes of the state
            self.begin(desk)
        found = truth(self.store)
        for name, count in self._left.items():
            gone = self.known[name].keys() - found[name].keys()
            assert len(gone) == count, f"{count} messages should have left {name!r}, and {len(gone)} have"
            for message_id in gone:
                del self.known[name][message_id]
        for name in self._unfollowed & found.keys():
            rows = self.known[name]
            rows |= {each: found[name][each] for each in rows.keys() & found[name].keys()}
        self._left.clear()
        self._unfollowed.clear()
        assert {name: rows for name, rows in self.known.items() if rows} == {
            name: rows for name, rows in found.items() if rows
        }
        self.told["times caught up"] += 1

    def _turn_page(self, desk: Desk, limit: int) -> bool:
        """Get a page of changes and do to what is known what it says; return whether there is more."""
        reply = desk.call(CHANGES, {"since": self.state, "limit": limit})
        data, self.state = reply.data, reply.data["new_state"]
        self.told["pages"] += 1
        self.told["round trips"] += reply.telemetry.imap_round_trips
        for row in data["created"]:
            rows = self.known.setdefault(_mailbox_of(row["message_id"]), {})
            assert row["message_id"] not in rows, "a message that was known is new"
            rows[row["message_id"]] = frozenset(row["flags"])
        for row in data["updated"]:
            rows = self.known[_mailbox_of(row["message_id"])]
            assert row["message_id"] in rows, "a message that wasn't known has other flags"
            rows[row["message_id"]] = frozenset(row["flags"])
        for gone in data["gone"]:
            self._forget(gone)
        for name in data["mailboxes_gone"]:
            self.known.pop(name, None)
            self._left.pop(name, None)
        for each in ("created", "updated", "gone", "mailboxes_gone", "not_known"):
            self.told[each] += len(data[each])
        for sentence in data["not_known"]:
            if left := _LEFT.fullmatch(sentence):
                self._left[left[2]] += int(left[1])
            else:
                flags = _FLAGS_UNKNOWN.fullmatch(sentence)
                assert flags, sentence
                self._unfollowed.add(flags[1])
        for issue in reply.outcome.issues:
            assert issue.code is Code.CONFLICT
            self._begin_again(str(issue.about["mailbox"]))
        return bool(data["has_more_changes"])

    def _forget(self, gone: str) -> None:
        place, _, uids = gone.rpartition(":")
        rows = self.known[_mailbox_of(gone)]
        ranges = [[int(edge) for edge in each.split("-")] for each in uids.split(",")]
        for message_id in list(rows):
            here, _, uid = message_id.rpartition(":")
            if here == place and any(edges[0] <= int(uid) <= edges[-1] for edges in ranges):
                del rows[message_id]

    def _begin_again(self, mailbox: str) -> None:
        """Read a mailbox that was rebuilt."""
        self.known[mailbox] = truth(self.store)[mailbox]
        self._left.pop(mailbox, None)
        self.told["conflicts"] += 1


def _mailbox_of(message_id: str) -> str:
    return message_id.split(":", 2)[2].rsplit(":", 2)[0]


def walk(store: Store, *, seed: int, steps: int) -> Counter[str]:
    """Let the other program do so many things, and follow; return how much of what was seen.

    Raises:
        AssertionError: What was told isn't the truth.
    """
    random = Random(seed)  # noqa: S311 - a test, not a secret
    follower = Follower(store, random)
    with store.client() as client:
        other = OtherProgram(client, random)

        def meanwhile() -> None:
            if random.random() < _MEANWHILE_SHARE:
                other.act()

        while other.done.total() < steps:
            with Desk([store.account]) as desk:  # a server that knows nothing of the one before
                if not follower.state:
                    follower.begin(desk)
                for _ in range(random.randint(1, 30)):
                    for _ in range(random.randint(0, _AT_ONCE_MAX)):
                        other.act()
                    follower.catch_up(desk, meanwhile)
    return other.done + follower.told
