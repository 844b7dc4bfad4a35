"""The mail of the scripted peers: few messages, of which each query finds some."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

from imap.searches import letter
from servers.peer_mailbox import PeerMessage

_SUBJECTS = (
    "weekly report",
    "holiday pictures",
    "invoice number",
    "meeting tomorrow",
    "=?utf-8?q?Gr=C3=BC=C3=9Fe?=",
)
_FAR_EAST = timezone(timedelta(hours=14))


def twenty() -> list[PeerMessage]:
    """Twenty messages, an hour between each: five subjects, three senders, four with a file."""
    return [
        letter(
            uid,
            _SUBJECTS[uid % 5],
            sender=f"Sender {uid % 3} <sender-{uid % 3}@example.org>",
            size=uid * 40,
            attached=uid % 6 == 0,
            flags=() if uid % 4 else ("\\Seen",),
        )
        for uid in range(1, 21)
    ]


def ascii_alone() -> list[PeerMessage]:
    """The same in ASCII: nothing to probe a charset with."""
    return [letter(uid, _SUBJECTS[uid % 4]) for uid in range(1, 21)]


def as_html(messages: Sequence[PeerMessage]) -> list[PeerMessage]:
    """Without plain text there is nothing to probe BODY with."""
    for each in messages:
        each.octets = b"Content-Type: text/html\r\n" + each.octets.replace(b"Content-Type:", b"X-Type:", 1)
    return list(messages)


def in_the_far_east(messages: Sequence[PeerMessage]) -> list[PeerMessage]:
    """Make a server a day ahead report the times of arrival."""
    moved = list(messages)
    for each in moved:
        each.received = each.received.astimezone(_FAR_EAST)
    return moved


def at_noon(messages: Sequence[PeerMessage], *, every: timedelta) -> list[PeerMessage]:
    """Give messages evenly spaced times of arrival."""
    start = datetime(2024, 3, 1, 12, tzinfo=UTC)
    for number, each in enumerate(messages):
        each.received = start + every * number
    return list(messages)
