"""Receipts carry the files they speak of."""

from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

import pytest

from mailmcp.demo.sample.receipts import make_receipts


@pytest.fixture
def mails(now: datetime) -> list[EmailMessage]:
    return [message_from_bytes(placed.message.octets, policy=default) for placed in make_receipts(now)]


def find(mails: list[EmailMessage], subject: str) -> EmailMessage:
    return next(mail for mail in mails if subject in mail["Subject"])


def test_every_one_has_an_attachment(mails: list[EmailMessage]) -> None:
    assert all(list(mail.iter_attachments()) for mail in mails)


def test_invoice_names_the_amount_in_text_and_pdf(mails: list[EmailMessage]) -> None:
    order = find(mails, "Your order P-20790")
    text = order.get_body(("plain",))
    assert text is not None
    assert "Total: 53.40 EUR" in text.get_content()
    (invoice,) = order.iter_attachments()
    assert invoice.get_filename() == "Invoice-P-20790.pdf"
    assert b"Total 53.40 EUR" in invoice.get_content()


def test_ticket_has_a_pdf_and_a_calendar(mails: list[EmailMessage]) -> None:
    ticket, journey = find(mails, "Ticket 7F3K2").iter_attachments()
    assert (ticket.get_content_type(), journey.get_content_type()) == ("application/pdf", "text/calendar")


def test_chart_is_shown_in_the_html_and_the_table_is_attached(mails: list[EmailMessage]) -> None:
    report = find(mails, "Gaps in the station data")
    html = report.get_body(("related", "html"))
    assert html is not None
    assert html.get_content_type() == "multipart/related"
    *_, table = report.iter_attachments()
    assert table.get_filename() == "Übersicht Stationen März.csv"


def test_firmware_is_large(mails: list[EmailMessage]) -> None:
    (firmware,) = find(mails, "Firmware").iter_attachments()
    assert len(firmware.get_content()) == 300_000
