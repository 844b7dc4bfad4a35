"""What the newsletters have in common: their form as mail, links through counters, and padding."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from typing import Final, Literal

PADDING: Final = "&#847; &zwnj; &nbsp; &#8199; &#65279; " * 90
"""What mailing houses put behind a preheader, so that no list of messages shows what follows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Newsletter:
    """One HTML-only mail, and what a reading of it must and must not hold."""

    name: str
    message: bytes
    """As RFC 5322 has it, lines ended by CRLF."""

    html: str
    facts: Sequence[str]
    """What a reader would miss, in the order of the text."""

    absent: Sequence[str]
    """What no reader sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """Who sends it, and what the header says."""

    name: str
    sender: str
    subject: str
    encoding: Literal["quoted-printable", "base64"] = "quoted-printable"


def publish(envelope: Envelope, html: str, *, facts: Sequence[str], absent: Sequence[str]) -> Newsletter:
    """Make a mail of HTML, the same octets each time."""
    message = EmailMessage(policy=SMTP)
    message["From"] = envelope.sender
    message["To"] = "Ada Byron <ada@home.example>"
    message["Subject"] = envelope.subject
    message["Date"] = "Tue, 03 Nov 2026 08:15:00 +0100"
    message["Message-ID"] = f"<{opaque(envelope.name, 24)}@mailer.example>"
    message["List-Unsubscribe"] = f"<https://mailer.example/u/{opaque(envelope.name, 60)}>"
    message.set_content(html, subtype="html", charset="utf-8", cte=envelope.encoding)
    return Newsletter(name=envelope.name, message=message.as_bytes(), html=html, facts=facts, absent=absent)


def opaque(key: str, length: int) -> str:
    """Make letters and digits that mean nothing, as counters of clicks have them."""
    octets = b"".join(hashlib.sha512(f"{key}/{turn}".encode()).digest() for turn in range(length // 64 + 1))
    return base64.urlsafe_b64encode(octets).decode().replace("-", "x").replace("_", "y")[:length]


def pixel(host: str, key: str) -> str:
    """Write the image that tells the sender who reads."""
    return (
        f'<img src="https://{host}/o/{opaque(key, 180)}.gif" width="1" height="1" alt="" border="0" '
        'style="height:1px !important;width:1px !important;border-width:0 !important;margin:0 !important;'
        'padding:0 !important;display:block">'
    )
