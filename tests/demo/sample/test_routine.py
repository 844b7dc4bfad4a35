"""Routine mail is regular in time and varied in numbers."""

from collections import Counter
from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

import pytest

from mailmcp.demo.sample.routine import make_routine


@pytest.fixture
def mails(now: datetime) -> list[EmailMessage]:
    return [message_from_bytes(placed.message.octets, policy=default) for placed in make_routine(now)]


def about(mails: list[EmailMessage], word: str) -> list[EmailMessage]:
    return [mail for mail in mails if word in mail["Subject"]]


def test_reports_come_on_fridays_and_standups_on_working_days(mails: list[EmailMessage]) -> None:
    reports, standups = about(mails, "Weekly report"), about(mails, "Standup")
    assert {mail["Date"].datetime.isoweekday() for mail in reports} == {5}
    assert len({mail["Date"].datetime.date() for mail in reports}) == len(reports) == 12
    assert all(mail["Date"].datetime.isoweekday() <= 5 for mail in standups)


def test_alerts_are_problems_and_recoveries_with_other_numbers(mails: list[EmailMessage]) -> None:
    alerts = [*about(mails, "[PROBLEM]"), *about(mails, "[RESOLVED]")]
    assert len(about(mails, "[RESOLVED]")) >= 3
    assert len({mail.get_content() for mail in alerts}) == len(alerts)


def test_machines_say_that_they_are_machines(mails: list[EmailMessage]) -> None:
    """RFC 3834 section 5."""
    assert all(mail["Auto-Submitted"] == "auto-generated" for mail in about(mails, "[PROBLEM]"))


def test_reviews_belong_to_the_thread_of_their_request(mails: list[EmailMessage]) -> None:
    assert all(f"pull/{812}@" in mail["In-Reply-To"] for mail in about(mails, "#812"))


def test_old_mail_is_in_archive(now: datetime) -> None:
    made = list(make_routine(now))
    assert Counter(placed.mailbox for placed in made)["Archive"] >= 5
    for placed in made:
        if placed.mailbox == "INBOX":
            assert now - placed.message.internal_date < timedelta(days=21)
