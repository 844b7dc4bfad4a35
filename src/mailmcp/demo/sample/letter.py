"""Well-formed messages: from what a letter says to its octets.

Made by the standard library, except that nothing is left to chance: boundaries
and message ids come from what the letter says, so that the same letter always
gives the same octets.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Final

from mailmcp.demo.mailbox import SampleMessage
from mailmcp.demo.sample.people import OWNER

SEEN: Final = "\\Seen"
ANSWERED: Final = "\\Answered"
FLAGGED: Final = "\\Flagged"
DRAFT: Final = "\\Draft"
FORWARDED: Final = "$Forwarded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that travels with a letter."""

    filename: str
    content_type: str
    data: bytes
    content_id: str = ""
    """Without angle brackets; when given, the file belongs to the HTML and is shown in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """What a letter says; empty fields are left out of the message."""

    when: datetime
    sender: Address
    subject: str
    to: tuple[Address, ...] = (OWNER,)
    cc: tuple[Address, ...] = ()
    text: str = ""
    html: str = ""
    message_id: str = ""
    """With angle brackets; made of the letter itself when empty."""

    references: tuple[str, ...] = ()
    """Ids of the conversation so far; the last one is what is replied to."""

    headers: tuple[tuple[str, str], ...] = ()
    attachments: tuple[Attachment, ...] = ()
    cte: str | None = None
    """Transfer encoding of the text; None for what suits it."""

    def own_id(self) -> str:
        """Give the letter's Message-ID."""
        return self.message_id or f"<{_digest(self)}@{self.sender.domain}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A message and the name of the mailbox it belongs in."""

    mailbox: str
    message: SampleMessage


def place(letter: Letter, *, mailbox: str = "INBOX", flags: tuple[str, ...] = ()) -> Placed:
    """Put a letter into a mailbox; it arrives a few seconds after its Date."""
    return place_octets(to_octets(letter), mailbox=mailbox, flags=flags, when=letter.when)


def place_octets(octets: bytes, *, mailbox: str, flags: tuple[str, ...], when: datetime) -> Placed:
    """Put finished octets into a mailbox."""
    arrived = when + timedelta(seconds=2 + len(octets) % 7)
    return Placed(mailbox=mailbox, message=SampleMessage(octets=octets, flags=flags, internal_date=arrived))


def flags_by_age(index: int, age: timedelta) -> tuple[str, ...]:
    """Choose flags as people leave them: old mail is read, some of it starred, a little forwarded."""
    flags = []
    if age > timedelta(days=2) and index % 6:
        flags.append(SEEN)
    if (index - 4) % 11 == 0:
        flags.append(FLAGGED)
    if flags and (index - 5) % 13 == 0:
        flags.append(FORWARDED)
    return tuple(flags)


def to_octets(letter: Letter) -> bytes:
    """Write the letter as a message, line ends CRLF."""
    return to_message(letter).as_bytes()


def to_message(letter: Letter) -> EmailMessage:
    """Write the letter as a message that may still be changed."""
    message = EmailMessage(policy=SMTP)
    _write_headers(message, letter)
    if letter.text or not letter.html:
        message.set_content(letter.text, cte=letter.cte)
        if letter.html:
            message.add_alternative(letter.html, subtype="html")
    else:
        message.set_content(letter.html, subtype="html", cte=letter.cte)
    for attachment in letter.attachments:
        _attach(message, attachment)
    fix_boundaries(message, _digest(letter))
    return message


def fix_boundaries(message: EmailMessage, seed: str) -> None:
    """Give every multipart of the message a boundary made of `seed` and its place."""
    multiparts = (part for part in message.walk() if part.get_content_maintype() == "multipart")
    for number, part in enumerate(multiparts):
        part.set_boundary(f"=_{seed}_{number}")


def _write_headers(message: EmailMessage, letter: Letter) -> None:
    if letter.sender != OWNER:
        host = f"mx.{letter.sender.domain}"
        message["Return-Path"] = f"<{letter.sender.addr_spec}>"
        message["Received"] = (
            f"from {host} (192.0.2.25) by mx.example.com with ESMTPS id {_digest(letter)};"
            f" {format_datetime(letter.when + timedelta(seconds=1))}"
        )
    message["Date"] = letter.when
    message["From"] = letter.sender
    if letter.to:
        message["To"] = letter.to
    if letter.cc:
        message["Cc"] = letter.cc
    message["Subject"] = letter.subject
    message["Message-ID"] = letter.own_id()
    if letter.references:
        message["In-Reply-To"] = letter.references[-1]
        message["References"] = " ".join(letter.references)
    for name, value in letter.headers:
        message[name] = value


def _attach(message: EmailMessage, attachment: Attachment) -> None:
    maintype, _, subtype = attachment.content_type.partition("/")
    if attachment.content_id:
        html = message.get_body(("html",))
        if not isinstance(html, EmailMessage):
            raise ValueError("an inline file needs HTML to be shown in")
        html.add_related(
            attachment.data,
            maintype,
            subtype,
            disposition="inline",
            filename=attachment.filename,
            cid=f"<{attachment.content_id}>",
        )
        return
    message.add_attachment(attachment.data, maintype, subtype, filename=attachment.filename)


def _digest(letter: Letter) -> str:
    said = f"{letter.when.isoformat()}|{letter.sender.addr_spec}|{letter.subject}|{letter.text}|{letter.html}"
    return hashlib.sha256(said.encode()).hexdigest()[:16]
