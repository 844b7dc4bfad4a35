"""The mail that the questions are about: two accounts of one person, some 4,700 messages, always the same.

What answers a question stands in a function of its own; `_noise` is what it must be found in.
"""

import io
import random
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from zoneinfo import ZoneInfo

from mail.text.test_signed_content import element, signed

ZONE = "Europe/Stockholm"
PRIVATE = "nora@lindqvist.example"
WORK = "n.lindqvist@harbor.example"
ADDRESSES = {"private": PRIVATE, "work": WORK}
OWNER = "Nora Lindqvist"
SERVER = "mx.lindqvist.example"
"""Tops each message of the private account with its verdicts."""

_ZONE = ZoneInfo(ZONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """One message and where it is."""

    account: str
    mailbox: str
    received: datetime
    octets: bytes
    flags: tuple[str, ...] = ("\\Seen",)


def at(text: str) -> datetime:
    """Read a local time such as 2026-10-05T09:30."""
    return datetime.fromisoformat(text).replace(tzinfo=_ZONE)


def make_mail() -> list[Mail]:
    """Make all messages, in the order in which they arrived."""
    rng = random.Random(2026)  # noqa: S311 - made up, not secret
    made = [*_noise(rng), *_counted(rng), *_archive(rng), *_conversations(), *_requests(), *_odd(), *_files()]
    return sorted(made, key=lambda each: each.received)


def _message(
    sender: str,
    to: str,
    subject: str,
    text: str,
    written: datetime,
    *,
    ident: str,
    headers: dict[str, str] | None = None,
) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Date"] = format_datetime(written)
    message["Message-ID"] = f"<{ident}@{sender.rpartition('@')[2].rstrip('>')}>"
    for name, value in (headers or {}).items():
        message[name] = value
    message.set_content(text + "\n")
    return message


def _mail(
    account: str, mailbox: str, message: EmailMessage | bytes, received: datetime, *, seen: bool = True
) -> Mail:
    octets = message if isinstance(message, bytes) else message.as_bytes(policy=_POLICY)
    if account == "private" and mailbox == "INBOX":
        octets = _verdict(octets) + octets
    flags = ("\\Seen",) if seen else ()
    return Mail(account=account, mailbox=mailbox, received=received, octets=octets, flags=flags)


def _letter(
    account: str, sender: str, subject: str, text: str, moment: datetime, ident: str,
    *, box: str = "INBOX", received: datetime | None = None,
) -> Mail:  # fmt: skip
    """Make a message to the owner of an account, received when it was written if nothing else is said."""
    message = _message(sender, ADDRESSES[account], subject, text, moment, ident=ident)
    return _mail(account, box, message, received or moment)


def _verdict(octets: bytes) -> bytes:
    """Write what the account's own server says of a message: it fails DMARC if it says so itself."""
    domain = octets.partition(b"From:")[2].partition(b"\r\n")[0].rpartition(b"@")[2].rstrip(b"> ")
    verdict = b"fail" if b"X-Forged: yes" in octets else b"pass"
    results = b"; ".join(
        b"%b=%b %b=%b" % (method, verdict, identity, domain)
        for method, identity in (
            (b"spf", b"smtp.mailfrom"),
            (b"dkim", b"header.d"),
            (b"dmarc", b"header.from"),
        )
    )
    server = SERVER.encode()
    received = b"Received: from mx.%b by %b with ESMTPS\r\n" % (domain, server)
    return b"Authentication-Results: %b; %b\r\n%b" % (server, results, received)


_POLICY = EmailMessage().policy.clone(linesep="\r\n", max_line_length=998, cte_type="7bit")

_PEOPLE = [
    "Greta Holm <greta.holm@skerry.example>",
    "Tomas Ek <tomas@ek.example>",
    "Aino Virtanen <aino.virtanen@satama.example>",
    "Jean-Luc Morel <jl.morel@atelier.example>",
    "Åsa Öberg <asa.oberg@kommun.example>",
    "Piet de Boer <piet@deboer.example>",
    "Marta Nowak <marta.nowak@stocznia.example>",
    "Дмитрий Орлов <orlov@port.example>",
    "Lena Hellström <lena@hellstrom.example>",
    "Oskar Lund <oskar.lund@lundbygg.example>",
]
_NOUNS = (
    "crane berth pilot tide mooring invoice lunch fender dredging survey permit lighthouse ferry ramp "
    "schedule drawing budget contract weather roster"
)
_TOPICS = _NOUNS.split()


def _noise(rng: random.Random) -> Iterator[Mail]:
    """Yield ordinary mail of a year, newsletters and notifications, in both accounts."""
    start = at("2026-01-02T06:00")
    for number in range(2600):
        moment = start + timedelta(minutes=number * 180 + rng.randrange(150))
        account, owner = ("work", WORK) if number % 3 else ("private", PRIVATE)
        topic, other = rng.sample(_TOPICS, 2)
        kind = number % 10
        ident = f"n{number}"
        if kind < 5:
            sender = _PEOPLE[rng.randrange(len(_PEOPLE) - (moment.month == 10))]
            subject = f"{topic.capitalize()} and {other}"
            text = f"Hello Nora,\n\nshort note on the {topic}: the {other} is as we said. No reply needed.\n"
            message = _message(sender, f"{OWNER} <{owner}>", subject, text, moment, ident=ident)
        elif kind < 7:
            message = _message(
                "Port Operations <no-reply@ops.harbor.example>",
                owner,
                f"Daily report: {topic}",
                f"Automatic report. Vessels: {rng.randrange(40)}. See {other}.",
                moment,
                ident=ident,
                headers={"Auto-Submitted": "auto-generated"},
            )
        elif kind < 9:
            name, count = rng.choice([("Harbour Weekly", "weekly"), ("Knots & Tides", "knots")])
            message = _newsletter(name, count, owner, topic, moment, ident)
        else:
            person = rng.choice(_PEOPLE)
            sent = _message(
                f"{OWNER} <{owner}>",
                person,
                f"{topic.capitalize()}: done",
                f"Done, the {other} as well. For your files only.",
                moment,
                ident=ident,
            )
            yield _mail(account, "Sent", sent, moment)
            answer = _message(
                person, owner, f"Re: {topic.capitalize()}: done", "Thanks!", moment, ident=f"{ident}-answer",
                headers={"In-Reply-To": str(sent["Message-ID"]), "References": str(sent["Message-ID"])},
            )  # fmt: skip
            yield _mail(account, "INBOX", answer, moment + timedelta(hours=2))
            continue
        yield _mail(account, "INBOX", message, moment)


def _newsletter(name: str, key: str, owner: str, topic: str, moment: datetime, ident: str) -> EmailMessage:
    return _message(
        f"{name} <news@{key}.example>",
        owner,
        f"{name}: {topic}",
        f"This week: {topic}.",
        moment,
        ident=ident,
        headers={
            "List-Id": f"{name} <{key}.list.example>",
            "List-Unsubscribe": f"<https://{key}.example/unsubscribe?u=nora>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
    )


def _counted(rng: random.Random) -> Iterator[Mail]:
    """Yield what is to be counted: alarms, a frequent newsletter, somebody who wrote most in October."""
    for number in range(1400):
        moment = at("2026-03-01T00:30") + timedelta(hours=number * 4.1)
        subject = f"ALARM {rng.choice(['level', 'temperature', 'pressure'])} sensor {number % 17}"
        text = f"Value {rng.randrange(90, 140)} above limit."
        headers = {"Auto-Submitted": "auto-generated"}
        sender = "Gateway 7 <gateway@sensors.harbor.example>"
        message = _message(sender, WORK, subject, text, moment, ident=f"alarm{number}", headers=headers)
        yield _mail("work", "Alarms", message, moment)
    for number in range(160):
        moment = at("2026-02-01T07:00") + timedelta(hours=number * 42)
        letter = _newsletter(
            "Sourdough Letters", "sourdough", PRIVATE, f"loaf {number}", moment, f"s{number}"
        )
        yield _mail("private", "INBOX", letter, moment, seen=number % 2 == 0)
    for number in range(37):
        moment = at("2026-10-01T10:00") + timedelta(hours=number * 19)
        sender = "Ingrid Falk <ingrid.falk@brf-utsikten.example>"
        if number % 3 == 0:
            sender = '"Falk, Ingrid" <Ingrid.Falk@BRF-Utsikten.example>'
        yield _letter("private", sender, f"Board matter {number}", "Please see below.", moment, f"i{number}")


def _archive(rng: random.Random) -> Iterator[Mail]:
    """Yield an old archive that was imported on one day, the last in it written by a firm that closed."""
    for number in range(420):
        written = at("2013-02-01T08:00") + timedelta(days=number * 2.2)
        received = at("2026-11-15T21:00") + timedelta(seconds=rng.randrange(600))
        sender = rng.choice(["Piet Verhoeven <piet@verhoeven-masten.example>", *_PEOPLE[:3]])
        subject = f"Mast works {number}"
        yield _letter(
            "private", sender, subject, "From the yard.", written, f"old{number}", received=received
        )
    yield _letter(
        "private", "Piet Verhoeven <piet@verhoeven-masten.example>", "The yard closes",
        "Dear Nora, this is my last message: the yard closes on Friday. The spare key is with Hendrik.",
        at("2015-12-18T16:20"), "yard-closes", received=at("2026-11-15T21:02"),
    )  # fmt: skip
    insurer, subject = "Sjöförsäkring <avtal@sjoforsakring.example>", "Boat insurance: your premium"
    for year, premium in ((2013, "2 140"), (2014, "2 310"), (2015, "2 450")):
        received = at("2026-11-15T21:05") + timedelta(minutes=2016 - year)
        text, written = f"The premium for {year + 1} is {premium} kr.", at(f"{year}-11-20T12:00")
        yield _letter("private", insurer, subject, text, written, f"premium{year}", received=received)
    text, written = "The premium for 2027 is 3 975 kr.", at("2026-10-20T12:00")
    received = at("2026-10-20T12:01")
    yield _letter("private", insurer, subject, text, written, "premium2026", received=received)


def _reply(
    sender: str, to: str, subject: str, text: str, when: str, ident: str, refs: list[str]
) -> EmailMessage:
    headers = {"In-Reply-To": refs[-1], "References": " ".join(refs)} if refs else {}
    return _message(sender, to, subject, text, at(when), ident=ident, headers=headers)


def _conversations() -> Iterator[Mail]:
    """Yield a conversation that moves to the other account, and one that goes on under a new subject line."""
    oskar, me, me_at_work = _PEOPLE[9], f"{OWNER} <{PRIVATE}>", f"{OWNER} <{WORK}>"
    first = _reply(
        oskar, me, "Roof of the boathouse", "We can do it for 84 000 kr.", "2026-08-03T09:00", "r1", []
    )
    refs = [str(first["Message-ID"])]
    yield _mail("private", "INBOX", first, at("2026-08-03T09:01"))
    second = _reply(me, oskar, "Re: Roof of the boathouse", "Too much. Write to my work address, please.",
                    "2026-08-04T10:00", "r2", refs)  # fmt: skip
    refs.append(str(second["Message-ID"]))
    yield _mail("private", "Sent", second, at("2026-08-04T10:00"))
    third = _reply(oskar, me_at_work, "Re: Roof of the boathouse", "With sheet metal: 71 500 kr.",
                   "2026-08-06T15:00", "r3", refs)  # fmt: skip
    refs.append(str(third["Message-ID"]))
    yield _mail("work", "INBOX", third, at("2026-08-06T15:01"))
    fourth = _reply(me_at_work, oskar, "Re: Roof of the boathouse", "Agreed: 69 000 kr, finished in May.",
                    "2026-08-07T08:00", "r4", refs)  # fmt: skip
    yield _mail("work", "Sent", fourth, at("2026-08-07T08:00"))

    lena = _PEOPLE[8]
    one = _reply(lena, me, "Kitchen fitting", "We come on 12 January.", "2026-09-01T09:00", "k1", [])
    two = _reply(me, lena, "Re: Kitchen fitting", "Good.", "2026-09-01T12:00", "k2", [str(one["Message-ID"])])
    new = _reply(lena, me, "Kitchen fitting", "Sorry, the oven is late: we come on 26 January instead.",
                 "2026-11-02T09:00", "k3", [])  # fmt: skip
    yield _mail("private", "INBOX", one, at("2026-09-01T09:01"))
    yield _mail("private", "Sent", two, at("2026-09-01T12:00"))
    yield _mail("private", "INBOX", new, at("2026-11-02T09:01"))


def _requests() -> Iterator[Mail]:
    """Yield what was asked in November and who answered."""
    me = f"{OWNER} <{PRIVATE}>"
    asked = [
        ("Aino Virtanen <aino.virtanen@satama.example>", "Crane drawings", True),
        ("Jean-Luc Morel <jl.morel@atelier.example>", "Price for the figurehead", False),
        ("Åsa Öberg <asa.oberg@kommun.example>", "Permit for the jetty", True),
        ("Tomas Ek <tomas@ek.example>", "Loan of the trailer", False),
    ]
    for number, (person, subject, is_answered) in enumerate(asked):
        moment = at("2026-11-05T10:00") + timedelta(hours=number)
        sent = _message(me, person, subject, "Could you tell me?", moment, ident=f"q{number}")
        yield _mail("private", "Sent", sent, moment)
        if is_answered:
            back, box, account = moment + timedelta(days=1), "INBOX", "private"
            to, sender = me, person
            if number == 2:  # she answers from another address, to the other account
                account, to, sender = "work", f"{OWNER} <{WORK}>", "Åsa Öberg <asa@oberg.example>"
            answer = _message(
                sender, to, f"Re: {subject}", "Yes, here you are.", back, ident=f"a{number}",
                headers={"In-Reply-To": str(sent["Message-ID"])},
            )  # fmt: skip
            yield _mail(account, box, answer, back)
    greta = _PEOPLE[0]
    for number, (subject, is_answered) in enumerate(
        [("Can you host in May?", True), ("Which mooring for Sunday?", False), ("Keys of the shed?", True),
         ("Do you still have my drill?", False)]
    ):  # fmt: skip
        moment = at("2026-11-10T08:00") + timedelta(hours=3 * number)
        question = _message(greta, me, subject, "Let me know!", moment, ident=f"g{number}")
        yield _mail("private", "INBOX", question, moment)
        if is_answered:
            back = moment + timedelta(hours=1)
            answer = _message(
                me, greta, f"Re: {subject}", "Yes.", back, ident=f"ga{number}",
                headers={"In-Reply-To": str(question["Message-ID"])},
            )  # fmt: skip
            yield _mail("private", "Sent", answer, back)


def _odd() -> Iterator[Mail]:
    """Yield mail that is hard to find or to read: spellings, charsets, signatures, forgeries, invitations."""
    yield _letter(
        "private", "Stefania Kowalczyk <s.kowalczyk@zagle.example>", "Sails",
        "Please send me the luff length in metres; I cut on Monday.", at("2026-06-12T11:00"), "sails",
    )  # fmt: skip
    yield _letter(
        "work", "Net planning <netz@grid.example>", "Shore power connection",
        "Terna grants a connection capacity of 630 kVA.", at("2026-05-20T13:00"), "terna",
    )  # fmt: skip
    for number in range(60):  # their boundaries name it, their texts don't
        moment = at("2026-05-01T08:00") + timedelta(days=2, hours=number)
        message = _message(
            "Desk <desk@tug.example>", WORK, f"Tug rota {number}", "As planned.", moment, ident=f"t{number}"
        )
        message.add_alternative("<p>As planned.</p>", subtype="html")
        yield _mail("work", "INBOX", message, moment)

    notary = "Notary Berg <kansli@berg.example>"
    yield _letter(
        "private", notary, "Signing at the notary", "We propose the signing on 3 December at 10:00.",
        at("2026-10-12T09:00"), "notary1",
    )  # fmt: skip
    moment = at("2026-10-28T09:00")
    yield _mail("private", "INBOX", _opaque(notary, moment), moment)

    moment = at("2026-04-17T10:00")
    polish = (
        "Dzień dobry,\r\nproszę przysłać klucze na ulicę Żołnierzy Wyklętych 14, pieniądze już wysłałem.\r\n"
    )
    yield _mail("private", "INBOX", (
        b"From: Zbigniew <zbigniew@zagle.example>\r\nTo: nora@lindqvist.example\r\n"
        b"Subject: Klucze\r\nDate: " + format_datetime(moment).encode() + b"\r\n"
        b"Message-ID: <klucze@zagle.example>\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
        + polish.encode("cp1250")), moment)  # fmt: skip

    bank = "Skerry Bank <service@skerrybank.example>"
    yield _letter(
        "private", bank, "Your card", "We have sent your new card.", at("2026-11-03T09:00"), "bank1"
    )
    message = _message(
        bank, PRIVATE, "Your card is blocked", "Confirm your PIN at once.", at("2026-11-03T14:00"),
        ident="bank2", headers={"X-Forged": "yes"},
    )  # fmt: skip
    yield _mail("private", "INBOX", message, at("2026-11-03T14:00"))

    for sender, title, zone, start, end, moment in (
        ("Dana Reyes <dana@reyes.example>", "Quarterly review", "America/New_York", "20261208T090000",
         "20261208T100000", at("2026-11-16T17:00")),
        ("Greta Holm <greta.holm@skerry.example>", "Ice safety", "Europe/Stockholm", "20261210T130000",
         "20261210T143000", at("2026-11-17T09:00")),
    ):  # fmt: skip
        yield _mail("work", "INBOX", _invitation(sender, title, zone, start, end, moment), moment)

    for number, box in enumerate(["INBOX", "INBOX", "Projects/Wind", "Old"]):
        moment, subject = at("2026-07-01T09:00") + timedelta(days=number), f"Turbine blade transport {number}"
        text, ident = "The turbine arrives by barge.", f"turbine{number}"
        yield _letter("work", _PEOPLE[5], subject, text, moment, ident, box=box)
    for number in range(40):
        moment, subject = at("2025-07-01T09:00") + timedelta(days=number), f"Turbine test {number}"
        yield _letter("work", _PEOPLE[5], subject, "Old turbine.", moment, f"oldturbine{number}", box="Old")
    moment, text = at("2026-11-18T07:00"), "Can you feed the cat on Saturday?"
    message = _message(_PEOPLE[8], PRIVATE, "Cat on Saturday", text, moment, ident="cat")
    yield _mail("private", "INBOX", message, moment, seen=False)


def _opaque(sender: str, moment: datetime) -> bytes:
    """Make a message whose text is inside a signature (RFC 8551 section 3.5.2)."""
    text = b"The signing is moved: 17 December at 14:30, same place.\r\n"
    cms = signed(element(4, b"Content-Type: text/plain; charset=utf-8\r\n\r\n" + text))
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, PRIVATE, "Signing at the notary"
    message["Date"], message["Message-ID"] = format_datetime(moment), "<notary2@berg.example>"
    message.set_content(cms, "application", "pkcs7-mime", filename="smime.p7m")
    message.set_param("smime-type", "signed-data")
    return message.as_bytes(policy=_POLICY)


def _invitation(sender: str, title: str, zone: str, start: str, end: str, moment: datetime) -> EmailMessage:
    message = _message(
        sender, WORK, f"Invitation: {title}", f"You are invited: {title}.", moment, ident=f"c{start}"
    )
    calendar = "\r\n".join([
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", "METHOD:REQUEST", "BEGIN:VEVENT",
        f"UID:{start}@test", f"DTSTART;TZID={zone}:{start}", f"DTEND;TZID={zone}:{end}", f"SUMMARY:{title}",
        f"ORGANIZER:mailto:{sender.partition('<')[2].rstrip('>')}", f"ATTENDEE:mailto:{WORK}",
        "DTSTAMP:20261116T160000Z", "END:VEVENT", "END:VCALENDAR", "",
    ])  # fmt: skip
    message.add_alternative(calendar, subtype="calendar", params={"method": "REQUEST"})
    return message


def _files() -> Iterator[Mail]:
    """Yield a receipt that is a picture, and an archive of measurements."""
    from PIL import Image, ImageDraw  # noqa: PLC0415 - only this tool draws

    picture = Image.new("RGB", (900, 420), "white")
    draw = ImageDraw.Draw(picture)
    for line, text in enumerate(["SKIPPARENS KROG", "2 x fish soup      310,00", "1 x coffee          38,00",
                                 "TOTAL              348,00 kr"]):  # fmt: skip
        draw.text((40, 40 + 90 * line), text, fill="black", font_size=48)
    octets = io.BytesIO()
    picture.save(octets, "PNG")
    moment = at("2026-09-19T20:00")
    message = _message(_PEOPLE[1], PRIVATE, "Receipt from Saturday", "Attached.", moment, ident="receipt")
    message.add_attachment(octets.getvalue(), "image", "png", filename="IMG_2207.png")
    yield _mail("private", "INBOX", message, moment)

    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("survey/readme.txt", "Heights above mean sea level.")
        file.writestr("survey/heights.csv", "point;metres\r\nquay;2.31\r\nmast;14.86\r\nramp;0.42\r\n")
    moment = at("2026-09-23T10:00")
    message = _message(
        _PEOPLE[6], WORK, "Survey of the quay", "All points are in the archive.", moment, ident="survey"
    )
    message.add_attachment(archive.getvalue(), "application", "zip", filename="survey.zip")
    yield _mail("work", "INBOX", message, moment)
