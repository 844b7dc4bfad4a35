"""Drafts, Junk, Trash and Archive/2025."""

from collections import Counter
from datetime import datetime
from email import message_from_bytes
from email.policy import default

from mailmcp.demo.sample.letter import DRAFT
from mailmcp.demo.sample.margins import make_margins


def test_each_mailbox_gets_its_share(now: datetime) -> None:
    counts = Counter(placed.mailbox for placed in make_margins(now))
    assert set(counts) == {"Drafts", "Junk", "Trash", "Archive/2025"}
    assert min(counts.values()) >= 4


def test_drafts_are_flagged_so_and_unfinished(now: datetime) -> None:
    drafts = [placed.message for placed in make_margins(now) if placed.mailbox == "Drafts"]
    assert all(DRAFT in draft.flags for draft in drafts)
    read = [message_from_bytes(draft.octets, policy=default) for draft in drafts]
    assert any(not message["To"] for message in read)
    assert any(not message["Subject"] for message in read)


def test_archive_of_2025_is_of_2025_whenever_it_is_made(now: datetime) -> None:
    filed = [placed.message for placed in make_margins(now) if placed.mailbox == "Archive/2025"]
    later = [p.message for p in make_margins(now.replace(year=2031)) if p.mailbox == "Archive/2025"]
    assert filed == later
    assert {message.internal_date.year for message in filed} == {2025}


def test_junk_is_marked(now: datetime) -> None:
    junk = [placed.message for placed in make_margins(now) if placed.mailbox == "Junk"]
    assert all("$Junk" in message.flags and b"X-Spam-Flag: YES" in message.octets for message in junk)
