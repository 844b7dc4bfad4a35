"""A few messages whose headers, sizes and times are known: what a server's search is tested with.

`email.header` reads the headers: `imap` doesn't import `mail`, and what is malformed is not used anyway.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime

from mailmcp import limits
from mailmcp.imap.rows import FetchedMessage

PROBED_FIELDS = ("MIME-VERSION", "LIST-UNSUBSCRIBE", "AUTO-SUBMITTED")
"""Fields that nearly all, some and few messages have."""

KNOWN_MESSAGE_ITEMS = (
    "UID",
    "FLAGS",
    "RFC822.SIZE",
    "INTERNALDATE",
    "BODY.PEEK[HEADER.FIELDS (DATE FROM TO CC SUBJECT MESSAGE-ID CONTENT-TYPE CONTENT-TRANSFER-ENCODING "
    f"{' '.join(PROBED_FIELDS)})]",
    f"BODY.PEEK[TEXT]<0.{limits.PROBE_TEXT_OCTETS}>",
)

_WORD = re.compile(r"(?<![^\W_])[A-Za-z]{4,40}(?![^\W_])")
_FOREIGN_WORD = re.compile(r"[^\W\d_]{4,40}")
_ADDRESS = re.compile(r"[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9.-]{1,190}[A-Za-z0-9]")
_MESSAGE_ID = re.compile(r"<[!#-\[\]-~]{3,200}>")
_BODY_WORD = re.compile(rb"([A-Za-z]{4,20})[.,;:!?]?")
"""Between spaces: part of an address, or letters next to 8-bit octets, may be no word to a server."""

_SPACE = re.compile(rb"\s+")
_ASCII_BASED = re.compile(r"us-ascii|utf-?8|iso-8859-\d{1,2}|windows-125\d|koi8-[ru]", re.IGNORECASE)
_YEARS_READ = range(1971, 2038)
"""Every server can read a Date header of these years."""

_NEARLY_PLAIN = frozenset({"7bit", "8bit", "quoted-printable"})
"""Encodings in which a word of ASCII letters between spaces is stored as such."""

_DEPTH_MAX = 3
"""Multiparts around the text: mixed, related, alternative."""

_LAST_ALPHABET = 0x0590
"""Below it scripts put spaces between words: Latin, Greek, Cyrillic, Armenian."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMessage:
    """What one message can be found by; empty texts and None are unknown."""

    uid: int
    size_octets: int | None
    day: date | None
    """Of INTERNALDATE, in the server's zone."""

    written: date | None
    """Of the Date header, in the sender's zone."""

    word: str
    """An ASCII word of the subject: whole, since some servers find whole words only, and no stop word."""

    foreign_word: str
    """A word of the subject with non-ASCII letters, of a script that puts spaces between words."""

    from_: str
    """An address; so are the next two."""

    to: str
    cc: str
    message_id: str
    """With its angle brackets."""

    body_word: str
    """An ASCII word near the start of a plain text that is stored as it reads, or nearly so."""

    seen: bool
    fields: frozenset[str]
    """Those of PROBED_FIELDS that it has."""


def parse_known_message(row: FetchedMessage) -> KnownMessage:
    """Read what a message can be found by."""
    headers = BytesHeaderParser().parsebytes(row.sections.get("HEADER.FIELDS", b""))

    def first(name: str, pattern: re.Pattern[str]) -> str:
        match = pattern.search(str(headers.get(name, "")))
        return match[0] if match else ""

    subject = str(headers.get("Subject", ""))
    encoded = "=?" in subject
    return KnownMessage(
        uid=row.uid,
        size_octets=row.size_octets,
        day=row.internal_date.date() if row.internal_date else None,
        written=_day_written(str(headers.get("Date", ""))),
        word="" if encoded or not subject.isascii() else max(_WORD.findall(subject), key=len, default=""),
        foreign_word=_foreign_word(subject) if encoded else "",
        from_=first("From", _ADDRESS),
        to=first("To", _ADDRESS),
        cc=first("Cc", _ADDRESS),
        message_id=first("Message-ID", _MESSAGE_ID),
        body_word=_body_word(headers, row.sections.get("TEXT", b"")),
        seen=row.has_flag("\\Seen"),
        fields=frozenset(name for name in PROBED_FIELDS if name in headers),
    )


def _day_written(value: str) -> date | None:
    """Read a Date header that every server can read; None for any other."""
    try:
        day = parsedate_to_datetime(value).date()
    except (ValueError, TypeError):
        return None
    return day if day.year in _YEARS_READ else None


def _body_word(headers: Message, text: bytes) -> str:
    """Choose a word of the text; "" where octets may mean other letters, or a file."""
    for _ in range(_DEPTH_MAX):
        if headers.get_content_maintype() == "multipart":
            headers, text = _first_part(headers, text)
    charset = str(headers.get_content_charset() or "us-ascii")
    encoding = str(headers.get("Content-Transfer-Encoding", "7bit")).strip().lower()
    plain = (
        headers.get_content_type() == "text/plain"
        and encoding in _NEARLY_PLAIN
        and _ASCII_BASED.fullmatch(charset) is not None
    )
    if not plain:
        return ""
    if encoding == "quoted-printable":
        text = text.replace(b"=\r\n", b"")
    whole = _SPACE.split(text)[:-1]  # the last word may be cut
    words = [match[1].decode("ascii") for match in map(_BODY_WORD.fullmatch, whole) if match]
    return max(words, key=len, default="")


def _first_part(headers: Message, text: bytes) -> tuple[Message, bytes]:
    """Return the header and the text of the first part of a multipart, as far as its octets are there."""
    delimiter = b"--" + str(headers.get_boundary("")).encode("ascii", "replace") + b"\r\n"
    head, _, content = (b"\r\n" + text.partition(delimiter)[2]).partition(b"\r\n\r\n")
    return BytesHeaderParser().parsebytes(head.lstrip()), content


def _foreign_word(subject: str) -> str:
    try:
        decoded = str(make_header(decode_header(subject)))
    except (HeaderParseError, LookupError, ValueError):
        return ""
    words = [
        word
        for word in _FOREIGN_WORD.findall(decoded)
        if not word.isascii() and all(ord(letter) < _LAST_ALPHABET for letter in word)
    ]
    return max(words, key=len, default="")


def spread_evenly(count: int, *, limit: int) -> Sequence[int]:
    """Choose message numbers from all over a mailbox of `count` messages, including the newest."""
    wanted = min(count, limit)
    return sorted({count - (count * step) // wanted for step in range(wanted)})
