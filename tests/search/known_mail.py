"""Some thousand messages of which everything is known, made anew in each run, always the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from imapclient import IMAPClient

from search.composing import Written, compose
from search.kinds import KINDS
from tools.stores import Store

_STEP = timedelta(hours=6, minutes=37, seconds=13)
"""Between two times of arrival: 5,000 of them are nearly four years."""

_FIRST = datetime(2023, 1, 1, 0, 0, 7, tzinfo=UTC)
_MIXING = 7919
"""Prime to any count used: UIDs and times of arrival follow different orders."""

_BATCH = 500
_OFFSETS = (0, 60, -300, 330, 840, -720, 345)
"""Minutes east of UTC; what the server is told of a time of arrival, which changes nothing."""

EDGES = (
    # Where days begin and end: Berlin's of 23 and of 25 hours.
    "2024-03-30T23:59:59+01:00",
    "2024-03-31T00:00:00+01:00",
    "2024-03-31T03:00:00+02:00",
    "2024-03-31T23:59:59+02:00",
    "2024-04-01T00:00:00+02:00",
    "2024-10-26T23:59:59+02:00",
    "2024-10-27T00:00:00+02:00",
    "2024-10-27T02:30:00+02:00",
    "2024-10-27T02:30:00+01:00",
    "2024-10-27T23:59:59+01:00",
    "2024-10-28T00:00:00+01:00",
    # New York's.
    "2024-03-09T23:59:59-05:00",
    "2024-03-10T00:00:00-05:00",
    "2024-03-10T23:59:59-04:00",
    "2024-03-11T00:00:00-04:00",
    "2024-11-02T23:59:59-04:00",
    "2024-11-03T00:00:00-04:00",
    "2024-11-03T01:30:00-04:00",
    "2024-11-03T01:30:00-05:00",
    "2024-11-03T23:59:59-05:00",
    "2024-11-04T00:00:00-05:00",
    # Kiritimati is first, Kolkata half an hour off.
    "2024-06-30T23:59:59+14:00",
    "2024-07-01T00:00:00+14:00",
    "2024-07-01T23:59:59+14:00",
    "2024-07-02T00:00:00+14:00",
    "2024-06-30T23:59:59+05:30",
    "2024-07-01T00:00:00+05:30",
    "2024-07-01T23:59:59+05:30",
    "2024-07-02T00:00:00+05:30",
    # Midnight that is skipped in Cairo, doubled in Havana.
    "2024-04-25T23:59:59+02:00",
    "2024-04-26T01:00:00+03:00",
    "2024-04-27T00:00:00+03:00",
    "2024-11-02T23:59:59-04:00",
    "2024-11-03T00:00:00-04:00",
    "2024-11-03T00:00:00-05:00",
    "2024-11-03T23:59:59-05:00",
    "2024-11-04T00:00:00-05:00",
    # And UTC's, at the turn of a leap year.
    "2024-02-28T23:59:59Z",
    "2024-02-29T00:00:00Z",
    "2024-02-29T23:59:59Z",
    "2024-03-01T00:00:00Z",
    "2024-12-31T23:59:59Z",
    "2025-01-01T00:00:00Z",
)
"""When the first messages arrived."""

PEOPLE = (
    "Ann Lee <ann@alpha.example>",
    "Bob Stone <bob@beta.example>",
    '"Doe, Carol" <carol.doe@gamma.example>',
    "Jürgen Müller <jm@delta.example>",
    "dave@epsilon.example",
    "山田太郎 <yamada@zeta.example>",
    "Eve O'Neil <eve+list@beta.example>",
    "Анна Белова <anna@eta.example>",
    "noreply@notifications.alpha.example",
)
MESSAGE_ID_TWICE = 26
"""Its Message-ID is that of number 3, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One message, and all there is to know of it."""

    number: int
    """From 1, in the order of UIDs."""

    written: Written
    from_: str
    to: str
    cc: str
    subject: str
    list_id: str
    """The field as it is written; "" in most messages."""

    message_id: str
    """With its angle brackets."""

    received: datetime
    dated: datetime | None = None
    """What its Date header says; None if nobody can read that, or if no query asks."""

    flags: frozenset[str]

    @property
    def dated_or_received(self) -> datetime:
        """When it was written, as far as it shows."""
        return self.dated or self.received

    def time(self, arguments: Mapping[str, object]) -> datetime:
        """When it arrived, or was written if a search goes by that."""
        return self.dated_or_received if arguments.get("dates") == "written" else self.received

    @property
    def size(self) -> int:
        """Its octets."""
        return len(self.written.octets)


def make_known(count: int) -> list[Known]:
    """Make messages 1 to `count`."""
    return [_make(number, count) for number in range(1, count + 1)]


def _make(number: int, count: int) -> Known:
    content = KINDS[number % len(KINDS)](number)
    from_ = PEOPLE[number % len(PEOPLE)]
    to = ", ".join((PEOPLE[number // 2 % 3], "me@home.example"))
    cc = PEOPLE[number // 3 % len(PEOPLE)] if number % 3 == 0 else ""
    list_id = f"Station news {number % 3} <news{number % 3}.station.example>" if number % 19 == 4 else ""
    message_id = f"<Msg{3 if number == MESSAGE_ID_TWICE else number:05}@Mail.example>"
    fields = [
        ("Date", "Mon, 01 Jan 2024 12:00:00 +0000"),
        ("From", from_),
        ("To", to),
        *([("Cc", cc)] if cc else []),
        ("Subject", content.subject),
        ("Message-ID", message_id),
        *([("List-Id", list_id)] if list_id else []),
    ]
    charset = "utf-8" if _beyond(from_ + cc, content.charset) else content.charset
    return Known(
        number=number,
        written=compose(fields, content.part, charset),
        from_=from_,
        to=to,
        cc=cc,
        subject=content.subject,
        list_id=list_id,
        message_id=message_id,
        received=_received(number, count),
        flags=_flags(number),
    )


def _beyond(text: str, charset: str) -> bool:
    """Return whether a charset lacks some letters of a text."""
    try:
        text.encode(charset)
    except UnicodeEncodeError:
        return True
    return False


def _received(number: int, count: int) -> datetime:
    if number <= len(EDGES):
        return datetime.fromisoformat(EDGES[number - 1])
    moment = _FIRST + _STEP * (number * _MIXING % count)
    return moment.astimezone(timezone(timedelta(minutes=_OFFSETS[number % len(_OFFSETS)])))


def _flags(number: int) -> frozenset[str]:
    each = {"\\Seen": 2, "\\Flagged": 7, "\\Answered": 5, "\\Draft": 31, "\\Deleted": 97}
    each |= {"$Forwarded": 6, "project-x": 13}
    return frozenset(flag for flag, step in each.items() if number % step == 0)


def append_known(client: IMAPClient, mailbox: str, messages: list[Known]) -> list[int]:
    """Append messages to an empty mailbox and return their UIDs, in order."""
    if not client.folder_exists(mailbox):
        client.create_folder(mailbox)
    for start in range(0, len(messages), _BATCH):
        batch = [
            {"msg": each.written.octets, "flags": sorted(each.flags), "date": each.received}
            for each in messages[start : start + _BATCH]
        ]
        status, data = client.multiappend(mailbox, batch)
        if status != "OK":
            raise RuntimeError(f"APPEND to {mailbox!r}: {status} {data}")
    client.select_folder(mailbox, readonly=True)
    uids: list[int] = sorted(client.search())
    return uids


def fill(store: Store, messages: list[Known]) -> dict[int, Known]:
    """Put messages into an empty INBOX; returns them by UID."""
    with store.client() as client:
        return dict(zip(append_known(client, "INBOX", messages), messages, strict=True))
