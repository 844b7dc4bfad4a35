"""Pages of real mailboxes: copies are one message, and nothing comes twice or is lost."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import bpe_openai
import pytest

from imap.searches import page_of
from mailmcp import limits
from mailmcp.imap.rows import FetchedMessage
from mailmcp.model.cursor import Position, parse_search_cursor
from mailmcp.tools.search.page import make_page
from mailmcp.tools.search.sources import Searches
from mailmcp.tools.search.state import format_cursor
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_letter
from tools.search.starting import start
from tools.search.test_paging import pages
from tools.stores import Store

DAY = datetime(2024, 1, 1, tzinfo=UTC)


def letter(number: int, subject: str = "", sender: str = "Ann Example <ann@example.org>") -> bytes:
    message = make_letter(subject or f"Letter {number:03}", f"Text {number}.\n", sender=sender)
    message["Message-ID"] = f"<{number}@example.org>"
    return message.as_bytes()


@pytest.fixture
def desk(dovecot_mail: Store, open_desk: DeskFactory) -> Desk:
    return open_desk(dovecot_mail.account)


def test_a_page_with_attachments_and_its_limits(dovecot_mail: Store, desk: Desk) -> None:
    with_file = make_letter("With", "See the file.\n")
    with_file.add_attachment(b"%PDF " * 500, maintype="application", subtype="pdf", filename="a b.pdf")
    for number in range(1, 31):
        octets = with_file.as_bytes() if number % 10 == 0 else letter(number)
        dovecot_mail.fill("INBOX", [octets], received=DAY + timedelta(days=number))
    found = list(pages(desk, has_attachment=True, limit=2, snippet_max_chars=50, query="file"))
    assert [row["uid"] for page in found for row in page.data["messages"]] == [30, 20, 10]
    first = found[0].data["messages"][0]
    [file] = first["attachments"]
    assert (file["filename"], file["part_id"], first["has_attachments"]) == ("a b.pdf", "2", True)
    assert (first["snippet"], first["matched_in"]) == ("See the file.", ["body"])
    assert ' | 1 file: "a b.pdf" (part 2) | ' in found[0].text
    large = desk.search(larger_than=2_000, sort="largest", limit=1)
    assert large.data["total"] == 3
    assert " kB | `imap:" in large.text


def test_a_page_of_ten_stays_short(dovecot_mail: Store, desk: Desk) -> None:
    for number in range(1, 11):
        dovecot_mail.fill("INBOX", [letter(number, subject=f"Minutes of meeting {number}, and what is next")])
    text = desk.search().text
    assert len(bpe_openai.get_encoding("o200k_base").encode_ordinary(text)) <= 620


def test_an_oversized_cursor_drops_its_remembered_copies() -> None:
    source = Position(
        account_id="home", mailbox="A", uidvalidity=1, uid=1, skip=tuple(range(10**9, 10**9 + 9_000))
    )
    cursor = format_cursor(replace(start(mailbox="A"), sources=(source,)))
    assert len(cursor) <= limits.CURSOR_CHARS_MAX
    assert parse_search_cursor(cursor).sources[0].skip == ()


def test_a_copy_further_on_is_remembered_for_the_next_page() -> None:
    one, other = FetchedMessage(uid=1, email_id="M1"), FetchedMessage(uid=2, email_id="M2")
    found = [page_of(one, mailbox="home-a"), page_of(other, one, mailbox="home-b")]
    results = {replace(each.position, uidvalidity=0): each for each in found}
    page = make_page(Searches(search=start(mailbox="*"), results=dict(results)), size=1)
    assert page.following is not None
    assert [(each.mailbox, each.skip) for each in page.following.sources] == [("home-b", (1,))]
    [message] = page.found
    assert [place.mailbox for place in message.places] == ["home-b"]
    [rest] = page.following.sources
    second = make_page(Searches(search=page.following, results={rest: found[1]}), size=5)
    assert [each.ref.uid for each in second.found] == [2], "the other one was shown"


@pytest.mark.parametrize("sort", ["newest", "largest"])
def test_what_is_moved_into_a_mailbox_of_which_nothing_was_given_is_not_taken_for_new(
    dovecot_mail: Store, desk: Desk, sort: str
) -> None:
    """Its UID is high, but it stands where it stood; new mail comes before the page and is left out."""
    for number in range(5, 0, -1):
        received = DAY - timedelta(days=number)
        dovecot_mail.fill(
            "INBOX", [letter(number, sender="x" * (60 - number) + "@a.example")], received=received
        )
    dovecot_mail.fill("Kept", [letter(9)], received=DAY - timedelta(days=20))
    first = desk.search(mailbox="*", limit=2, sort=sort)
    with dovecot_mail.client() as client:
        client.select_folder("INBOX")
        client.move([2], "Kept")
    dovecot_mail.fill("Kept", [letter(10, sender="x" * 70 + "@a.example")])
    desk.forget()
    rest = pages(desk, cursor=first.data["next_cursor"])
    shown = [row["subject"] for page in (first, *rest) for row in page.data["messages"]]
    assert shown == [f"Letter {number:03}" for number in (1, 2, 3, 4, 5, 9)]
