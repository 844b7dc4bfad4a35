"""Mail that breaks the rules, octet by octet, in the ways real mail does.

Nothing here may be run through a mail library on its way out: it would be
mended. What each one breaks stands beside it.
"""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Final

from mailmcp.demo.sample.letter import SEEN, Placed, place_octets


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenMail:
    """One message and the rule it breaks."""

    flaw: str
    octets: bytes
    """With ``@DATE@`` where a proper date goes."""

    days_ago: float
    seen: bool = False


def make_broken(now: datetime) -> Iterator[Placed]:
    """Make all of them, in INBOX among the rest."""
    for mail in BROKEN:
        when = now - timedelta(days=mail.days_ago)
        octets = mail.octets.replace(b"@DATE@", format_datetime(when).encode("ascii"))
        yield place_octets(octets, mailbox="INBOX", flags=(SEEN,) if mail.seen else (), when=when)


def _crlf(text: str, charset: str = "ascii") -> bytes:
    return text.replace("\n", "\r\n").encode(charset)


def _nested(depth: int) -> bytes:
    opening = "".join(
        f'Content-Type: multipart/mixed; boundary="l{level}"\n\n--l{level}\n' for level in range(depth)
    )
    closing = "".join(f"\n--l{level}--\n" for level in reversed(range(depth)))
    return _crlf(f"{opening}Content-Type: text/plain\n\nAt the bottom of the well.\n{closing}")


_LONG_SUBJECT: Final = " ".join(f"{number} stations in stock," for number in range(100, 130)) + " please"
"""Well over 600 characters."""

_LOG: Final = b"".join(b"%06d station ST-%d ok\n" % (number * 7, 100 + number % 40) for number in range(400))

BROKEN: Final = (
    BrokenMail(
        flaw="no headers at all",
        days_ago=1.4,
        octets=_crlf("\nThe fax gateway sent this page without any header.\n\nOrder no. 5512, 3 stations.\n"),
    ),
    BrokenMail(
        flaw="headers and nothing else",
        days_ago=13.6,
        seen=True,
        octets=_crlf("Date: @DATE@\nFrom: door@example.com\nTo: all@example.com\nSubject: Door 2 open\n\n"),
    ),
    BrokenMail(
        flaw="says UTF-8, is Latin-1",
        days_ago=2.7,
        octets=_crlf(
            "Date: @DATE@\nFrom: Werkstatt <werkstatt@example.org>\nTo: mara@example.com\n"
            "Subject: Reparatur abgeschlossen\nMIME-Version: 1.0\n"
            "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
            "Das Gerät ist fertig. Die Öffnung für das Kabel wurde vergrößert.\n",
            "latin-1",
        ),
    ),
    BrokenMail(
        flaw="a charset nobody knows",
        days_ago=8.2,
        octets=_crlf(
            "Date: @DATE@\nFrom: scanner@example.org\nTo: mara@example.com\nSubject: =?x-scan-9?Q?Scan_4?=\n"
            "MIME-Version: 1.0\nContent-Type: text/plain; charset=x-scan-9\n\nPage 1 of 1, see the tray.\n"
        ),
    ),
    BrokenMail(
        flaw="multipart without a boundary parameter",
        days_ago=4.4,
        octets=_crlf(
            "Date: @DATE@\nFrom: orders@example.org\nTo: mara@example.com\nSubject: Purchase order 5513\n"
            "MIME-Version: 1.0\nContent-Type: multipart/mixed\n\n--part\nContent-Type: text/plain\n\n"
            "Please deliver 3 stations.\n--part--\n"
        ),
    ),
    BrokenMail(
        flaw="multipart whose closing boundary never comes",
        days_ago=6.1,
        octets=_crlf(
            "Date: @DATE@\nFrom: orders@example.org\nTo: mara@example.com\nSubject: Purchase order 5514\n"
            'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="cut"\n\n--cut\n'
            "Content-Type: text/plain\n\nPlease deliver 4 stations, terms as\n"
        ),
    ),
    BrokenMail(
        flaw="base64 that stops in the middle",
        days_ago=5.2,
        octets=_crlf(
            "Date: @DATE@\nFrom: logger@example.com\nTo: mara@example.com\nSubject: Nightly log\n"
            'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="log"\n\n--log\n'
            "Content-Type: text/plain\n\nThe log of the night is attached.\n--log\n"
            'Content-Type: text/plain; name="night.log"\nContent-Transfer-Encoding: base64\n'
            'Content-Disposition: attachment; filename="night.log"\n\n'
            + base64.encodebytes(_LOG).decode()[:4_001]
        ),
    ),
    BrokenMail(
        flaw="8-bit octets in the headers, Latin-1",
        days_ago=3.6,
        octets=_crlf(
            "Date: @DATE@\nFrom: Jörg Größmann <groessmann@example.org>\nTo: mara@example.com\n"
            "Subject: Prüfbericht für Gerät 17\nContent-Type: text/plain; charset=iso-8859-1\n\n"
            "Der Prüfbericht liegt im Büro.\n",
            "latin-1",
        ),
    ),
    BrokenMail(
        flaw="8-bit octets in the headers, UTF-8",
        days_ago=9.3,
        seen=True,
        octets=_crlf(
            "Date: @DATE@\nFrom: Åsa Öberg <asa@example.org>\nTo: mara@example.com\n"
            "Subject: Mätstation på taket ☀\nContent-Type: text/plain; charset=utf-8\n\nDen fungerar fint.\n",
            "utf-8",
        ),
    ),
    BrokenMail(
        flaw="no Date",
        days_ago=7.7,
        octets=_crlf(
            "From: badge@example.com\nTo: mara@example.com\nSubject: Your visitor has arrived\n\nAt gate 1.\n"
        ),
    ),
    BrokenMail(
        flaw="a Date that never was",
        days_ago=11.9,
        seen=True,
        octets=_crlf(
            "Date: Fri, 31 Feb 1847 25:61:99 +9999\nFrom: clock@example.org\nTo: mara@example.com\n"
            "Subject: The clock in the hall is wrong\n\nBy quite a bit.\n"
        ),
    ),
    BrokenMail(
        flaw="a subject of more than 600 characters on one line",
        days_ago=10.4,
        octets=_crlf(
            "Date: @DATE@\nFrom: stock@example.org\nTo: mara@example.com\n"
            f"Subject: {_LONG_SUBJECT}\n\nSee above.\n"
        ),
    ),
    BrokenMail(
        flaw="bare line feeds, and headers that come twice",
        days_ago=12.5,
        octets=b"Date: @DATE@\nFrom: cron@example.com\nFrom: root@example.com\nTo: mara@example.com\n"
        b"Subject: backup ok\nSubject: backup FAILED\n\n0 errors, 1 warning\n",
    ),
    BrokenMail(
        flaw="quoted-printable and encoded words that are not",
        days_ago=14.8,
        seen=True,
        octets=_crlf(
            "Date: @DATE@\nFrom: =?utf-8?Q?broken?= =?utf-8?B?not base64!?= <coupon@example.net>\n"
            "To: undisclosed-recipients:;\nSubject: =?utf-8?Q?100=_sure=ZZ?= =?utf-8\nMIME-Version: 1.0\n"
            "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
            "Save 20= now: =ZZ=E2=82 and =\n"
        ),
    ),
    BrokenMail(
        flaw="parts inside parts, twelve deep",
        days_ago=15.3,
        octets=_crlf(
            "Date: @DATE@\nFrom: gateway@example.org\nTo: mara@example.com\nSubject: Wrapped with care\n"
            "MIME-Version: 1.0\n"
        )
        + _nested(12),
    ),
)
