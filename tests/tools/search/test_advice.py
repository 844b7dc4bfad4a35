"""What to search next, and what a searcher may not know."""

from dataclasses import replace
from typing import Any

import pytest

from mailmcp import limits
from mailmcp.model.cursor import Source
from mailmcp.model.query import CRITERIA
from mailmcp.tools.search.advice import search_warnings
from mailmcp.tools.search.coverage import Coverage
from mailmcp.tools.search.nothing_found import NO_COUNTS, Counts, suggest_search
from mailmcp.tools.search.state import Search
from mcp_envelope import NotFoundError
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_numbered
from tools.search.starting import TODAY, read, start
from tools.stores import Store

SEARCH = start(query="x")
SEVERAL = start(query="x", mailbox="*", account_id="*")


def covered(search: Search, **facts: Any) -> Coverage:
    known: dict[str, Any] = {"accounts": ("home",), "search": search, "seen": (), "failed": ()}
    return Coverage(**known | facts)


def test_fewer_criteria_are_suggested_once_everything_was_searched() -> None:
    assert suggest_search(SEARCH, covered(SEARCH), NO_COUNTS).tool == "imap_list_mailboxes"


ARCHIVE, TRASH = ("home", "Archive"), ("home", "Trash")
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
    coverage = covered(search, others=(ARCHIVE, TRASH), aside=(TRASH,))
    action = suggest_search(search, coverage, counts)
    assert action.arguments is not None
    assert {name: action.arguments.get(name) for name in changed} == changed


def test_what_was_counted_is_said() -> None:
    counts = Counts(places={ARCHIVE: 2}, without={QUERY: 9}, written=3)
    assert counts.sentence == (
        "The server counts matches elsewhere: `Archive` 2, without query 9, by the Date header 3."
    )
    assert NO_COUNTS.sentence == ""


def test_left_out_mailboxes_of_many_accounts_are_searched_account_by_account() -> None:
    accounts = [f"club-{number}" for number in range(limits.SEARCH_SOURCES_MAX // 2 + 1)]
    sources = tuple(Source(account_id=each, mailbox="*") for each in accounts)
    search = replace(SEVERAL, sources=sources)
    aside = tuple((each, name) for each in accounts for name in ("Junk", "Trash"))
    coverage = covered(search, others=aside, aside=aside)
    action = suggest_search(search, coverage, NO_COUNTS)
    assert action.arguments is not None
    assert (action.arguments["account_id"], action.arguments["mailboxes"]) == ("club-0", ["Junk", "Trash"])
    assert action.instruction == "Search those of account club-0; do the same for 100 other accounts."


def test_the_next_search_finds_what_is_in_the_trash(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    dovecot_mail.fill("INBOX", make_numbered(1))
    dovecot_mail.fill("Trash", make_numbered(7))
    desk: Desk = open_desk(dovecot_mail.account)
    inbox = desk.search(subject="Message 7", snippet_max_chars=60)
    assert set(inbox.data["coverage"]["mailboxes_not_searched"]) >= {"Drafts", "Junk", "Sent", "Trash"}
    assert inbox.telemetry.imap_round_trips
    aside = inbox.data["next_action"]["arguments"]
    assert aside["mailboxes"] == ["Trash"]
    found = desk.call("imap_search_messages", aside)
    assert [row["subject"] for row in found.data["messages"]] == ["Message 7"]
    assert found.data["messages"][0]["snippet"] == "Text of message 7."


@pytest.mark.parametrize(
    ("query", "phrase"),
    [
        ("annual report", r'`"\"annual report\""`'),
        ('"annual report"', ""),
        ("annual", ""),
        ('annual "long report"', ""),
        ("annual re-port", ""),
    ],
)
def test_many_matches_of_loose_words_suggest_the_phrase(query: str, phrase: str) -> None:
    for total in (5, 653):
        warned = search_warnings(
            start(query=query), read(query=query), (), total=total, imported=False, today=TODAY
        )
        assert [each for each in warned if "far apart" in each] == (
            [f"The words may be far apart in these messages; query {phrase} finds the phrase."]
            if phrase and total > 100
            else []
        )


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"unread_only": True}, []),
        ({"unanswered_only": True}, ["Answered is"]),
        ({"query": "two words"}, []),
        ({"subject": "word"}, []),
        ({"subject": '"two words"'}, []),
        ({"start_date": "2024-01-01"}, ["dates=written uses the Date header"]),
        ({"last_days": 3}, ["Searches by time"]),
        ({"since": "2024-01-01T00:00:00Z", "unanswered_only": True}, ["Answered is", "Searches by time"]),
    ],
)
def test_an_empty_result_warns_about_misleading_criteria(raw: dict[str, Any], said: list[str]) -> None:
    warned = search_warnings(start(**raw), read(**raw), (), total=0, imported=False, today=TODAY)
    assert len(warned) == len(said)
    assert all(part in line for part, line in zip(said, warned, strict=True))
    of_some = search_warnings(start(**raw), read(**raw), (), total=5, imported=False, today=TODAY)
    assert bool(of_some) is ("unanswered_only" in raw)


def test_zero_days_do_not_filter(store: Store, desk: Desk) -> None:
    store.fill("INBOX", make_numbered(1))
    reply = desk.search(last_days=0)
    assert reply.data["total"] == 1
    assert reply.outcome.warnings == (f"last_days 0 is no filter; for today send since {desk.today}.",)
    assert desk.search().outcome.warnings == ()
    assert desk.search(last_days=1).outcome.warnings == ()


@pytest.mark.parametrize(
    "arguments",
    [
        {"subject": r"Quarterly \| review"},
        {"query": r"a\|b"},
        {"subject": "DO NOT REPLY"},
        {"subject": "BUY OR SELL", "body": "NOT A DRILL NOW"},
        {"from": r"Example, Ann\|x"},
        {"subject": "long " * 200, "body": "words " * 150},
        {"subject": r"C:\\temp \_x"},
        {"subject": '"in quotes" here', "query": '"two words" three'},
    ],
)
def test_next_actions_are_accepted_as_they_stand(desk: Desk, arguments: dict[str, str]) -> None:
    """Until none is left; each finds as little."""
    tools: list[str] = []
    reply = desk.search(**arguments)
    while reply.data["next_action"]["tool"] == "imap_search_messages":
        assert reply.data["total"] == 0
        assert len(tools) < 5
        tools.append(reply.data["next_action"]["tool"])
        reply = desk.call("imap_search_messages", reply.data["next_action"]["arguments"])
    assert reply.data["next_action"]["tool"] == "imap_list_mailboxes"


def test_one_of_several_mailboxes_may_mean_all(store: Store, desk: Desk) -> None:
    store.fill("INBOX", make_numbered(1))
    with store.client() as client:
        if not client.folder_exists("Archive"):
            client.create_folder("Archive")
    with pytest.raises(NotFoundError) as caught:
        desk.search(mailboxes=["all mail", "Archve"])
    action = caught.value.next_action
    assert action is not None
    assert action.arguments is not None
    assert action.arguments["mailbox"] == "*"
    assert desk.call(action.tool, dict(action.arguments)).data["total"] == 1
