"""Each uncommon format as its RFC has it."""

from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

from mailmcp.demo.sample.formats import make_formats


def find(now: datetime, subject: str) -> EmailMessage:
    read = (message_from_bytes(placed.message.octets, policy=default) for placed in make_formats(now))
    return next(message for message in read if subject in message["Subject"])


def test_invitation_is_the_last_alternative(now: datetime) -> None:
    """RFC 6047 section 2.4: the calendar has a method, and says the same as the text."""
    *_, calendar = find(now, "Invitation").iter_parts()
    assert calendar.get_content_type() == "text/calendar"
    assert calendar.get_param("method") == "REQUEST"
    assert "METHOD:REQUEST" in calendar.get_content()


def test_bounce_is_a_report_with_three_parts(now: datetime) -> None:
    """RFC 3464: a text, the status, and the headers of what was not delivered."""
    bounce = find(now, "Undelivered")
    assert bounce.get_param("report-type") == "delivery-status"
    text, status, returned = bounce.iter_parts()
    assert "mailbox full" in text.get_content()
    assert status.get_content_type() == "message/delivery-status"
    assert b"\r\nStatus: 5.2.2\r\n" in status.as_bytes(policy=default.clone(linesep="\r\n"))
    assert "Subject: Photos of the mast" in returned.get_content()


def test_flowed_text_has_soft_breaks(now: datetime) -> None:
    """RFC 3676 section 4.2: a space before the line end."""
    flowed = find(now, "Notes from the measurement days")
    assert flowed.get_param("format") == "flowed"
    assert "too \r\nmuch" in flowed.get_content()


def test_forwarded_message_is_a_message(now: datetime) -> None:
    (attached,) = find(now, "Fwd:").iter_attachments()
    assert attached.get_content_type() == "message/rfc822"
    assert attached.get_content()["Subject"] == "Foundation of the mast"


def test_signed_message_has_a_signature(now: datetime) -> None:
    _, signature = find(now, "New key").iter_parts()
    assert signature.get_content_type() == "application/pgp-signature"
    assert signature.get_filename() == "signature.asc"


def test_list_posts_thread_within_their_subject(now: datetime) -> None:
    posts = [message_from_bytes(placed.message.octets, policy=default) for placed in make_formats(now)]
    posts = [post for post in posts if post["List-Id"]]
    assert [bool(post["References"]) for post in posts] == [
        post["Subject"].startswith("Re: [weather-dev]") for post in posts
    ]
    assert posts[2]["In-Reply-To"] == posts[1]["Message-ID"]
