"""The sample account: 60 messages such as one person at a small company has.

Each file in ``sample/<folder>/`` is a message as its server stores it, after two fields of our own:

* ``X-Demo-Sent`` is when it was sent: ``-2d3h`` from now; ``-3workdays 08:45``, on the third workday before
  today; ``-1fridays 16:05``, on the last Friday; or a date.
* ``X-Demo-Flags`` are its flags. Without it the message is unseen.

Text in braces is filled in. ``{date}`` is that moment as in a Date field; ``{date+14d %Y-%m-%d}`` is
14 days later in another format; ``{now+9d %A}`` counts from now. ``{base64}…{/base64}`` is encoded last,
so that attachments can hold dates too. ``{noise 300 x}`` is 300 octets without a pattern, the same ones
for each "x".

The people are invented, at domains that RFC 2606 reserves.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.headerregistry import Address
from email.utils import format_datetime
from itertools import count, islice
from pathlib import Path
from typing import Final

from mailmcp.demo.mailbox import SampleMailbox, SampleMessage

OWNER: Final = Address("Mara Lindqvist", addr_spec="mara@example.com")

MAILBOXES: Final = {
    "INBOX": "inbox",
    "Drafts": "drafts",
    "Sent": "sent",
    "Archive": "archive",
    "Archive/2025": "archive-2025",
    "Junk": "junk",
    "Trash": "trash",
    "Projects/Apollo": "apollo",
    "Projects/Grün": "gruen",
    "Templates": "templates",
    "日本語": "japanese",
}
"""The folder of each mailbox. Projects is not a mailbox itself, Templates is empty."""

_SAMPLE = Path(__file__).with_name("sample")

_FIELDS = re.compile(rb"X-Demo-Sent: (?P<sent>[^\r]*)\r\n(?:X-Demo-Flags: (?P<flags>[^\r]*)\r\n)?")
_DAY = re.compile(r"-(\d+)(workdays|fridays) (\d\d):(\d\d)")
_WEEKDAYS = {"workdays": (1, 2, 3, 4, 5), "fridays": (5,)}
_MOMENT = re.compile(rb"\{(?P<base>date|now)(?P<offset>[+-]\w+)? ?(?P<format>[^}]*)\}")
_AMOUNT = re.compile(r"(\d+)([dhms])")
_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_NOISE = re.compile(rb"\{noise (\d+) ([^}]*)\}")
_BASE64 = re.compile(rb"\{base64\}(.*?)\{/base64\}\r\n", re.DOTALL)


def load_sample(now: datetime) -> tuple[SampleMailbox, ...]:
    """Load the account as of `now`, when its newest message is about an hour old.

    Args:
        now: Aware. All dates but those in Archive/2025 depend on it, and nothing else does.

    Raises:
        ValueError: `now` is naive.
    """
    if now.tzinfo is None:
        raise ValueError("now must be aware")
    now = now.astimezone(UTC).replace(microsecond=0)
    return tuple(
        SampleMailbox(name=name, messages=_load_folder(_SAMPLE / folder, now))
        for name, folder in MAILBOXES.items()
    )


def _load_folder(folder: Path, now: datetime) -> tuple[SampleMessage, ...]:
    messages = [_load_message(file.read_bytes(), now) for file in sorted(folder.glob("*.eml"))]
    return tuple(sorted(messages, key=lambda message: message.internal_date))


def _load_message(template: bytes, now: datetime) -> SampleMessage:
    fields = _FIELDS.match(template)
    if fields is None:
        raise ValueError(f"no X-Demo-Sent at the start of {template[:80]!r}")
    sent = _read_sent(fields["sent"].decode("ascii"), now)
    octets = _fill_in(template[fields.end() :], {"date": sent, "now": now})
    return SampleMessage(
        octets=octets,
        flags=tuple((fields["flags"] or b"").decode("ascii").split()),
        internal_date=sent + timedelta(seconds=2 + len(octets) % 7),  # mail takes a few seconds to arrive
    )


def _read_sent(text: str, now: datetime) -> datetime:
    if match := _DAY.fullmatch(text):
        number, kind, hour, minute = match.groups()
        days = (now - timedelta(days=ago) for ago in count(1))
        wanted = (day for day in days if day.isoweekday() in _WEEKDAYS[kind])
        day = next(islice(wanted, int(number) - 1, None))
        return day.replace(hour=int(hour), minute=int(minute), second=0)
    return now + _read_offset(text) if text.startswith("-") else datetime.fromisoformat(f"{text}+00:00")


def _read_offset(text: str) -> timedelta:
    seconds = sum(int(amount) * _UNITS[unit] for amount, unit in _AMOUNT.findall(text))
    return timedelta(seconds=-seconds if text.startswith("-") else seconds)


def _fill_in(template: bytes, moments: Mapping[str, datetime]) -> bytes:
    def write_moment(match: re.Match[bytes]) -> bytes:
        base, offset, format_ = (group.decode("ascii") for group in match.groups(b""))
        moment = moments[base] + _read_offset(offset)
        return (moment.strftime(format_) if format_ else format_datetime(moment)).encode("ascii")

    def write_noise(match: re.Match[bytes]) -> bytes:
        return hashlib.shake_256(match[2]).digest(int(match[1]))

    def encode(match: re.Match[bytes]) -> bytes:
        return base64.encodebytes(_NOISE.sub(write_noise, match[1])).replace(b"\n", b"\r\n")

    return _BASE64.sub(encode, _MOMENT.sub(write_moment, template))
