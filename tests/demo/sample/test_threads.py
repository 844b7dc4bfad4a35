"""Conversations span INBOX and Sent and can be put together again."""

from collections import defaultdict
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

import pytest

from mailmcp.demo.sample.people import OWNER
from mailmcp.demo.sample.thread_texts import CONVERSATIONS
from mailmcp.demo.sample.threads import make_threads


@pytest.fixture
def mails(now: datetime) -> list[tuple[str, EmailMessage]]:
    return [
        (placed.mailbox, message_from_bytes(placed.message.octets, policy=default))
        for placed in make_threads(now)
    ]


def test_replies_name_the_whole_thread(mails: list[tuple[str, EmailMessage]]) -> None:
    """RFC 5322 section 3.6.4."""
    threads = defaultdict(list)
    for _, mail in mails:
        threads[(mail["References"] or mail["Message-ID"]).split()[0]].append(mail)
    assert len(threads) == len(CONVERSATIONS)
    for thread in threads.values():
        ids = [mail["Message-ID"] for mail in thread]
        for index, mail in enumerate(thread):
            assert (mail["References"] or "").split() == ids[:index]
            assert mail["In-Reply-To"] == (ids[index - 1] if index else None)


def test_one_conversation_changes_its_subject(mails: list[tuple[str, EmailMessage]]) -> None:
    subjects = [mail["Subject"] for _, mail in mails if "machine" in mail["Subject"]]
    assert subjects == [
        "Coffee machine",
        "Re: Coffee machine",
        "Re: Coffee machine",
        "Old machine to the repair café (was: Coffee machine)",
        "Re: Old machine to the repair café (was: Coffee machine)",
    ]


def test_owner_is_in_sent_and_all_others_are_not(mails: list[tuple[str, EmailMessage]]) -> None:
    for mailbox, mail in mails:
        assert (mailbox == "Sent") == (mail["From"].addresses[0] == OWNER)


def test_what_the_owner_answered_is_flagged_so(now: datetime) -> None:
    answered = [placed for placed in make_threads(now) if "\\Answered" in placed.message.flags]
    assert len(answered) >= 5
    assert all(placed.mailbox != "Sent" for placed in answered)


def test_replies_quote_what_they_answer(mails: list[tuple[str, EmailMessage]]) -> None:
    reply = next(mail for _, mail in mails if mail["Subject"].startswith("Re: Sensor drift"))
    text = reply.get_content().replace("\r\n", "\n")
    assert "Jonas Weber wrote:\n\n> Hi Mara,\n>\n> three of the five" in text


def test_day_of_the_visit_is_filled_in(mails: list[tuple[str, EmailMessage]]) -> None:
    texts = [mail.get_content() for _, mail in mails]
    assert not any("@VISIT@" in text for text in texts)
    assert any("Would Monday, 30 November suit you?" in text for text in texts)
