"""Random mail to be grouped, and an oracle that reads it with the standard library."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import format_datetime, parsedate_to_datetime
from random import Random

from search.known_mail import EDGES
from tools.stores import Store

SENDERS = (
    "Ann Lee <ann@mail.alpha.example>",
    "Ann L. Lee <ANN@Mail.Alpha.Example>",
    '"Doe, Carol" <carol.doe@gamma.example>',
    "=?utf-8?q?J=C3=BCrgen_M=C3=BCller?= <jm@shop.delta.co.uk>",
    "dave@delta.co.uk",
    "Monitoring <alarm@station.epsilon.example>",
    "News <news@epsilon.example>",
)
ORGANISATIONS = {
    "mail.alpha.example": "alpha.example",
    "gamma.example": "gamma.example",
    "shop.delta.co.uk": "delta.co.uk",
    "delta.co.uk": "delta.co.uk",
    "station.epsilon.example": "epsilon.example",
    "epsilon.example": "epsilon.example",
}
"""The registered part of each domain, by hand."""

LISTS = (
    "Weather <weather.lists.example.org>",
    "<Weather.Lists.Example.ORG>",
    '"Forge: station" <station.forge.example.net>',
    "bare.lists.example.com",
)
LEAVE = (
    "<mailto:leave@lists.example.org>, <https://lists.example.org/leave?u=1>",
    "<https://news.example.org/u/2>",
    "<mailto:stop@news.example.org?subject=stop>",
)
MAILBOXES = ("INBOX", "Archive", "Listen/Grün")
_EDGES = [datetime.fromisoformat(each) for each in (*EDGES[11:21], *EDGES[-6:])]


def fill(store: Store, seed: int, count: int) -> "list[Raw]":
    """Fill the mailboxes with random mail; some messages are in several, and some twice in one."""
    chance = Random(seed)  # noqa: S311 - repeatable, not secret
    first = datetime(2024, 1, 1, tzinfo=UTC)
    times = sorted([*_EDGES, *(first + timedelta(minutes=chance.randrange(900_000)) for _ in range(count))])
    if seed % 2:
        chance.shuffle(times)  # as after an import
    filled = []
    for number, received in enumerate(times):
        octets, unread = _compose(chance, number), chance.random() < 0.4
        stored = [(place, octets) for place in chance.choices(MAILBOXES, k=chance.choice((1, 1, 1, 2, 3)))]
        if chance.random() < 0.05:  # no copy, though of the same size and second
            other = octets.replace(b"<%06d@" % number, b"<%06d@" % (number + 500_000))
            stored.append((chance.choice(MAILBOXES), other))
        for mailbox, message in stored:
            flags = [] if unread else [b"\\Seen"]
            [uid] = store.fill(mailbox, [message], flags=flags, received=received)
            filled.append(Raw(mailbox, uid, message, received, unread))
    return filled


def _compose(chance: Random, number: int) -> bytes:
    fields = [f"Message-ID: <{number:06}@mail.example>"]
    if chance.random() < 0.9:  # else it was written when it arrived, as far as anyone knows
        written = chance.choice(_EDGES) + timedelta(minutes=chance.choice((0, 0, 700, 70_000)))
        fields.append(f"Date: {format_datetime(written)}")
    if chance.random() < 0.95:
        fields.append(f"From: {chance.choice(SENDERS)}")
    to = chance.sample(SENDERS, k=chance.randint(0, 3))
    fields.append("To: " + (",\r\n ".join(to) or "undisclosed-recipients:;"))
    if chance.random() < 0.3:
        fields.append(f"Cc: me@home.example, {chance.choice(SENDERS)}")
    if chance.random() < 0.3:
        fields.append(f"List-Id: {chance.choice(LISTS)}")
    if chance.random() < 0.3:
        fields.append(f"List-Unsubscribe: {chance.choice(LEAVE)}")
        if chance.random() < 0.5:
            fields.append("List-Unsubscribe-Post: List-Unsubscribe=One-Click")
    fields.append(f"Subject: {chance.choice(('Alarm', 'Report', 'Tea'))} {number}")
    return ("\r\n".join(fields) + f"\r\n\r\nText of {number}.\r\n").encode()


@dataclass(frozen=True, slots=True)
class Raw:
    """A message on the server, read by the standard library."""

    mailbox: str
    uid: int
    octets: bytes
    received: datetime
    unread: bool

    def time(self, *, by_written: bool) -> datetime:
        """When it was written, by its Date header if it has one, or when it arrived."""
        value = message_from_bytes(self.octets).get("Date") if by_written else None
        return parsedate_to_datetime(value) if value else self.received

    @property
    def parsed(self) -> EmailMessage:
        """The message."""
        return message_from_bytes(self.octets, policy=policy.default)


@dataclass(slots=True)
class Expected:
    """What a group must say."""

    count: int = 0
    unread: int = 0
    messages: list[Raw] = field(default_factory=list)

    def newest(self, *, by_written: bool) -> list[Raw]:
        """Return its newest message; several if they are of one time."""
        latest = max(each.time(by_written=by_written) for each in self.messages)
        return [each for each in self.messages if each.time(by_written=by_written) == latest]


def group(
    messages: Sequence[Raw], group_by: str, zone: tzinfo, *, by_written: bool
) -> tuple[dict[str, Expected], int]:
    """Return the groups by key, and how many messages there are; each copy counts."""
    groups: dict[str, Expected] = defaultdict(Expected)
    for each in messages:
        if group_by == "mailbox":
            key = each.mailbox
        elif group_by in PERIODS:
            key = PERIODS[group_by](each.time(by_written=by_written).astimezone(zone))
        else:
            key = next(iter(KEYS[group_by](each)), "")
        groups[key].count += 1
        groups[key].unread += each.unread
        groups[key].messages.append(each)
    return dict(groups), len(messages)


def _addresses(message: Raw, *names: str) -> list[str]:
    found = [
        address.addr_spec.lower()
        for name in names
        for value in message.parsed.get_all(name, [])
        for address in value.addresses
    ]
    return list(dict.fromkeys(found))


def _list(message: Raw) -> list[str]:
    value = str(message.parsed.get("List-Id", "")).strip()
    if value:
        return [re.sub(r".*<(.*)>$", r"\1", value).lower()]
    return _addresses(message, "From")[:1] if message.parsed.get("List-Unsubscribe") else []


KEYS: Mapping[str, Callable[[Raw], list[str]]] = {
    "sender": lambda message: _addresses(message, "From")[:1],
    "domain": lambda message: [
        ORGANISATIONS[each.partition("@")[2]] for each in _addresses(message, "From")[:1]
    ],
    "list": _list,
}
PERIODS: Mapping[str, Callable[[datetime], str]] = {
    "day": lambda moment: moment.date().isoformat(),
    "month": lambda moment: moment.date().isoformat()[:7],
    "year": lambda moment: moment.date().isoformat()[:4],
}
