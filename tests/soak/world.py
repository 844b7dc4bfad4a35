"""What is really on a server, and a second client that changes it."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, islice
from random import Random
from typing import Final

from imapclient import IMAPClient

from tools.letters import make_letter
from tools.stores import Store

MAILBOXES: Final = ("INBOX", "Work", "Grüße: a", "Archive", "Trash", "Junk", "Drafts")
_OTHER_NAMES: Final = {"Grüße: a": "Grüße: b", "Grüße: b": "Grüße: a"}
FLAGS: Final = (b"\\Seen", b"\\Flagged", b"\\Answered", b"$Later")
_MESSAGES_MAX: Final = 120
"""On the whole server: the second client adds no more, so that reading the truth stays cheap."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One message, as it is now."""

    number: str
    """Its own, in a header field; "" for a draft."""

    flags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message is."""

    mailbox: str
    uidvalidity: int
    uid: int

    @property
    def message_id(self) -> str:
        """Its id, as tools give it."""
        return f"imap:work:{self.mailbox}:{self.uidvalidity}:{self.uid}"


Truth = dict[Place, Seen]


def numbers(truth: Truth) -> Counter[str]:
    """Count the copies of each message."""
    return Counter(each.number for each in truth.values() if each.number)


class World:
    """The mail of one user, seen and changed by a second client."""

    def __init__(self, store: Store, client: IMAPClient, random: Random) -> None:
        self.store, self.client, self.random = store, client, random
        self.acts = 0
        """What the second client did so far."""

        self.mailboxes = list(MAILBOXES)
        """As they are called now."""

        self._numbers = count(1)
        for name in MAILBOXES[1:]:
            if not client.folder_exists(name):
                client.create_folder(name)

    @classmethod
    @contextmanager
    def opened(cls, store: Store, random: Random) -> Iterator["World"]:
        """Log the second client in."""
        with store.client() as client:
            yield cls(store, client, random)

    def truth(self) -> Truth:
        """Read everything."""
        found: Truth = {}
        for _, _, name in self.client.list_folders():
            uidvalidity = self.client.select_folder(name, readonly=True)[b"UIDVALIDITY"]
            uids = self.client.search()
            items = ["FLAGS", "BODY.PEEK[HEADER.FIELDS (X-NUMBER)]"]
            for uid, row in self.client.fetch(uids, items).items() if uids else ():
                header = next(value for key, value in row.items() if key.startswith(b"BODY"))
                flags = frozenset(each.decode() for each in row[b"FLAGS"] if each != b"\\Recent")
                number = header.decode().partition(":")[2].strip()
                found[Place(name, uidvalidity, uid)] = Seen(number, flags)
        return found

    def act(self) -> None:
        """Do something at random."""
        self.acts += 1
        name, target = self.random.choice(self.mailboxes), self.random.choice(self.mailboxes)
        self.client.select_folder(name)
        uids = self.client.search()
        some = self.random.sample(uids, min(self.random.randint(1, 3), len(uids)))
        choice = self.random.randrange(20)
        if not some or choice < 4:
            self.add(name)
        elif choice < 9:
            self.client.add_flags(some, [self.random.choice(FLAGS)], silent=True)
        elif choice < 13:
            self.client.remove_flags(some, [self.random.choice(FLAGS)], silent=True)
        elif choice < 16 and name != target:
            self._move(some, target)
        elif choice < 18:
            self._expunge(some)
        elif self.store.kind == "dovecot" and name == "Work":
            self._rebuild(name, uids)  # pymap goes on serving what was deleted
        elif self.store.kind == "dovecot" and name in _OTHER_NAMES:
            self._rename(name, _OTHER_NAMES[name])

    def shuffle(self) -> None:
        """Change flags or places of some messages, so that none is lost or made."""
        self.acts += 1
        name, target = self.random.choice(self.mailboxes), self.random.choice(self.mailboxes)
        self.client.select_folder(name)
        uids = self.client.search()
        some = self.random.sample(uids, min(self.random.randint(1, 3), len(uids)))
        if some and name != target and self.random.randrange(2):
            self._move(some, target)
        elif some:
            self.client.add_flags(some, [self.random.choice(FLAGS)], silent=True)

    def add(self, mailbox: str) -> None:
        """Append some messages, unless there are enough."""
        total = sum(self.client.folder_status(each, [b"MESSAGES"])[b"MESSAGES"] for each in self.mailboxes)
        for number in islice(self._numbers, self.random.randint(1, 4) if total < _MESSAGES_MAX else 0):
            letter = make_letter(f"Letter {number}", "Text\n")
            letter["X-Number"] = str(number)
            letter["Message-ID"] = f"<{number}@example.org>"
            self.client.append(mailbox, letter.as_bytes())

    def _move(self, uids: list[int], target: str) -> None:
        self.client.copy(uids, target)
        self._expunge(uids)

    def _expunge(self, uids: list[int]) -> None:
        self.client.delete_messages(uids, silent=True)
        self.client.expunge(uids)

    def _rebuild(self, name: str, uids: list[int]) -> None:
        """Give a mailbox another UIDVALIDITY; its messages move to INBOX first."""
        self._move(uids, "INBOX")
        self.client.select_folder("INBOX")
        self.client.delete_folder(name)
        self.client.create_folder(name)

    def _rename(self, name: str, new: str) -> None:
        """Rename a mailbox, which keeps its UIDVALIDITY; Dovecot ends sessions that have it open."""
        self.client.select_folder("INBOX")
        self.client.rename_folder(name, new)
        self.mailboxes[self.mailboxes.index(name)] = new
