"""Letters become messages, the same each time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default

import pytest

from mailmcp.demo.sample.letter import (
    FLAGGED,
    FORWARDED,
    SEEN,
    Attachment,
    Letter,
    flags_by_age,
    place,
    to_octets,
)
from mailmcp.demo.sample.people import HAYES, JONAS, OWNER

LETTER = Letter(
    when=datetime(2026, 5, 4, 10, 0, tzinfo=UTC),
    sender=JONAS,
    subject="Grüße",
    text="Hallo\n",
    html="<p>Hallo</p>",
    attachments=(Attachment(filename="a.bin", content_type="application/octet-stream", data=b"\0\1"),),
)


def test_same_letter_gives_the_same_octets() -> None:
    """The standard library would draw boundaries at random."""
    assert to_octets(LETTER) == to_octets(LETTER)
    assert to_octets(LETTER) != to_octets(replace(LETTER, text="Hallo!\n"))


def test_lines_end_in_crlf() -> None:
    assert b"\n" not in to_octets(LETTER).replace(b"\r\n", b"")


def test_letter_reads_back() -> None:
    message = message_from_bytes(to_octets(LETTER), policy=default)
    assert (message["Subject"], message["Message-ID"]) == ("Grüße", LETTER.own_id())
    assert message["Date"].datetime == LETTER.when
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    assert text is not None
    assert html is not None
    assert (text.get_content(), html.get_content()) == ("Hallo\r\n", "<p>Hallo</p>\r\n")
    (attachment,) = message.iter_attachments()
    assert (attachment.get_filename(), attachment.get_content()) == ("a.bin", b"\0\1")


def test_reply_names_what_it_answers() -> None:
    """RFC 5322 section 3.6.4."""
    message = message_from_bytes(to_octets(replace(LETTER, references=("<1@x>", "<2@x>"))))
    assert (message["In-Reply-To"], message["References"]) == ("<2@x>", "<1@x> <2@x>")


def test_only_what_arrived_bears_a_trace() -> None:
    assert message_from_bytes(to_octets(LETTER))["Received"]
    assert not message_from_bytes(to_octets(replace(LETTER, sender=OWNER)))["Received"]


def test_name_with_a_comma_is_quoted() -> None:
    assert b'From: "Hayes, Caroline" <' in to_octets(replace(LETTER, sender=HAYES))


def test_inline_file_belongs_to_the_html() -> None:
    picture = Attachment(filename="p.png", content_type="image/png", data=b"png", content_id="p@x")
    message = message_from_bytes(to_octets(replace(LETTER, attachments=(picture,))), policy=default)
    related = next(part for part in message.walk() if part.get_content_type() == "multipart/related")
    *_, shown = related.iter_parts()
    assert (shown["Content-ID"], shown.get_content_disposition()) == ("<p@x>", "inline")


def test_inline_file_without_html_is_a_mistake() -> None:
    picture = Attachment(filename="p.png", content_type="image/png", data=b"png", content_id="p@x")
    with pytest.raises(ValueError, match="HTML"):
        to_octets(replace(LETTER, html="", attachments=(picture,)))


def test_mail_arrives_soon_after_it_was_written() -> None:
    placed = place(LETTER, mailbox="Archive", flags=(SEEN,))
    assert timedelta(0) < placed.message.internal_date - LETTER.when < timedelta(minutes=1)
    assert (placed.mailbox, placed.message.flags) == ("Archive", (SEEN,))


def test_flags_follow_age() -> None:
    old, new = timedelta(days=9), timedelta(hours=1)
    assert flags_by_age(1, new) == flags_by_age(6, old) == ()
    assert flags_by_age(1, old) == (SEEN,)
    assert flags_by_age(4, old) == (SEEN, FLAGGED)
    assert flags_by_age(5, old) == (SEEN, FORWARDED)
