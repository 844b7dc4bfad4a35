"""Well-formed mail of the less common kinds: what MIME has beside text and files.

A calendar invitation (RFC 6047), a bounce (RFC 3464), flowed text (RFC 3676), a
message inside a message, mailing-list mail (RFC 2919, RFC 2369), a signed one.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from email import message_from_string
from email.message import EmailMessage
from email.policy import SMTP
from typing import Final

from mailmcp.demo.sample.files import make_ics, make_lump
from mailmcp.demo.sample.letter import (
    FLAGGED,
    FORWARDED,
    SEEN,
    Letter,
    Placed,
    fix_boundaries,
    flags_by_age,
    place,
    place_octets,
    to_message,
    to_octets,
)
from mailmcp.demo.sample.people import ELENA, HAYES, JONAS, LIST, LUCAS, OWNER, POSTMASTER, PRIYA, SATO, TOM

_LIST_POSTS: Final = (
    (LUCAS, "Which format for wind gusts?", "Do you store the gust as a value of its own, or as a flag?"),
    (PRIYA, "Re: Which format for wind gusts?", "A value of its own. Flags are lost in every export."),
    (HAYES, "Re: Which format for wind gusts?", "Same here, since 1974, first on paper."),
    (SATO, "Time zones in archived data", "Our archive mixes UTC and local time. How do you mark it?"),
    (LUCAS, "Re: Time zones in archived data", "We rewrote everything to UTC once. It took a summer."),
    (HAYES, "Workshop in May: call for topics", "Please send topics until the end of the month."),
    (JONAS, "Re: Workshop in May: call for topics", "Radiation shields, what else. Twenty minutes."),
)
"""Who, subject, what they wrote; a subject with Re: answers the post before it."""


def make_formats(now: datetime) -> Iterator[Placed]:
    """Make one message of each kind, and a handful of the mailing list's."""
    yield _make_invitation(now - timedelta(hours=26))
    yield _make_bounce(now - timedelta(days=3, hours=4))
    yield _make_flowed(now - timedelta(days=5, hours=1))
    yield _make_forwarded(now - timedelta(days=8, hours=9))
    yield _make_signed(now - timedelta(days=10, hours=2))
    yield from _make_list_posts(now)


def _make_invitation(when: datetime) -> Placed:
    start = (when + timedelta(days=4)).replace(hour=13, minute=30, second=0, microsecond=0)
    letter = Letter(
        when=when,
        sender=ELENA,
        cc=(JONAS, PRIYA, TOM),
        subject=f"Invitation: Apollo code freeze, {start:%a %d %b, %H:%M}",
        text=f"Elena Rossi invites you.\n\nApollo code freeze\n{start:%A, %d %B %Y, %H:%M} UTC, one hour\n"
        "Meeting room Kestrel\n",
        html="<p><b>Elena Rossi</b> invites you to <b>Apollo code freeze</b>, meeting room Kestrel.</p>",
    )
    message = to_message(letter)
    room = "Meeting room Kestrel"
    calendar = make_ics("Apollo code freeze", start, organizer=ELENA, place=room).decode()
    # The third alternative: calendar programs look for it here, not among the attachments.
    message.add_alternative(calendar, subtype="calendar", params={"method": "REQUEST"}, cte="7bit")
    return place_octets(message.as_bytes(), mailbox="INBOX", flags=(FLAGGED,), when=when)


def _make_bounce(when: datetime) -> Placed:
    undelivered = Letter(
        when=when - timedelta(minutes=4),
        sender=OWNER,
        to=(HAYES,),
        subject="Photos of the mast",
        text="Dear Caroline,\n\nhere they are.\n\nMara\n",
    )
    reason = "552 5.2.2 <c.hayes@example.org>: mailbox full"
    report = _make_part(
        "Content-Type: message/delivery-status",
        "Reporting-MTA: dns; mx.example.com\r\n\r\nFinal-Recipient: rfc822; c.hayes@example.org\r\n"
        f"Action: failed\r\nStatus: 5.2.2\r\nDiagnostic-Code: smtp; {reason}\r\n",
    )
    returned = _make_part(
        "Content-Type: text/rfc822-headers",
        to_octets(undelivered).decode().partition("\r\n\r\n")[0] + "\r\n",
    )
    message = to_message(
        Letter(
            when=when,
            sender=POSTMASTER,
            subject="Undelivered Mail Returned to Sender",
            text="This is the mail system at host mx.example.com.\n\nYour message could not be delivered:\n\n"
            f"  {reason}\n",
            headers=(("Auto-Submitted", "auto-replied"),),
        )
    )
    message.make_mixed()
    message.attach(report)
    message.attach(returned)
    message.replace_header("Content-Type", 'multipart/report; report-type="delivery-status"')
    fix_boundaries(message, "bounce-5120")
    return place_octets(message.as_bytes(), mailbox="INBOX", flags=(), when=when)


def _make_flowed(when: datetime) -> Placed:
    letter = Letter(
        when=when,
        sender=LUCAS,
        subject="Notes from the measurement days",
        text="Hello Mara,\n\nthe short version of two days: everybody measures too \nmuch and calibrates too"
        " little. There was a good talk on \nfrost in wind sensors, the slides are online.\n\n"
        "> Will the recordings \n> be public?\n\nYes, in about three weeks.\n\n  indented lines keep\n"
        "  their breaks\n\n-- \nLucas\n",
    )
    message = to_message(letter)
    message.set_param("format", "flowed")
    message.set_param("delsp", "no")
    return place_octets(message.as_bytes(), mailbox="INBOX", flags=(SEEN,), when=when)


def _make_forwarded(when: datetime) -> Placed:
    inner = to_message(
        Letter(
            when=when - timedelta(days=1),
            sender=HAYES,
            to=(TOM,),
            subject="Foundation of the mast",
            text="Dear Tom,\n\nthe concrete needs 28 days. Please do not plan with less.\n\nC. H.\n",
        )
    )
    message = to_message(
        Letter(
            when=when,
            sender=TOM,
            subject="Fwd: Foundation of the mast",
            text="For you, the original is attached. That moves us by two weeks.\n\nTom\n",
        )
    )
    message.add_attachment(inner)
    fix_boundaries(message, "forwarded-0812")
    return place_octets(message.as_bytes(), mailbox="INBOX", flags=(SEEN, FORWARDED), when=when)


def _make_signed(when: datetime) -> Placed:
    letter = Letter(
        when=when,
        sender=JONAS,
        subject="New key, please sign",
        text="Hi Mara,\n\nmy old key expires on Sunday. This is the new one, fingerprint by telephone."
        "\n\nJonas\n",
    )
    message = to_message(letter)
    message.make_mixed()
    lump = make_lump("signature", 32).hex()
    signature = _make_part(
        "Content-Type: application/pgp-signature\r\n"
        'Content-Disposition: attachment; filename="signature.asc"',
        f"-----BEGIN PGP SIGNATURE-----\r\n\r\n{lump}\r\n-----END PGP SIGNATURE-----\r\n",
    )
    message.attach(signature)
    message.replace_header(
        "Content-Type", 'multipart/signed; micalg=pgp-sha256; protocol="application/pgp-signature"'
    )
    fix_boundaries(message, "signed-1011")
    return place_octets(message.as_bytes(), mailbox="INBOX", flags=(SEEN,), when=when)


def _make_list_posts(now: datetime) -> Iterator[Placed]:
    ids: tuple[str, ...] = ()
    for index, (sender, subject, text) in enumerate(_LIST_POSTS):
        when = now - timedelta(days=14, hours=-31 * index)
        prefix, tagged = "", subject
        if subject.startswith("Re: "):
            prefix, tagged = "Re: ", subject.removeprefix("Re: ")
        else:
            ids = ()
        letter = Letter(
            when=when,
            sender=sender,
            to=(LIST,),
            subject=f"{prefix}[weather-dev] {tagged}",
            text=f"{text}\n\n{sender.display_name}\n_______________________________________________\n"
            "weather-dev mailing list\nhttps://lists.example.org/weather-dev\n",
            message_id=f"<list.{index}.{when:%Y%m%d}@{sender.domain}>",
            references=ids,
            headers=(
                ("List-Id", "Weather station software <weather-dev.lists.example.org>"),
                ("List-Post", "<mailto:weather-dev@lists.example.org>"),
                ("List-Unsubscribe", "<https://lists.example.org/weather-dev/leave>"),
                ("Sender", "weather-dev-bounces@lists.example.org"),
            ),
        )
        ids = (*ids, letter.own_id())
        yield place(letter, flags=flags_by_age(index, now - when))


def _make_part(headers: str, body: str) -> EmailMessage:
    return message_from_string(f"{headers}\r\n\r\n{body}", policy=SMTP)
