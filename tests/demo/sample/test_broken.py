"""The broken mail is broken in the way it says, and stays so."""

import re
from datetime import datetime
from email import message_from_bytes
from email.policy import default

import pytest

from mailmcp.demo.sample.broken import BROKEN, make_broken


def octets_with(flaw: str, now: datetime) -> bytes:
    made = zip(BROKEN, make_broken(now), strict=True)
    return next(placed.message.octets for mail, placed in made if flaw in mail.flaw)


def test_each_flaw_is_another_one() -> None:
    assert len({mail.flaw for mail in BROKEN}) == len(BROKEN) >= 14


def test_dates_are_filled_in(now: datetime) -> None:
    assert not any(b"@DATE@" in placed.message.octets for placed in make_broken(now))


def test_without_headers(now: datetime) -> None:
    assert message_from_bytes(octets_with("no headers", now)).keys() == []


@pytest.mark.parametrize("flaw", ["says UTF-8", "headers, Latin-1"])
def test_not_utf_8(flaw: str, now: datetime) -> None:
    with pytest.raises(UnicodeDecodeError):
        octets_with(flaw, now).decode()


@pytest.mark.parametrize("flaw", ["without a boundary", "never comes", "stops in the middle"])
def test_multiparts_have_defects(flaw: str, now: datetime) -> None:
    parsed = message_from_bytes(octets_with(flaw, now), policy=default)
    assert any(part.defects for part in parsed.walk())


def test_truncated_base64_ends_inside_a_group(now: datetime) -> None:
    encoded = octets_with("stops in the middle", now).rpartition(b"\r\n\r\n")[2]
    assert len(re.sub(rb"\s", b"", encoded)) % 4


def test_dates_that_are_missing_or_never_were(now: datetime) -> None:
    assert b"Date:" not in octets_with("no Date", now)
    assert message_from_bytes(octets_with("never was", now), policy=default)["Date"].datetime is None


def test_subject_is_very_long_and_not_folded(now: datetime) -> None:
    subject = re.search(rb"^Subject: (.*)\r$", octets_with("600", now), re.MULTILINE)
    assert subject is not None
    assert len(subject[1]) > 600


def test_parts_within_parts(now: datetime) -> None:
    parsed = message_from_bytes(octets_with("twelve deep", now), policy=default)
    assert [part.get_content_maintype() for part in parsed.walk()] == ["multipart"] * 12 + ["text"]


def test_bare_line_feeds_and_repeated_headers(now: datetime) -> None:
    octets = octets_with("bare line feeds", now)
    assert b"\r" not in octets
    assert message_from_bytes(octets).get_all("Subject") == ["backup ok", "backup FAILED"]
