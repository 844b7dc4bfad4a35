"""Newsletters have what makes newsletters hard to read."""

from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

import pytest

from mailmcp.demo.sample.newsletters import PUBLISHERS, make_newsletters


@pytest.fixture
def issues(now: datetime) -> list[EmailMessage]:
    return [message_from_bytes(placed.message.octets, policy=default) for placed in make_newsletters(now)]


def html_of(message: EmailMessage) -> str:
    body = message.get_body(("html",))
    assert body is not None
    return str(body.get_content())


def test_every_issue_is_made(issues: list[EmailMessage]) -> None:
    assert len(issues) == sum(len(publisher.issues) for publisher in PUBLISHERS)


def test_html_is_built_like_the_real_thing(issues: list[EmailMessage]) -> None:
    for issue in issues:
        html = html_of(issue)
        assert html.count("<table") >= 4
        assert html.count("<a href=") >= 8
        assert '<div style="display:none' in html
        assert 'width="1" height="1"' in html
        assert "{" not in html.rpartition("</style>")[2]


def test_most_have_no_plain_text(issues: list[EmailMessage]) -> None:
    plain = [issue for issue in issues if issue.get_body(("plain",)) is not None]
    assert 0 < len(plain) < len(issues) / 2


def test_they_can_be_left(issues: list[EmailMessage]) -> None:
    """RFC 2369 and RFC 8058."""
    for issue in issues:
        assert issue["List-Unsubscribe"].startswith("<https://")
        assert issue["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_older_ones_are_filed(now: datetime) -> None:
    for placed in make_newsletters(now):
        recent = now - placed.message.internal_date < timedelta(days=20)
        assert placed.mailbox == ("INBOX" if recent else "Archive")
