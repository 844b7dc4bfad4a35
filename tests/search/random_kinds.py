"""Random mail of all kinds, and an oracle that reads its octets with Python's own parser.

The oracle shares no code and no table with mailmcp: it says in its own words what each kind is.
"""

from email import message_from_bytes
from email.message import Message
from email.utils import getaddresses
from random import Random

OWNER = "me@home.example"

PEOPLE = (
    "Ann Lee <ann@alpha.example>",
    '"Stone, Bob" <bob.stone@beta.example>',
    "=?utf-8?q?J=C3=BCrgen?= <jm@delta.example>",
    "dave@epsilon.example",
    "Replyson <olga.replyson@beta.example>",
    "Max Cron <max.cron@beta.example>",
    "No Reply Jones <jones@alpha.example>",
    "Postmaster Ben <ben@noreply.example>",
)
PROGRAMS = (
    "Shop <no-reply@shop.example>",
    "noreply+4711@forge.example",
    "Bank <do_not_reply@bank.example>",
    "=?utf-8?q?R=C3=A9gie?= <ne-pas-repondre@regie.example>",
    "MAILER-DAEMON@mx.example (Mail Delivery System)",
    "Postmaster <POSTMASTER@mx.example>",
    "notifications@forge.example",
    "Alerts <alert@watch.example>",
    "cron@host.example",
)
_FIELDS: dict[str, tuple[str, ...]] = {
    "List-Unsubscribe": ("<mailto:leave@lists.example>", "<https://news.example/u/1>,\r\n <mailto:u@x>"),
    "List-Id": ("Harbour <harbour.lists.example>", "<news.shop.example>"),
    "List-Post": ("<mailto:harbour@lists.example>", "NO (posting not allowed)", "NO"),
    "Precedence": ("bulk", "list", "Bulk", "first-class", "auto_reply", "special-delivery"),
    "Auto-Submitted": ("auto-generated", "auto-replied; owner-email=a@b", "no", "No", "auto-notified"),
    "X-Auto-Response-Suppress": ("All", "OOF, AutoReply", "None"),
    "X-Failed-Recipients": ("eve@gone.example",),
    "Return-Path": ("<>", "< >", "<ann@alpha.example>"),
}
_RARITY = 6
"""One message in six has a given field."""

_EVENT = "BEGIN:VCALENDAR\r\nMETHOD:{}\r\nBEGIN:VEVENT\r\nSUMMARY:Tea\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"


def make_messages(seed: int, count: int) -> list[bytes]:
    """Make the same messages for each seed."""
    random = Random(seed)  # noqa: S311 - nothing secret
    return [_make(random, number) for number in range(count)]


def _make(random: Random, number: int) -> bytes:
    sender = random.choice((*PEOPLE, *PEOPLE, *PROGRAMS, f"Me <{OWNER}>", ""))
    fields = [
        f"Message-ID: <{number}@example.org>",
        f"Subject: no-reply list report {number}",
        f"To: {OWNER}",
    ]
    fields += [f"From: {sender}"] if sender else []
    fields += [
        f"{random.choice((name, name.lower(), name.upper()))}: {random.choice(values)}"
        for name, values in _FIELDS.items()
        if random.randrange(_RARITY) == 0
    ]
    content_type, text = random.choice(_BODIES)
    random.shuffle(fields)
    return _write([*fields, "MIME-Version: 1.0", f"Content-Type: {content_type}"], text)


def _write(fields: list[str], text: str) -> bytes:
    return ("\r\n".join(fields) + f"\r\n\r\n{text}\r\n").encode()


def _parts(*parts: tuple[str, str]) -> str:
    return "".join(f"--xyz\r\nContent-Type: {kind}\r\n\r\n{text}\r\n" for kind, text in parts) + "--xyz--"


def _invitation(method: str, content_type: str) -> tuple[str, str]:
    parts = (("text/plain", "Text"), (content_type, _EVENT.format(method)))
    return 'multipart/alternative; boundary="xyz"', _parts(*parts)


_PLAIN = ("text/plain; charset=utf-8", "Auto-Submitted: auto-generated\r\nmultipart/report text/calendar")
_BODIES = (
    *[_PLAIN] * 8,
    _invitation("REQUEST", "text/calendar; charset=utf-8; method=REQUEST"),
    _invitation("CANCEL", 'Text/Calendar; method="cancel"'),
    _invitation("REPLY", "text/calendar; method=REPLY"),
    _invitation("PUBLISH", "text/calendar; method=PUBLISH"),
    _invitation("REQUEST", "text/x-calendar; method=REQUEST"),
    ("text/calendar; method=REQUEST", _EVENT.format("REQUEST")),
    (
        'Multipart/Report; report-type=delivery-status; boundary="xyz"',
        _parts(("text/plain", "Gone"), ("message/delivery-status", "Reporting-MTA: dns; mx.example")),
    ),
    (
        'multipart/mixed; boundary="xyz"; x-about="a report"',
        _parts(("text/plain", "See below"), ("message/rfc822", "Auto-Submitted: auto-replied\r\n\r\nAway")),
    ),
)


def kinds_of(octets: bytes) -> set[str]:
    """Say of what kinds a message is, by reading its octets."""
    message = message_from_bytes(octets)
    senders = _addresses(message, "From")
    kinds: set[str] = set()
    if any(_invites(part) for part in message.walk() if not _is_inside(message, part)):
        kinds.add("invitation")
    precedence = str(message["Precedence"] or "").lower()
    listed = "List-Id" in message or "List-Unsubscribe" in message or precedence in {"bulk", "list"}
    if listed and "mailto:" not in str(message["List-Post"] or ""):
        kinds.add("newsletter")
    automatic = (
        str(message["Auto-Submitted"] or "no").lower() != "no",
        str(message["X-Auto-Response-Suppress"] or "None") != "None",
        "X-Failed-Recipients" in message,
        precedence == "auto_reply",
        message["Return-Path"] == "<>",
        message.get_content_type() == "multipart/report",
        not senders.isdisjoint(_addresses_in(PROGRAMS)),
    )
    if any(automatic):
        kinds.add("automatic")
    if not kinds and senders and senders != {OWNER}:
        kinds.add("personal")
    return kinds


def _invites(part: Message) -> bool:
    method = str(part.get_param("method") or "").lower()
    return part.get_content_type() == "text/calendar" and method in {"request", "cancel", "reply"}


def _is_inside(message: Message, part: Message) -> bool:
    """Whether a part belongs to a message within the message."""
    enclosed = [each for each in message.walk() if each.get_content_type() == "message/rfc822"]
    return any(part is inner for each in enclosed for inner in list(each.walk())[1:])


def _addresses(message: Message, name: str) -> set[str]:
    return _addresses_in([str(each) for each in message.get_all(name, [])])


def _addresses_in(values: "list[str] | tuple[str, ...]") -> set[str]:
    return {address.lower() for _, address in getaddresses(list(values)) if address}
