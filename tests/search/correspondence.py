"""Random correspondence of an owner with two accounts, and an oracle that reads the messages themselves.

Replies refer to what they answer as good programs do, by half, or not at all; subjects change; programs
answer; mail is moved, copied, imported and thrown away; the owner answers from the other account.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.utils import format_datetime, getaddresses, parsedate_to_datetime
from random import Random

OWN = {"home": "me@home.example", "office": "me.work@office.example"}
ALIAS = "sales@office.example"
"""Not in the settings: only the mailbox shows that the owner wrote such mail."""

PEOPLE = tuple(f"{name}@{name}.example" for name in ("ann", "bob", "cleo", "dan", "eve", "finn"))
_BEGAN = datetime(2026, 1, 5, 8, tzinfo=UTC)
_HIDDEN = {"Junk", "Trash"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A message in a mailbox."""

    account: str
    mailbox: str
    octets: bytes
    received: datetime
    flags: tuple[bytes, ...] = ()


@dataclass(slots=True)
class _Thread:
    topic: str
    people: list[str]
    ids: list[str] = field(default_factory=list)
    references: list[list[str]] = field(default_factory=list)


def make_correspondence(seed: int, *, threads: int = 45) -> list[Stored]:
    """Make the same mail for the same seed, in order of writing."""
    random = Random(seed)  # noqa: S311 - nothing secret
    stored: list[Stored] = []
    for number in range(threads):
        thread = _Thread(f"Topic {number} of {random.choice(('May', 'June', 'the roof'))}", [])
        thread.people = random.sample(PEOPLE, random.randint(1, 3))
        moment = _BEGAN + timedelta(minutes=random.randrange(120 * 24 * 60))
        for turn in range(random.choice((1, 1, 2, 2, 3, 4, 6))):
            moment += timedelta(minutes=random.randint(5, 6 * 24 * 60))
            stored += _make_turn(random, thread, turn, moment)
    return sorted(stored, key=lambda each: each.received)


def _make_turn(random: Random, thread: _Thread, turn: int, moment: datetime) -> Iterable[Stored]:
    mine = random.random() < 0.45
    account = random.choice(tuple(OWN))
    own_id = f"{thread.topic.replace(' ', '-')}.{turn}.{random.getrandbits(32)}@mail.example"
    people = _write_out(random, thread, account) if mine else _write_in(random, thread, account)
    subject, references = thread.topic, dict[str, str]()
    refers_to: list[str] = []
    if turn and random.random() < 0.85:
        subject, references, refers_to = _refer(random, thread)
    thread.ids.append(own_id)
    thread.references.append(refers_to)
    lines = {
        "Date": format_datetime(moment),
        "Subject": subject,
        "Message-ID": f"<{own_id}>",
        **people,
        **references,
    }
    octets = "".join(f"{name}: {text}\r\n" for name, text in lines.items()) + "\r\nText.\r\n"
    mailboxes = ["INBOX"] * 15 + ["Archive"] * 3 + ["Junk", "Trash"]
    if mine:
        mailboxes = ["Sent"] if people["From"] == ALIAS else ["Sent"] * 8 + ["Archive", "Drafts"]
    first = Stored(
        account=account,
        mailbox=random.choice(mailboxes),
        octets=octets.encode(),
        received=moment + timedelta(days=random.choice((*[0] * 9, random.randint(100, 200)))),
        flags=(b"\\Answered",) if not mine and random.random() < 0.08 else (),
    )
    yield first
    if random.random() < 0.08 and first.mailbox != "Drafts":
        yield replace(first, mailbox="Archive" if first.mailbox != "Archive" else "Projects")


def _write_out(random: Random, thread: _Thread, account: str) -> dict[str, str]:
    """Mail from the owner: sometimes to themselves, sometimes by an alias."""
    kind = random.random()
    return {
        "From": ALIAS if 0.06 <= kind < 0.16 else OWN[account],
        "To": OWN["home"] if kind < 0.06 else random.choice(thread.people),
    }


def _write_in(random: Random, thread: _Thread, account: str) -> dict[str, str]:
    """Mail from others: from people, programs and newsletters, to the owner and to others."""
    mail = {"From": random.choice(thread.people), "To": OWN[account]}
    odd = (
        {"Auto-Submitted": "auto-replied"},
        {"From": "mailer-daemon@relay.example"},
        {"List-Unsubscribe": "<mailto:leave@news.example>"},
        {"To": "friends@club.example"},
        {"To": random.choice(PEOPLE), "Cc": OWN[account]},
    )
    return mail | random.choice((*odd, *[{}] * 10))


def _refer(random: Random, thread: _Thread) -> tuple[str, dict[str, str], list[str]]:
    """Make the subject and the references of a reply, and the ids to which replies to it will refer."""
    parent = random.randrange(len(thread.ids))
    known = [*thread.references[parent], thread.ids[parent]]
    last, whole = known[-1], "\r\n ".join(f"<{each}>" for each in known)
    subject = random.choice(("Re: ", "RE: ", "AW: ", "Fwd: ", "Re: [list] ")) + thread.topic
    return random.choice(
        (
            *[(subject, {"References": whole, "In-Reply-To": f"<{last}>"}, known)] * 5,
            (subject, {"In-Reply-To": f"<{last}>"}, [last]),
            (subject, {"In-Reply-To": f"Your message <{last}> of Monday"}, [last]),
            (subject, {"References": f"<{known[0]}>"}, known[:1]),
            ("Something else", {"References": whole}, known),
            (f"Re: {thread.topic}", {}, []),  # refers to nothing, and so answers nothing
        )
    )


@dataclass(frozen=True, slots=True)
class Awaited:
    """What the oracle says of one side."""

    certain: frozenset[str]
    """Message-IDs that must be found."""

    possible: frozenset[str]
    """Those that may be: answered only by way of messages that are older than they are."""


class Oracle:
    """Reads all messages, and knows no index, no server and no product code."""

    def __init__(self, stored: Sequence[Stored]) -> None:
        self.read = [_Read(each) for each in stored if each.mailbox not in _HIDDEN]
        self._every = _link(self.read)

    def awaiting(self, side: str, mailboxes: Iterable[str], *, person: str = "") -> Awaited:
        """Return what awaits a reply in some mailboxes; `person` is in To, or in From."""
        wanted = [
            each
            for each in self.read
            if each.stored.mailbox in mailboxes and each.is_candidate(side) and person in each.party(side)
        ]
        certain = {each.own_id for each in wanted if not self._is_answered(each, self._every)}
        late = [(each, [other for other in self.read if other.written >= each.written]) for each in wanted]
        possible = {each.own_id for each, later in late if not self._is_answered(each, _link(later))}
        return Awaited(frozenset(certain), frozenset(possible))

    def _is_answered(self, letter: "_Read", threads: dict[str, list["_Read"]]) -> bool:
        return any(
            each.by_owner != letter.by_owner
            and each.by_person
            and each.own_id not in letter.refers_to
            and (letter.own_id in each.refers_to or each.written > letter.written)
            for each in threads[letter.own_id]
        )


class _Read:
    """One message as it reads."""

    def __init__(self, stored: Stored) -> None:
        self.stored = stored
        message = message_from_bytes(stored.octets)
        self.own_id = message["Message-ID"].strip("<>")
        words = f"{message['References'] or ''} {message['In-Reply-To'] or ''}".split()
        self.refers_to = {each.strip("<>") for each in words if each.startswith("<")}
        self.written = parsedate_to_datetime(message["Date"])
        self.sender = message["From"]
        named = getaddresses([message["To"], message["Cc"] or ""])
        self.recipients = {address for _, address in named if address}
        owned = self.sender in OWN.values()
        self.by_owner = owned or stored.mailbox == "Sent"
        self.is_draft = stored.mailbox == "Drafts"
        self.by_program = bool(message["Auto-Submitted"]) or self.sender.startswith("mailer-daemon")
        self.by_person = not (self.by_program or self.is_draft)
        self.is_newsletter = bool(message["List-Unsubscribe"])

    def is_candidate(self, side: str) -> bool:
        own = set(OWN.values())
        if not self.by_person:
            return False
        if side == "from_others":
            return self.by_owner and not self.recipients <= own
        answered = b"\\Answered" in self.stored.flags
        return not (self.by_owner or self.is_newsletter or answered) and bool(self.recipients & own)

    def party(self, side: str) -> str:
        return " ".join(sorted(self.recipients)) if side == "from_others" else self.sender


def _link(read: Sequence[_Read]) -> dict[str, list[_Read]]:
    """Return the thread of each message by its id."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    for each in read:
        for name in each.refers_to:
            leader[find(name)] = find(each.own_id)
    threads: dict[str, list[_Read]] = {}
    for each in read:
        threads.setdefault(find(each.own_id), []).append(each)
    return {each.own_id: threads[find(each.own_id)] for each in read}
