"""An empty result says what it saw, what it did not see, and where to look next."""

from dataclasses import replace
from typing import Any

import pytest

from imap.searches import page_of
from mailmcp import limits
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.page import MailboxPage
from mailmcp.model.cursor import Source
from mailmcp.tools.search.coverage import COVERAGE_CHARS_MAX, Coverage
from mailmcp.tools.search.state import Search
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox, make_messages
from tools.conftest import DeskFactory
from tools.search.starting import start
from tools.stores import peer_account

SEARCH = start(query="x")
SEVERAL = start(query="x", mailbox="*", account_id="*")


def scanned(
    *statements: str,
    complete: bool = True,
    known_gaps: str = "",
    uids: tuple[int, ...] = (),
) -> MailboxPage:
    rows = [FetchedMessage(uid=uid) for uid in uids]
    return page_of(*rows, exists=7, statements=statements, known_gaps=known_gaps, complete=complete)


def coverage(search: Search = SEARCH, **facts: Any) -> Coverage:
    known: dict[str, Any] = {"search": search, "seen": (scanned(),), "accounts": ("home",), "failed": ()}
    return Coverage(**known | facts)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, "No messages matched in `INBOX` (home), out of 7"),
        (
            {"others": (("home", "A"),)},
            "No messages matched in `INBOX` (home), out of 7; 1 mailbox was not searched",
        ),
        (
            {"others": (("home", "A"), ("home", "B"))},
            "No messages matched in `INBOX` (home), out of 7; 2 mailboxes were not searched",
        ),
        (
            {"seen": (scanned("Some were not seen.", complete=False),)},
            "No messages were found in `INBOX` (home), but not everything could be searched",
        ),
        (
            {"seen": (scanned(known_gaps="Servers may miss some."),), "others": (("home", "A"),)},
            "No messages were found in `INBOX` (home), out of 7. Servers may miss some; "
            "1 mailbox was not searched",
        ),
        ({"cut": True}, "No messages were found in `INBOX` (home), but not everything could be searched"),
    ],
)
def test_an_empty_page_claims_only_what_is_proven(facts: dict[str, Any], said: str) -> None:
    assert coverage(**facts).summarize_nothing_found() == said


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        ((("home", "A"),), "1 mailbox"),
        ((("home", "A"), ("home", "B")), "2 mailboxes"),
        ((("home", "*"),), "1 account"),
        ((("home", "*"), ("club", "*")), "2 accounts"),
        ((("home", "*"), ("club", "A")), "2 mailboxes"),
    ],
)
def test_failed_mailboxes_are_counted(failed: tuple[tuple[str, str], ...], said: str) -> None:
    found = coverage(SEVERAL, failed=failed).summarize_nothing_found()
    assert found == f"No messages were found in 1 mailbox (home), but {said} could not be searched"


def test_the_data_names_the_mailboxes_that_the_text_counts() -> None:
    names = tuple(("home", f"Box {number}") for number in range(limits.COVERAGE_NAMES_MAX + 3))
    data = coverage(seen=(scanned("One. "), scanned("One. "), scanned("Two.")), failed=names).data
    assert data.mailboxes_failed == [name for _, name in names[: limits.COVERAGE_NAMES_MAX]]
    assert (data.complete, data.mailboxes_searched, data.mailboxes_not_searched) == (False, 3, None)
    assert data.method == "One. Two. Not named: 3 more mailboxes."


def test_no_sentence_is_cut_within_the_name_of_a_mailbox() -> None:
    seen = [
        replace(scanned(), reach=f"Searched a part of `Box {number} {'x' * 150}`.") for number in range(9)
    ]
    found = coverage(seen=seen)
    texts = (found.data.method, found.lines(empty=True)[0])
    assert all(text.endswith("x`. …") and len(text) < COVERAGE_CHARS_MAX + 30 for text in texts)
    long = replace(scanned(), reach=f"Searched a part of `{'x' * 900}`.")
    assert coverage(seen=(long, *seen)).data.method.endswith("x`. …")


def test_a_name_cannot_pass_for_the_count_of_names() -> None:
    names = tuple(("home", "and 58 more") for _ in range(limits.COVERAGE_NAMES_MAX + 1))
    found = coverage(others=names)
    assert found.data.mailboxes_not_searched == ["and 58 more"] * limits.COVERAGE_NAMES_MAX
    assert found.data.method.endswith(" Not named: 1 more mailbox.")
    (line,) = (each for each in found.lines(empty=True) if each.startswith("Not searched: "))
    assert line.endswith("`and 58 more`, and 1 more")


def test_accounts_are_named_where_there_are_several() -> None:
    two = replace(SEVERAL, sources=(*SEARCH.sources, Source(account_id="club", mailbox="INBOX")))
    assert coverage(two, failed=(("club", "A"),)).data.mailboxes_failed == ["club: A"]
    (line,) = coverage(two, others=(("club", "A`B"), ("club", r'"A\u0060B"'))).lines(empty=True)
    assert line == r'Not searched: club: `"A\u0060B"`, club: `"\"A\\u0060B\""`'


def test_the_text_says_how_it_was_searched_where_that_matters() -> None:
    whole, part = coverage(seen=(scanned("So."),)), coverage(seen=(scanned("So.", complete=False),))
    assert whole.lines(empty=False) == ()
    assert whole.lines(empty=True) == part.lines(empty=False) == ("How it was searched: So.",)
    others = coverage(others=(("home", "A`B"),))
    assert others.lines(empty=True) == (r'Not searched: `"A\u0060B"`',)


def test_known_gaps_count_only_if_nothing_was_found() -> None:
    blind = scanned(known_gaps="Servers may overlook it.")
    nothing = coverage(seen=(blind, blind))
    assert (nothing.complete, nothing.unproven) == (False, "Servers may overlook it.")
    something = coverage(seen=(blind, scanned(known_gaps="Servers may overlook it.", uids=(4,))))
    assert (something.complete, something.unproven) == (True, "")
    later = coverage(replace(SEARCH, total=3), seen=(blind,))
    assert (later.complete, later.unproven) == (True, "")


def test_an_unproven_result_is_mentioned_once() -> None:
    """In the summary, or in a line of its own where more is amiss."""
    doubt = scanned("So.", known_gaps="Servers may miss some.")
    unsure = coverage(seen=(doubt, doubt))
    assert (unsure.complete, unsure.all_seen) == (False, True)
    assert unsure.data.method == "So. Servers may miss some."
    assert unsure.lines(empty=True) == ("How it was searched: So.",)
    worse = coverage(seen=(doubt,), failed=(("home", "A"),))
    assert worse.lines(empty=True) == (
        "How it was searched: So.",
        "Not proven complete: Servers may miss some.",
    )


def test_a_failed_list_only_leaves_out_the_other_mailboxes(peer: PeerFactory, open_desk: DeskFactory) -> None:
    rules = [Rule(command="LIST", action=Respond(b"{tag} NO not now\r\n"))]
    reply = open_desk(peer_account(peer(messages=make_messages(1), rules=rules))).search(subject="nowhere")
    assert reply.data["returned"] == 0
    assert "mailboxes_not_searched" not in reply.data["coverage"]
    assert reply.data["next_action"]["tool"] == "imap_list_mailboxes"


def test_an_empty_result_with_a_failed_mailbox_proves_nothing(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    refusal = Rule(command="EXAMINE", containing="Shut", action=Respond(b"{tag} NO [UNAVAILABLE] no\r\n"))
    server = peer(messages=make_messages(1), mailboxes=[PeerMailbox(name="Shut")], rules=[refusal])
    reply = open_desk(peer_account(server)).search(mailbox="*", subject="nowhere")
    assert reply.outcome.summary.startswith(
        "No messages were found in 1 mailbox (work), but 1 mailbox could not"
    )
    assert reply.data["status"] == "partial"
    assert reply.data["next_action"]["instruction"] == "Search again where it failed."


def test_what_several_mailboxes_have_left_is_one_sentence() -> None:
    checked, full = replace(scanned(), checked=30, unchecked=315), scanned()
    full = replace(full, checked=10, left=490)
    said = coverage(seen=(checked, full, replace(checked, checked=40))).method
    assert said == ["Checked 70 of 700 possible matches; the next page continues from there."]
