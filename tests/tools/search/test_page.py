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
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.search.starting import start
from tools.stores import Store

DAY = datetime(2024, 1, 1, tzinfo=UTC)


def letter(number: int, subject: str = "", sender: str = "Ann Example <ann@example.org>") -> bytes:
    message = make_letter(subject or f"Letter {number:03}", f"Text {number}.\n", sender=sender)
    message["Message-ID"] = f"<{number}@example.org>"
    return message.as_bytes()


@pytest.fixture
def desk(dovecot_mail: Store, open_desk: DeskFactory) -> Desk:
    return open_desk(dovecot_mail.account)


def all_pages(desk: Desk, **arguments: object) -> list[Reply]:
    found = [desk.search(**arguments)]
    while found[-1].data["has_more"]:
        found.append(desk.search(cursor=found[-1].data["next_cursor"]))
    return found


def rows(found: list[Reply]) -> list[tuple[str, str, int]]:
    """Subject, mailbox and number of other places of each message."""
    return [
        (row["subject"], row["mailbox"], len(row.get("places", [])))
        for page in found
        for row in page.data["messages"]
    ]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 10])
def test_copies_in_other_mailboxes_are_one_message_on_all_pages_together(
    dovecot_mail: Store, desk: Desk, limit: int
) -> None:
    """COPY keeps the time of arrival (RFC 9051 section 6.4.7)."""
    for number in range(1, 6):
        dovecot_mail.fill("INBOX", [letter(number)], received=DAY + timedelta(days=number))
    with dovecot_mail.client() as client:
        client.create_folder("Kept")
        client.select_folder("INBOX")
        client.copy("1,2,4", "Kept")
    found = all_pages(desk, mailbox="*", limit=limit)
    assert rows(found) == [
        ("Letter 005", "INBOX", 0),
        ("Letter 004", "INBOX", 1),
        ("Letter 003", "INBOX", 0),
        ("Letter 002", "INBOX", 1),
        ("Letter 001", "INBOX", 1),
    ]
    also = found[0].data["messages"][-1] if limit == 2 else None
    if also is not None:
        (place,) = also["places"]
        assert place in found[0].text
        assert desk.message(place)["subject"] == "Letter 004"


def test_a_page_with_attachments_and_its_limits(dovecot_mail: Store, desk: Desk) -> None:
    with_file = make_letter("With", "See the file.\n")
    with_file.add_attachment(b"%PDF " * 500, maintype="application", subtype="pdf", filename="a b.pdf")
    for number in range(1, 31):
        octets = with_file.as_bytes() if number % 10 == 0 else letter(number)
        dovecot_mail.fill("INBOX", [octets], received=DAY + timedelta(days=number))
    found = all_pages(desk, has_attachment=True, limit=2, snippet_max_chars=50, query="file")
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
    rest = all_pages(desk, cursor=first.data["next_cursor"])
    shown = [subject for subject, _, _ in rows([first, *rest])]
    assert shown == [f"Letter {number:03}" for number in (1, 2, 3, 4, 5, 9)]


def test_a_copy_further_on_is_remembered_for_the_next_page() -> None:
    one, other = FetchedMessage(uid=1, email_id="M1"), FetchedMessage(uid=2, email_id="M2")
    found = [page_of(one, mailbox="home-a"), page_of(other, one, mailbox="home-b")]
    results = {replace(each.position, uidvalidity=0): each for each in found}
    page = make_page(Searches(search=start(mailbox="*"), results=dict(results)), size=1)
    assert page.following is not None
    assert [(each.mailbox, each.skip) for each in page.following.sources] == [("home-b", (1,))]
    [message] = page.found
    assert [place.mailbox for place in message.places] == ["home-b"]
