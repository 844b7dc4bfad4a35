"""An empty result says what it saw, what it did not see, and where to look next."""

from dataclasses import replace
from typing import Any

import pytest

from imap.searches import page_of
from mailmcp import limits
from mailmcp.imap.mailboxes import Mailbox
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.values import MailboxPage
from mailmcp.model.cursor import Position
from mailmcp.model.query import CRITERIA
from mailmcp.reasons import Reason
from mailmcp.tools.search.advice import search_warnings
from mailmcp.tools.search.coverage import COVERAGE_CHARS_MAX, Coverage
from mailmcp.tools.search.failures import source_issues
from mailmcp.tools.search.nothing_found import NO_COUNTS, Counts, suggest_search
from mailmcp.tools.search.sources import Searched, Searches
from mailmcp.tools.search.state import Search
from mcp_envelope import InternalError, NotFoundError, ToolError
from tools.search.starting import TODAY, read, start

SEARCH = start(query="x")
LOST = InternalError("lost", reason=Reason.CONNECTION_LOST, retryable=True)
MISSING = NotFoundError("missing", reason=Reason.MAILBOX_MISSING)
ARCHIVE, TRASH = ("home", "Archive"), ("home", "Trash")


def scanned(
    *statements: str, complete: bool = True, known_gaps: str = "", uids: tuple[int, ...] = ()
) -> MailboxPage:
    rows = [FetchedMessage(uid=uid) for uid in uids]
    return page_of(*rows, exists=7, statements=statements, known_gaps=known_gaps, complete=complete)


def place(account_id: str, mailbox: str, found: MailboxPage | ToolError) -> Searched:
    return Searched(source=Position(account_id=account_id, mailbox=mailbox), found=found)


def coverage(
    search: Search = SEARCH,
    *,
    seen: tuple[MailboxPage, ...] = (scanned(),),
    failed: tuple[tuple[str, str], ...] = (),
    others: tuple[tuple[str, str], ...] = (),
    **facts: Any,
) -> Coverage:
    searched = [place("home", f"Seen {number}", page) for number, page in enumerate(seen)]
    searched += [place(*each, LOST) for each in failed]
    listings: dict[str, tuple[Mailbox, ...]] = {}
    for account_id, name in others:
        use = "\\Trash" if name == "Trash" else ""
        box = Mailbox(name=name, delimiter="/", selectable=True, special_use=use)
        listings[account_id] = (*listings.get(account_id, ()), box)
    searches = Searches(searched=searched, listings=listings, **facts)
    return Coverage(search=search, searches=searches)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, "matched in `INBOX` (home), out of 7"),
        ({"others": (ARCHIVE,)}, "matched in `INBOX` (home), out of 7; 1 mailbox was not searched"),
        ({"others": (ARCHIVE, TRASH)}, "matched in `INBOX` (home), out of 7; 2 mailboxes were not searched"),
        (
            {"seen": (scanned("Some were not seen.", complete=False),)},
            "were found in `INBOX` (home), but not everything could be searched",
        ),
        (
            {"seen": (scanned(known_gaps="Servers may miss some."),), "others": (ARCHIVE,)},
            "were found in `INBOX` (home), out of 7. Servers may miss some; 1 mailbox was not searched",
        ),
        ({"cut": True}, "were found in `INBOX` (home), but not everything could be searched"),
        ({"failed": (ARCHIVE,)}, "were found in `INBOX` (home), but 1 mailbox could not be searched"),
        (
            {"failed": (("home", "*"), ("club", "*"))},
            "were found in `INBOX` (home), but 2 accounts could not be searched",
        ),
    ],
)
def test_an_empty_page_claims_only_what_is_proven(facts: dict[str, Any], said: str) -> None:
    assert coverage(**facts).summarize_nothing_found() == f"No messages {said}"


def test_the_data_names_the_mailboxes_that_the_text_counts() -> None:
    names = tuple(("home", f"Box {number}") for number in range(limits.COVERAGE_NAMES_MAX + 3))
    found = coverage(
        seen=(scanned("One. "), scanned("One. "), scanned("Two.")), failed=names, others=(TRASH,)
    )
    assert found.data.mailboxes_failed[-1] == {"account_id": "home", "mailbox": "Box 19"}
    assert found.data.mailboxes_not_searched == [{"account_id": "home", "mailbox": "Trash"}]
    assert (found.data.complete, found.data.mailboxes_searched) == (False, 3)
    assert found.data.method == "One. Two. Not named: 3 more mailboxes."


def test_no_sentence_is_cut_within_the_name_of_a_mailbox() -> None:
    seen = tuple(
        replace(scanned(), reach=f"Searched a part of `Box {number} {'x' * 150}`.") for number in range(9)
    )
    found = coverage(seen=seen)
    texts = (found.data.method, found.lines(empty=True)[0])
    assert all(text.endswith("x`. …") and len(text) < COVERAGE_CHARS_MAX + 30 for text in texts)


def test_the_text_says_how_it_was_searched_where_that_matters() -> None:
    whole, part = coverage(seen=(scanned("So."),)), coverage(seen=(scanned("So.", complete=False),))
    assert whole.lines(empty=False) == ()
    assert whole.lines(empty=True) == part.lines(empty=False) == ("How it was searched: So.",)
    assert coverage(others=(ARCHIVE,)).lines(empty=True) == (), "those left out on purpose are no news"
    checked, full = replace(scanned(), checked=30, unchecked=315), replace(scanned(), checked=10, left=490)
    assert coverage(seen=(checked, full, replace(checked, checked=40))).method == [
        "Checked 70 of 700 possible matches; the next page continues from there."
    ]


def test_known_gaps_count_only_if_nothing_was_found() -> None:
    blind = scanned(known_gaps="Servers may overlook it.")
    nothing = coverage(seen=(blind, blind))
    assert (nothing.complete, nothing.all_seen, nothing.unproven) == (False, True, "Servers may overlook it.")
    assert nothing.data.method == "Servers may overlook it."
    something = coverage(seen=(blind, scanned(known_gaps="Servers may overlook it.", uids=(4,))))
    later = coverage(replace(SEARCH, total=3), seen=(blind,))
    assert [(each.complete, each.unproven) for each in (something, later)] == [(True, "")] * 2


QUERY, SUBJECT = (row for row in CRITERIA if row.name in {"query", "subject"})


@pytest.mark.parametrize(
    ("counts", "changed"),
    [
        (Counts(places={ARCHIVE: 2, TRASH: 1}, without={QUERY: 9}, written=3), {"mailbox": "*"}),
        (Counts(places={TRASH: 1}, without={QUERY: 9}, written=3), {"mailboxes": ["Trash"]}),
        (Counts(places={}, without={QUERY: 9}, written=3), {"dates": "written"}),
        (Counts(places={}, without={QUERY: 9, SUBJECT: 2}), {"subject": None}),
        (NO_COUNTS, {"mailbox": "*"}),
    ],
)
def test_the_next_search_is_where_matches_were_counted(counts: Counts, changed: dict[str, object]) -> None:
    search = start(query="x", subject="y", since="2015-01-01")
    found = coverage(search, others=(("home", "INBOX"), ARCHIVE, TRASH))
    found.searches.searched[:] = [place("home", "INBOX", scanned())]
    arguments = suggest_search(found, counts).arguments
    assert arguments is not None
    assert {name: arguments.get(name) for name in changed} == changed


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"unread_only": True, "query": "two words"}, []),
        ({"unanswered_only": True}, ["Answered is"]),
        ({"last_days": 3}, ["Searches by time"]),
        ({"last_days": 0}, ["last_days 0 is no filter"]),
        ({"since": "2024-01-01T00:00:00Z", "unanswered_only": True}, ["Answered is", "Searches by time"]),
    ],
)
def test_an_empty_result_warns_about_misleading_criteria(raw: dict[str, Any], said: list[str]) -> None:
    warned = [*search_warnings(start(**raw), read(**raw), (), empty=True, today=TODAY)]
    assert len(warned) == len(said)
    assert all(line.startswith(part) for part, line in zip(said, warned, strict=True))


def told(*searched: Searched) -> list[tuple[object, object, str]]:
    issues = source_issues(Searches(searched=list(searched)))
    return [(each.about["account_id"], each.about.get("mailbox"), each.message) for each in issues]


def test_an_account_that_failed_alike_everywhere_is_one_issue() -> None:
    assert told(place("home", "A", LOST), place("home", "B", LOST)) == [("home", None, "lost")]
    assert told(place("home", "*", LOST)) == [("home", None, "lost")]
    assert told(place("home", "A", LOST), place("home", "B", MISSING), place("club", "A", LOST)) == [
        ("home", "A", "lost"),
        ("home", "B", "missing"),
        ("club", "A", "lost"),
    ]
