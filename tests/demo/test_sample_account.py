"""The sample account: its variety, its attacks, and dates that agree at any moment."""

import re
from collections import Counter
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
from mailmcp.demo.sample_account import OWNER, load_sample

FILES = sorted((Path(sample_account.__file__).parent / "sample").rglob("*.eml"))
MOMENTS = [datetime(2024, 2, 29, 23, 59, 59, tzinfo=UTC), datetime(2031, 1, 6, 0, 0, tzinfo=UTC)]

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
    found = [message for message in messages if subject in (message["Subject"] or "")]
    assert found, "the sample has no such message any more"
    return found


def test_mail_of_every_kind_is_in_every_mailbox_but_templates(
    sample: Sample, messages: list[EmailMessage]
) -> None:
    counts = {name: len(mailbox.messages) for name, mailbox in sample.items()}
    assert sum(counts.values()) == len(FILES) == 60
    assert [name for name, count in counts.items() if count == 0] == ["Templates"]
    flags = {flag for mailbox in sample.values() for message in mailbox.messages for flag in message.flags}
    assert {"\\Seen", "\\Flagged", "\\Answered", "\\Draft", "$Forwarded", "$Junk"} == flags
    types = {part.get_content_type() for message in messages for part in message.walk()}
    assert {"application/pdf", "text/calendar", "multipart/report", "multipart/signed", "text/html"} <= types
    charsets = {message.get_content_charset() for message in messages}
    assert {"windows-1252", "iso-2022-jp", "shift_jis"} <= charsets
    assert max(len(message.octets) for message in sample["INBOX"].messages) > 300_000


def test_messages_are_in_order_of_arrival_and_the_newest_is_recent(sample: Sample, moment: datetime) -> None:
    for mailbox in sample.values():
        dates = [message.internal_date for message in mailbox.messages]
        assert dates == sorted(dates)
        if mailbox.name != "Archive/2025":
            assert all(date <= moment for date in dates)
    assert moment - sample["INBOX"].messages[-1].internal_date < timedelta(hours=3)


def test_every_placeholder_is_filled_in(messages: list[EmailMessage]) -> None:
    parts = [part for message in messages for part in message.walk() if not part.is_multipart()]
    contents = [part.get_payload(decode=True) for part in parts] + [bytes(message) for message in messages]
    assert not [each for each in contents if re.search(rb"\{(date|now|noise|/?base64)\b", bytes(each or b""))]


def test_only_people_of_reserved_domains_write(sample: Sample, messages: list[EmailMessage]) -> None:
    """RFC 2606: the names are invented and the domains belong to nobody."""
    heads = [
        each.octets.partition(b"\r\n\r\n")[0] for mailbox in sample.values() for each in mailbox.messages
    ]
    domains = {domain for head in heads for domain in re.findall(rb"@((?:[\w-]+\.)+\w+)", head)}
    reserved = (b"example.com", b"example.org", b"example.net")
    assert [domain for domain in domains if not domain.endswith(reserved)] == []
    assert all(parse(message)["From"].addresses == (OWNER,) for message in sample["Sent"].messages)
    ids = Counter(message["Message-ID"] for message in messages if message["Message-ID"])
    assert set(ids.values()) == {1}


def test_dates_agree_in_subjects_texts_and_documents(messages: list[EmailMessage], moment: datetime) -> None:
    for invoice in find(messages, "Invoice SH-"):
        sent = invoice["Date"].datetime
        due = sent + timedelta(days=14)
        assert invoice["Subject"] == f"Invoice SH-{sent:%Y%m}-0417 is due on {due:%d %B}"
        (pdf,) = invoice.iter_attachments()
        assert f"By {due:%Y-%m-%d}" in PdfReader(BytesIO(pdf.get_content())).pages[0].extract_text()
    for report in find(messages, "Weekly report"):
        assert report["Date"].datetime.isoweekday() == 5
        assert report["Subject"] == f"Weekly report, week {report['Date'].datetime:%V}"
    for ticket in find(messages, "Ticket 7F3K"):
        _, journey = ticket.iter_attachments()
        event = icalendar.Calendar.from_ical(journey.get_content()).events[0]
        assert f"{event.start:%Y-%m-%d}" == f"{moment + timedelta(days=9):%Y-%m-%d}"
    (standup,) = find(messages, "Standup")
    assert standup["Date"].datetime.isoweekday() <= 5
