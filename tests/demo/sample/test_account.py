"""The sample account as a whole: how much, how varied, always the same."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default

import pytest

from mailmcp.demo.mailbox import SampleMailbox
from mailmcp.demo.sample.account import MAILBOXES, make_sample
from steps import count_steps


@pytest.fixture
def sample(now: datetime) -> dict[str, SampleMailbox]:
    return {mailbox.name: mailbox for mailbox in make_sample(now)}


def test_about_two_hundred_messages_in_the_mailboxes_of_one_person(sample: dict[str, SampleMailbox]) -> None:
    counts = {name: len(mailbox.messages) for name, mailbox in sample.items()}
    assert 190 <= sum(counts.values()) <= 220
    assert 85 <= counts["INBOX"] <= 100
    assert counts["Templates"] == 0
    assert all(counts[name] for name in MAILBOXES if name != "Templates")
    assert {"Archive/2025", "Projects/Apollo", "Projects/Grün", "日本語"} < set(counts)


def test_special_uses_are_those_of_rfc_6154(sample: dict[str, SampleMailbox]) -> None:
    uses = {name: mailbox.special_use for name, mailbox in sample.items() if mailbox.special_use}
    assert uses == {name: f"\\{name}" for name in ("Archive", "Drafts", "Junk", "Sent", "Trash")}


def test_same_moment_makes_the_same_octets(now: datetime, sample: dict[str, SampleMailbox]) -> None:
    assert tuple(sample.values()) == make_sample(now)


def test_every_message_can_be_read_by_the_standard_library(sample: dict[str, SampleMailbox]) -> None:
    for mailbox in sample.values():
        for message in mailbox.messages:
            parsed = message_from_bytes(message.octets, policy=default)
            assert all(part.get_content_type() for part in parsed.walk())


def test_message_ids_are_unique(sample: dict[str, SampleMailbox]) -> None:
    ids = Counter(
        message_from_bytes(message.octets)["Message-ID"]
        for mailbox in sample.values()
        for message in mailbox.messages
    )
    ids.pop(None)
    assert set(ids.values()) == {1}


def test_mailboxes_are_in_order_of_arrival_and_nothing_is_of_tomorrow(
    now: datetime, sample: dict[str, SampleMailbox]
) -> None:
    for mailbox in sample.values():
        dates = [message.internal_date for message in mailbox.messages]
        assert dates == sorted(dates)
        assert all(date <= now for date in dates)
    assert now - sample["INBOX"].messages[-1].internal_date < timedelta(hours=3)


def test_flags_are_varied(sample: dict[str, SampleMailbox]) -> None:
    flags = {flag for mailbox in sample.values() for message in mailbox.messages for flag in message.flags}
    assert {"\\Seen", "\\Flagged", "\\Answered", "\\Draft", "$Forwarded", "$Junk"} <= flags
    unseen = [message for message in sample["INBOX"].messages if "\\Seen" not in message.flags]
    assert 20 <= len(unseen) <= 60


def test_kinds_of_content_are_varied(sample: dict[str, SampleMailbox]) -> None:
    types = {
        part.get_content_type()
        for mailbox in sample.values()
        for message in mailbox.messages
        for part in message_from_bytes(message.octets, policy=default).walk()
    }
    assert {"application/pdf", "text/csv", "text/calendar", "image/png", "message/rfc822"} <= types
    assert {"multipart/report", "multipart/signed", "multipart/related", "text/html"} <= types


def test_one_message_is_larger_than_the_first_look_brings(sample: dict[str, SampleMailbox]) -> None:
    assert any(len(message.octets) > 300_000 for message in sample["INBOX"].messages)


@pytest.mark.parametrize("year", [2024, 2026, 2031])
def test_any_moment_will_do(year: int) -> None:
    sample = make_sample(datetime(year, 2, 28, 23, 59, 59, 999_999, tzinfo=UTC))
    assert sum(len(mailbox.messages) for mailbox in sample) > 190


def test_naive_moments_are_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        make_sample(datetime(2026, 1, 1))  # noqa: DTZ001  # the point of the test


def test_making_it_is_no_work_worth_waiting_for(now: datetime) -> None:
    """Some 0.2 s."""
    assert count_steps(lambda: make_sample(now)) < 4_000_000
