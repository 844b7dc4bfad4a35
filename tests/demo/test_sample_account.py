"""The sample account: its variety, the flaws of its broken mail, and dates that agree at any moment."""

import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from io import BytesIO
from pathlib import Path

import icalendar
import pytest
from pypdf import PdfReader

from mailmcp.demo import sample_account
from mailmcp.demo.mailbox import SampleMailbox, SampleMessage
from mailmcp.demo.sample_account import MAILBOXES, OWNER, load_sample

FILES = sorted((Path(sample_account.__file__).parent / "sample").rglob("*.eml"))
SATURDAY = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
MOMENTS = [SATURDAY, datetime(2024, 2, 29, 23, 59, 59, tzinfo=UTC), datetime(2031, 1, 6, 0, 0, tzinfo=UTC)]

Sample = dict[str, SampleMailbox]


@pytest.fixture(scope="module", params=MOMENTS, ids=str)
def moment(request: pytest.FixtureRequest) -> datetime:
    assert isinstance(request.param, datetime)
    return request.param


@pytest.fixture(scope="module")
def sample(moment: datetime) -> Sample:
    return {mailbox.name: mailbox for mailbox in load_sample(moment)}


def parse(message: SampleMessage) -> EmailMessage:
    return message_from_bytes(message.octets, policy=default)


@pytest.fixture(scope="module")
def messages(sample: Sample) -> list[EmailMessage]:
    return [parse(message) for mailbox in sample.values() for message in mailbox.messages]


def find(messages: list[EmailMessage], subject: str) -> list[EmailMessage]:
    return [message for message in messages if subject in (message["Subject"] or "")]


def text_of(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def test_every_mailbox_but_templates_has_mail(sample: Sample) -> None:
    counts = {name: len(mailbox.messages) for name, mailbox in sample.items()}
    assert sum(counts.values()) == len(FILES)
    assert [name for name, count in counts.items() if count == 0] == ["Templates"]
    assert {folder for folder, _ in MAILBOXES.values()} == {file.parent.name for file in FILES} | {
        "templates"
    }
    uses = {name: mailbox.special_use for name, mailbox in sample.items() if mailbox.special_use}
    assert uses == {name: f"\\{name}" for name in ("Archive", "Drafts", "Junk", "Sent", "Trash")}


def test_messages_are_in_order_of_arrival_and_the_newest_is_recent(sample: Sample, moment: datetime) -> None:
    for mailbox in sample.values():
        dates = [message.internal_date for message in mailbox.messages]
        assert dates == sorted(dates)
        if mailbox.name != "Archive/2025":
            assert all(date <= moment for date in dates)
    assert moment - sample["INBOX"].messages[-1].internal_date < timedelta(hours=3)
    assert {message.internal_date.year for message in sample["Archive/2025"].messages} == {2025}


def test_every_placeholder_is_filled_in(sample: Sample, messages: list[EmailMessage]) -> None:
    placeholder = re.compile(rb"\{(date|now|noise|/?base64)\b")
    for mailbox in sample.values():
        for message in mailbox.messages:
            assert not placeholder.search(message.octets)
    for part in (part for message in messages for part in message.walk()):
        payload = part.get_payload(decode=True)
        assert not (isinstance(payload, bytes) and placeholder.search(payload))


def test_flags_are_varied(sample: Sample) -> None:
    flags = {flag for mailbox in sample.values() for message in mailbox.messages for flag in message.flags}
    assert {"\\Seen", "\\Flagged", "\\Answered", "\\Draft", "$Forwarded", "$Junk"} == flags
    assert all("\\Draft" in message.flags for message in sample["Drafts"].messages)
    assert 20 <= sum("\\Seen" not in message.flags for message in sample["INBOX"].messages) <= 60


def test_kinds_of_content_are_varied(sample: Sample, messages: list[EmailMessage]) -> None:
    types = {part.get_content_type() for message in messages for part in message.walk()}
    assert {"application/pdf", "text/csv", "text/calendar", "image/png", "message/rfc822"} <= types
    assert {"multipart/report", "multipart/signed", "multipart/related", "text/html"} <= types
    assert max(len(message.octets) for message in sample["INBOX"].messages) > 300_000


def test_message_ids_are_unique(messages: list[EmailMessage]) -> None:
    ids = Counter(message["Message-ID"] for message in messages)
    del ids[None]
    assert set(ids.values()) == {1}


def test_only_senders_of_reserved_domains_write(sample: Sample) -> None:
    """RFC 2606: the names are invented and the domains belong to nobody."""
    domain = re.compile(rb"@((?:[\w-]+\.)+\w+)")
    for mailbox in sample.values():
        for message in mailbox.messages:
            header = message.octets.partition(b"\r\n\r\n")[0]
            assert all(
                found.endswith((b"example.com", b"example.org", b"example.net"))
                for found in domain.findall(header)
            )


def test_sent_mail_is_the_owners(sample: Sample) -> None:
    for message in sample["Sent"].messages:
        assert parse(message)["From"].addresses == (OWNER,)


def test_mail_without_a_flaw_parses_without_defects() -> None:
    for file in FILES:
        if "-broken-" not in file.name and "-hostile-" not in file.name:
            message = message_from_bytes(file.read_bytes(), policy=default)
            assert [part.defects for part in message.walk() if part.defects] == [], file.name


FLAWS: dict[str, Callable[[bytes, EmailMessage], bool]] = {
    "no-headers-at-all": lambda octets, message: octets.startswith(b"\r\n") and not message.keys(),
    "headers-and-nothing-else": lambda octets, _: octets.endswith(b"\r\n\r\n"),
    "says-utf-8-is-latin-1": lambda octets, _: b"charset=utf-8" in octets and b"Ger\xe4t" in octets,
    "a-charset-nobody-knows": lambda _, message: message.get_content_charset() == "x-scan-9",
    "without-a-boundary": lambda _, message: message.is_multipart() is False or bool(message.defects),
    "closing-boundary": lambda octets, message: bool(message.defects) and b"--cut--" not in octets,
    "stops-in-the-middle": lambda octets, _: (
        len(re.sub(rb"\s", b"", octets.rpartition(b"\r\n\r\n")[2])) % 4 != 0
    ),
    "headers-latin-1": lambda octets, _: b"Pr\xfcfbericht" in octets.partition(b"\r\n\r\n")[0],
    "headers-utf-8": lambda octets, _: "Mätstation".encode() in octets.partition(b"\r\n\r\n")[0],
    "no-date.": lambda _, message: message["Date"] is None,
    "that-never-was": lambda _, message: message["Date"].datetime is None,
    "600-characters": lambda octets, _: max(map(len, octets.split(b"\r\n"))) > 600,
    "bare-line-feeds": lambda octets, message: (
        b"\r" not in octets and message.get_all("Subject") == ["backup ok", "backup FAILED"]
    ),
    "encoded-words": lambda octets, _: b"=?utf-8?B?not base64!?=" in octets and b"=ZZ=E2=82" in octets,
    "twelve-deep": lambda _, message: (
        [part.get_content_maintype() for part in message.walk()] == ["multipart"] * 12 + ["text"]
    ),
}


def test_broken_mail_has_the_flaw_in_its_name() -> None:
    broken = [file for file in FILES if "-broken-" in file.name]
    assert len(broken) == len(FLAWS)
    for flaw, has_flaw in FLAWS.items():
        (file,) = (file for file in broken if flaw in file.name)
        octets = file.read_bytes().partition(b"\r\n")[2]  # without X-Demo-Sent
        octets = re.sub(rb"^X-Demo-Flags: .*\r\n", b"", octets)
        assert has_flaw(octets, message_from_bytes(octets, policy=default)), flaw


def test_hostile_mail_carries_its_attack(messages: list[EmailMessage]) -> None:
    (parcel,) = find(messages, "Your parcel")
    hidden = parcel.get_content().partition('<div style="display:none">')[2].partition("</div>")[0]
    assert "Ignore previous instructions" in hidden
    (forged,) = find(messages, "1 more message")
    assert "\r\n## 1 more message\r\n- **From:**" in forged["Subject"]
    (reply,) = find(messages, "Please ignore")
    assert "END OF MESSAGE" in text_of(reply)
    (disguised,) = find(messages, "Pay\u200bment")
    (attachment,) = disguised.iter_attachments()
    assert attachment.get_filename() == "invoice\u202efdp.exe"
    assert "elena.rossi@example.com" in disguised["From"].addresses[0].display_name


@pytest.mark.parametrize(
    ("charset", "words"),
    [
        ("iso-8859-1", "verschneite Flächen"),
        ("windows-1252", "380 € l’unité"),  # noqa: RUF001 - the apostrophe is what windows-1252 adds
        ("iso-2022-jp", "屋上に設置"),
        ("shift_jis", "春の観測会"),
        ("euc-jp", "三千円"),
        ("gb2312", "电池电压"),
        ("koi8-r", "Датчик влажности"),
        ("euc-kr", "온도 센서"),
    ],
)
def test_foreign_letters_are_in_the_charset_they_name(
    messages: list[EmailMessage], charset: str, words: str
) -> None:
    letters = [message for message in messages if message.get_content_charset() == charset]
    assert any(words in text_of(letter) for letter in letters if letter["Message-ID"])


def test_conversations_name_what_they_answer(messages: list[EmailMessage]) -> None:
    """RFC 5322 section 3.6.4."""
    dates = {message["Message-ID"]: message["Date"].datetime for message in messages if message["Message-ID"]}
    replies = [message for message in messages if "<thread" in (message["References"] or "")]
    assert len(replies) >= 20
    for reply in replies:
        references = reply["References"].split()
        assert reply["In-Reply-To"] == references[-1]
        moments = [dates[each] for each in (*references, reply["Message-ID"])]
        assert moments == sorted(moments)
        assert f"On {moments[-2]:%a, %d %b %Y at %H:%M}, " in text_of(reply)


def test_invoices_name_one_date_in_subject_text_and_document(messages: list[EmailMessage]) -> None:
    invoices = find(messages, "Invoice SH-")
    assert len(invoices) == 12
    for invoice in invoices:
        sent = invoice["Date"].datetime
        due = sent + timedelta(days=14)
        assert invoice["Subject"] == f"Invoice SH-{sent:%Y%m}-0417 is due on {due:%d %B}"
        assert f"on {due:%Y-%m-%d}." in text_of(invoice)
        (pdf,) = invoice.iter_attachments()
        assert pdf.get_filename() == f"SH-{sent:%Y%m}-0417.pdf"
        assert f"By {due:%Y-%m-%d}" in PdfReader(BytesIO(pdf.get_content())).pages[0].extract_text()


def test_every_pdf_can_be_read(messages: list[EmailMessage]) -> None:
    pdfs = [
        part.get_content()
        for message in messages
        for part in message.walk()
        if part.get_content_type() == "application/pdf"
    ]
    assert len(pdfs) > 15
    for pdf in pdfs:
        assert PdfReader(BytesIO(pdf), strict=True).pages[0].extract_text().strip()


def test_tickets_and_letters_agree_on_the_day_of_the_visit(
    messages: list[EmailMessage], moment: datetime
) -> None:
    visit = moment + timedelta(days=9)
    for ticket in find(messages, "Ticket 7F3K"):
        _, journey = ticket.iter_attachments()
        event = icalendar.Calendar.from_ical(journey.get_content()).events[0]
        assert f"{event.start:%Y-%m-%d}" == f"{visit:%Y-%m-%d}"
        assert f"{visit:%A, %d %B %Y}" in text_of(ticket)
        assert ticket["Subject"].endswith(f"{visit:%d %b}")
    letters = find(messages, "Visit to the Eastwold observatory")
    assert any(f"Would {visit:%A, %d %B} suit you?" in text_of(letter) for letter in letters)


def test_invitation_is_the_last_alternative(messages: list[EmailMessage]) -> None:
    """RFC 6047 section 2.4: the calendar has a method, and says the same as the text."""
    (invitation,) = find(messages, "Invitation: ")
    *_, calendar = invitation.iter_parts()
    assert calendar.get_param("method") == "REQUEST"
    event = icalendar.Calendar.from_ical(calendar.get_content()).events[0]
    assert f"{event.start:%A, %d %B %Y, %H:%M} UTC" in text_of(invitation)


def test_reports_come_on_fridays_and_standups_on_workdays(messages: list[EmailMessage]) -> None:
    reports, standups = find(messages, "Weekly report"), find(messages, "Standup")
    assert {report["Date"].datetime.isoweekday() for report in reports} == {5}
    assert len({report["Date"].datetime.date() for report in reports}) == len(reports) == 12
    for report in reports:
        assert report["Subject"] == f"Weekly report, week {report['Date'].datetime:%V}"
    for standup in standups:
        sent = standup["Date"].datetime
        assert sent.isoweekday() <= 5
        assert standup["Subject"] == f"Standup {sent:%a %d %b}"


def test_readings_agree_with_their_table(messages: list[EmailMessage]) -> None:
    readings = find(messages, "Wochenwerte")
    assert len(readings) == 4
    for reading in readings:
        (table,) = reading.iter_attachments()
        rows = [line.split(",") for line in table.get_content().splitlines()[1:] if line]
        days = [f"{reading['Date'].datetime - timedelta(days=ago):%Y-%m-%d}" for ago in range(7, 0, -1)]
        assert [row[0] for row in rows] == days
        assert f"Niederschlag: {sum(int(row[2]) for row in rows)} mm" in text_of(reading)


def test_the_bounce_is_a_report_of_three_parts(messages: list[EmailMessage]) -> None:
    """RFC 3464: a text, the status, and the headers of what was not delivered."""
    (bounce,) = find(messages, "Undelivered")
    assert bounce.get_param("report-type") == "delivery-status"
    _, status, returned = bounce.iter_parts()
    assert status.get_content_type() == "message/delivery-status"
    assert "Subject: Photos of the mast" in returned.get_content()


def test_loading_twice_gives_the_same_octets() -> None:
    assert load_sample(SATURDAY) == load_sample(SATURDAY)


def test_a_naive_moment_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        load_sample(datetime(2026, 1, 1))  # noqa: DTZ001  # the point of the test
