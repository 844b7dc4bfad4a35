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
from mailmcp.reasons import Reason
from mailmcp.tools.search.coverage import SENTENCES_MAX, Coverage, Place
from mailmcp.tools.search.failures import source_issues
from mailmcp.tools.search.nothing_found import Counts, suggest_search
from mailmcp.tools.search.sources import Searches
from mailmcp.tools.search.state import Search
from mcp_envelope import InternalError, NotFoundError, ToolError
from tools.search.starting import start

SEARCH = start(query="x")
LOST = InternalError("lost", reason=Reason.CONNECTION_LOST, retryable=True)
MISSING = NotFoundError("missing", reason=Reason.MAILBOX_MISSING)
ARCHIVE, TRASH = ("home", "Archive"), ("home", "Trash")


def scanned(
    *statements: str, complete: bool = True, known_gaps: str = "", uids: tuple[int, ...] = ()
) -> MailboxPage:
    rows = [FetchedMessage(uid=uid) for uid in uids]
    return page_of(*rows, exists=7, statements=statements, known_gaps=known_gaps, complete=complete)


def results(*found: tuple[str, str, MailboxPage | ToolError]) -> dict[Position, MailboxPage | ToolError]:
    return {Position(account_id=account_id, mailbox=name): each for account_id, name, each in found}


def coverage(
    search: Search = SEARCH,
    *,
    seen: tuple[MailboxPage, ...] = (scanned(),),
    failed: tuple[Place, ...] = (),
    others: tuple[Place, ...] = (),
    **facts: Any,
) -> Coverage:
    found = results(
        *(("home", f"Seen {number}", page) for number, page in enumerate(seen)),
        *((*place, LOST) for place in failed),
    )
    listings: dict[str, tuple[Mailbox, ...]] = {}
    for account_id, name in others:
        use = "\\Trash" if name == "Trash" else ""
        box = Mailbox(name=name, delimiter="/", selectable=True, special_use=use)
        listings[account_id] = (*listings.get(account_id, ()), box)
    return Coverage(searches=Searches(search=search, results=found, listings=listings, **facts))


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, "matched in `INBOX` (home), out of 7"),
        ({"others": (ARCHIVE,)}, "matched in `INBOX` (home), out of 7; 1 mailbox was not searched"),
        ({"others": (ARCHIVE, TRASH)}, "matched in `INBOX` (home), out of 7; 2 mailboxes were not searched"),
        ({"search": replace(SEARCH, is_first_page=False)}, ""),
        ({"seen": (scanned("Some were not seen.", complete=False),)}, "were found … not everything"),
        (
            {"seen": (scanned(known_gaps="Servers may miss some."),), "others": (ARCHIVE,)},
            "were found in `INBOX` (home), out of 7. Servers may miss some; 1 mailbox was not searched",
        ),
        ({"cut": True}, "were found … not everything"),
        ({"failed": (ARCHIVE,)}, "were found … not everything"),
        ({"search": replace(SEARCH, incomplete=True, is_first_page=False)}, "were found … not everything"),
    ],
)
def test_an_empty_page_claims_only_what_is_proven(facts: dict[str, Any], said: str) -> None:
    said = said.replace("…", "in `INBOX` (home), but").replace("everything", "everything could be searched")
    expected = f"No messages {said}" if said else "No more messages match in `INBOX` (home)"
    assert coverage(**facts).summarize_nothing_found() == expected


def test_the_data_names_the_mailboxes_that_the_text_counts() -> None:
    names = tuple(("home", f"Box {number}") for number in range(limits.COVERAGE_NAMES_MAX + 3))
    data = coverage(
        seen=(scanned("One."), scanned("One."), scanned("Two.")), failed=names, others=(TRASH,)
    ).data
    assert data.mailboxes_failed[-1] == {"account_id": "home", "mailbox": "Box 19"}
    assert data.mailboxes_not_searched == [{"account_id": "home", "mailbox": "Trash"}]
    assert (data.complete, data.mailboxes_searched, data.method) == (False, 3, "One. Two.")
    many = coverage(seen=tuple(scanned(f"{number}.") for number in range(SENTENCES_MAX + 1))).data
    assert many.method.endswith(f"{SENTENCES_MAX - 1}. …")


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
    assert (nothing.data.complete, nothing.all_seen) == (False, True)
    assert nothing.data.method == "Servers may overlook it."
    something = coverage(seen=(blind, scanned(known_gaps="Servers may overlook it.", uids=(4,))))
    later = coverage(replace(SEARCH, total=3), seen=(blind,))
    assert [(each.data.complete, each.unproven) for each in (something, later)] == [(True, "")] * 2


@pytest.mark.parametrize(
    ("counts", "changed"),
    [
        (Counts(places={ARCHIVE: 2, TRASH: 1}, without={"query": 9}, written=3), {"mailbox": "*"}),
        (Counts(places={TRASH: 1}, without={"query": 9}, written=3), {"mailboxes": ["Trash"]}),
        (Counts(without={"query": 9}, written=3), {"dates": "written"}),
        (Counts(without={"query": 9, "subject": 2}), {"subject": None}),
        (Counts(), {"mailbox": "*"}),
    ],
)
def test_the_next_search_is_where_matches_were_counted(counts: Counts, changed: dict[str, object]) -> None:
    search = start(query="x", subject="y", since="2015-01-01")
    found = coverage(search, seen=(), others=(("home", "INBOX"), ARCHIVE, TRASH))
    found.searches.results.update(results(("home", "INBOX", scanned())))
    arguments = suggest_search(found, counts).arguments
    assert {name: arguments.get(name) for name in changed} == changed


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ([("home", "A", LOST), ("home", "B", LOST)], [("home", None)]),
        ([("home", "*", LOST)], [("home", None)]),
        ([("home", "A", LOST), ("home", "B", scanned())], [("home", "A")]),
        (
            [("home", "A", LOST), ("home", "B", MISSING), ("club", "A", LOST)],
            [("home", "A"), ("home", "B"), ("club", "A")],
        ),
    ],
)
def test_an_account_that_failed_alike_everywhere_is_one_issue(
    found: list[tuple[str, str, MailboxPage | ToolError]], told: list[tuple[str, str | None]]
) -> None:
    issues = source_issues(Searches(search=SEARCH, results=results(*found)))
    assert [(each.about["account_id"], each.about.get("mailbox")) for each in issues] == told
