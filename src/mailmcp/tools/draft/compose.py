"""A draft as a message: Python's `email` writes it (RFC 5322, MIME).

Its Message-ID says that it is ours, and when it was written. Programs that save a draft again write a new
Date, so one that somebody has changed since is told from one that nobody has.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from email.header import Header
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, formataddr
from typing import Final

from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import Address
from mailmcp.mail.header.dates import parse_date
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.thread import REFERENCES_MAX, find_ids
from mailmcp.tools.draft.files import File
from mailmcp.tools.draft.recipients import Recipients

_OWN_ID: Final = re.compile(r"<mailmcp\.([0-9]{1,12})\.[0-9a-f]{16}@[^@<>]+>")
_ID: Final = re.compile(r"(?!.*=\?)[!-;=?-~]{1,500}")
_TYPE: Final = re.compile(r"(?!message/|multipart/)[a-z0-9+.-]{1,60}/[a-z0-9+.-]{1,120}")


_POLICY: Final = SMTP.clone(cte_type="7bit", refold_source="none")
"""Everything in ASCII. Raw fields stay as they are: of others, Python 3.11 decodes what looks like an encoded
word, line ends and all, encodes ids that are longer than a line, and loses commas between addresses."""

_WORD_CHARS_MAX: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a draft says; `answered` is the header of the message that it replies to, if it is a reply."""

    sender: Address
    recipients: Recipients
    subject: str
    text: str
    answered: Headers
    files: tuple[File, ...]


def compose(draft: Draft, *, now: datetime, token: str) -> tuple[bytes, str]:
    """Write a draft; return its octets and its Message-ID, which has the token: 16 hexadecimal digits."""
    message = EmailMessage(policy=_POLICY)
    domain = draft.sender.address.rpartition("@")[2]
    message_id = f"mailmcp.{int(now.timestamp())}.{token}@{domain}"
    message.set_raw("Message-ID", f"<{message_id}>")
    message.set_raw("Date", format_datetime(now))
    for name, addresses in {"from": [draft.sender], **draft.recipients}.items():
        if addresses:
            message.set_raw(name.capitalize(), ",\r\n ".join(map(_write_address, addresses)))
    message.set_raw("Subject", _write_text(draft.subject))
    if references := _references(draft.answered):
        message.set_raw("In-Reply-To", references[-1])
        message.set_raw("References", "\r\n ".join(references))
    message.set_content(draft.text)
    for file in draft.files:
        is_safe = _TYPE.fullmatch(file.content_type)
        main, _, sub = (file.content_type if is_safe else "application/octet-stream").partition("/")
        message.add_attachment(
            file.octets, maintype=main, subtype=sub, filename=clean_line(file.name).text.replace("=?", "= ?")
        )
    return message.as_bytes(), message_id


def is_unchanged(headers: Headers) -> bool:
    """Return whether a stored message is a draft of ours, and as it was saved."""
    own, date = _OWN_ID.fullmatch(headers.get("Message-ID")), parse_date(headers.get("Date"))
    return own is not None and date is not None and int(date.timestamp()) == int(own[1])


def _references(answered: Headers) -> list[str]:
    """Return References of a reply; the last one is In-Reply-To (RFC 5322 section 3.6.4)."""
    names = ("Message-ID", "In-Reply-To", "References")
    ids, before, ancestors = (find_ids(" ".join(answered.raw_all(each))) for each in names)
    if not ids or not _ID.fullmatch(ids[0]):
        return []
    ancestors = ancestors or (before if len(before) == 1 else ())
    earlier = [each for each in ancestors if _ID.fullmatch(each) and each != ids[0]]
    bounded = earlier if len(earlier) < REFERENCES_MAX else [earlier[0], *earlier[2 - REFERENCES_MAX :]]
    return [f"<{each}>" for each in (*bounded, ids[0])]


def _write_address(address: Address) -> str:
    name = _write_text(address.name)
    is_encoded = name.startswith("=?")
    return f"{name}\r\n <{address.address}>" if is_encoded else formataddr((address.name, address.address))


def _write_text(text: str) -> str:
    """Write a text for a header, in encoded words if it isn't short words of ASCII (RFC 2047)."""
    line = clean_line(text).text
    longest = max(map(len, line.split()), default=0)
    is_plain = line.isascii() and "=?" not in line and longest <= _WORD_CHARS_MAX
    return Header(line, "us-ascii" if is_plain else "utf-8").encode(linesep="\r\n")
