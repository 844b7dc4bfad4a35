"""What to search next, and what a searcher may not know."""

from dataclasses import replace
from typing import Any

import pytest

from mailmcp import limits
from mailmcp.model.cursor import SourceCursor
from mailmcp.tools.search.advice import search_warnings
from mailmcp.tools.search.coverage import Coverage
from mailmcp.tools.search.nothing_found.suggestion import suggest_search
from mcp_envelope import NotFoundError
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_numbered
from tools.search.starting import TODAY, read, start
from tools.stores import Store

SEARCH = start(query="x")
SEVERAL = start(query="x", mailbox="*", account_id="*")


def test_fewer_criteria_are_suggested_once_everything_was_searched() -> None:
    assert (
        suggest_search(SEARCH, Coverage(accounts=("home",), search=SEARCH, seen=(), failed=())).tool
        == "imap_list_mailboxes"
    )


@pytest.mark.parametrize(
    ("criteria", "suggested"),
    [
        ({"since": "2015-01-01"}, True),
        ({"before": "2015-12-31"}, True),
        ({"since": "2015-01-01", "dates": "written"}, False),
        ({"subject": "x"}, False),
    ],
)
@pytest.mark.parametrize("others", [(), (("home", "Archive"),)])
def test_a_search_by_time_that_finds_nothing_goes_on_by_the_date_header(
    criteria: dict[str, str], others: tuple[tuple[str, str], ...], *, suggested: bool
) -> None:
    """Imported mail was written long before it arrived."""
    search = start(**criteria)
    action = suggest_search(
        search, Coverage(accounts=("home",), search=search, seen=(), failed=(), others=others)
    )
    assert action.instruction.endswith("by the Date header.") is suggested
    assert ((action.arguments or {}).get("mailbox") == "*") is bool(others)
    assert ((action.arguments or {}).get("dates") == "written") is (
        suggested or ("dates" in criteria and bool(others))
    )


def test_left_out_mailboxes_of_many_accounts_are_searched_account_by_account() -> None:
    accounts = [f"club-{number}" for number in range(limits.SEARCH_SOURCES_MAX // 2 + 1)]
    sources = tuple(SourceCursor(account_id=each, mailbox="*") for each in accounts)
    search = replace(SEVERAL, sources=sources)
    aside = tuple((each, name) for each in accounts for name in ("Junk", "Trash"))
    action = suggest_search(
        search, Coverage(accounts=("home",), search=search, seen=(), failed=(), others=aside, aside=aside)
    )
    assert action.arguments is not None
    assert (action.arguments["account_id"], action.arguments["mailboxes"]) == ("club-0", ["Junk", "Trash"])
    assert action.instruction.endswith("left out of account club-0; do the same for the others.")


def test_the_next_search_goes_on_until_junk_and_trash_are_searched(
    dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    """Each next action is sent as it stands, and finds what is there to be found."""
    dovecot_mail.fill("INBOX", make_numbered(1))
    dovecot_mail.fill("Trash", make_numbered(7))
    desk: Desk = open_desk(dovecot_mail.account)
    inbox = desk.search(subject="Message 7", snippet_max_chars=60)
    assert set(inbox.data["coverage"]["mailboxes_not_searched"]) >= {"Drafts", "Junk", "Sent", "Trash"}
    assert inbox.telemetry.imap_round_trips
    everything = desk.call(inbox.data["next_action"]["tool"], inbox.data["next_action"]["arguments"])
    assert inbox.data["next_action"]["arguments"]["mailbox"] == "*"
    assert everything.data["coverage"]["mailboxes_not_searched"] == ["Trash"], "Junk is empty"
    aside = everything.data["next_action"]["arguments"]
    assert aside["mailboxes"] == ["Trash"]
    found = desk.call("imap_search_messages", aside)
    assert [row["subject"] for row in found.data["messages"]] == ["Message 7"]
    assert found.data["messages"][0]["snippet"] == "Text of message 7."


def test_empty_mailboxes_are_not_said_to_be_unsearched(store: Store, desk: Desk) -> None:
    with store.client() as client:
        for name in ("Junk", "Trash"):
            if not client.folder_exists(name):
                client.create_folder(name)
    store.fill("INBOX", make_numbered(1))
    nothing = desk.search(mailbox="*", larger_than=10**9)
    assert "Not searched" not in nothing.text
    assert "mailboxes_not_searched" not in nothing.data["coverage"]
    assert nothing.outcome.summary.endswith("out of 1")
    assert nothing.data["next_action"]["tool"] == "imap_list_mailboxes"
    store.fill("Trash", make_numbered(2))
    for where in ({"mailbox": "*"}, {"mailboxes": ["INBOX", "Junk"]}):
        assert "Not searched: " in desk.search(larger_than=10**9, **where).text
    assert desk.search(mailbox="*", larger_than=10**9).data["coverage"]["mailboxes_not_searched"] == ["Trash"]


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
        (
            {"subject": "two words", "from_": "Ann Example"},
            ["Several words in from and subject are one phrase"],
        ),
        ({"subject": '"two words"'}, []),
        ({"body": "two words"}, ["Several words in body are"]),
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


@pytest.mark.parametrize(
    ("arguments", "query"),
    [
        ({"subject": "Offer of May"}, "Offer of May"),
        ({"from": "Berger, Anna", "query": "tax", "subject": "one"}, "tax Berger Anna"),
    ],
)
def test_the_words_of_a_phrase_are_suggested_as_single_words(
    store: Store, desk: Desk, arguments: dict[str, str], query: str
) -> None:
    store.fill("INBOX", make_numbered(1))
    reply = desk.search(mailbox="*", **arguments)
    for _ in range(3):
        if reply.data["next_action"]["arguments"].get("query") == query:
            break
        reply = desk.call("imap_search_messages", reply.data["next_action"]["arguments"])
    sent = reply.data["next_action"]["arguments"]
    assert (sent["mailbox"], sent["query"]) == ("*", query)
    assert sent.get("subject") == ("one" if "query" in arguments else None)
    assert "from" not in sent


def test_zero_days_do_not_filter(store: Store, desk: Desk) -> None:
    store.fill("INBOX", make_numbered(1))
    reply = desk.search(last_days=0)
    assert reply.data["total"] == 1
    assert reply.outcome.warnings == (f"last_days 0 is no filter; for today send start_date {desk.today}.",)
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
