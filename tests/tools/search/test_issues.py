"""Failures of a search, told once each: for a mailbox, or for an account as a whole."""

from mailmcp.model.cursor import Source
from mailmcp.reasons import Reason
from mailmcp.tools.search.failures import nothing_searched, source_issues
from mailmcp.tools.search.sources import Searched, Searches
from mcp_envelope import ConflictError, DeadlineError, InternalError, NextAction, NotFoundError, ToolError
from tools.search.starting import start

SEARCH = start(mailbox="A")


def failed(account_id: str, mailbox: str, error: ToolError) -> Searched:
    return Searched(source=Source(account_id=account_id, mailbox=mailbox), found=error)


def lost() -> ToolError:
    return InternalError("lost", reason=Reason.CONNECTION_LOST, retryable=True)


def missing() -> ToolError:
    return NotFoundError("missing", reason=Reason.MAILBOX_MISSING)


def told(*searched: Searched) -> list[tuple[object, object, str]]:
    issues = source_issues(Searches(searched=list(searched)))
    return [(each.about["account_id"], each.about.get("mailbox"), each.message) for each in issues]


def test_an_account_that_failed_alike_everywhere_is_one_issue() -> None:
    assert told(failed("home", "A", lost()), failed("home", "B", lost())) == [("home", None, "lost")]
    assert told(failed("home", "*", lost())) == [("home", None, "lost")]


def test_mailboxes_that_failed_differently_are_separate_issues() -> None:
    assert told(failed("home", "A", lost()), failed("home", "B", missing()), failed("club", "A", lost())) == [
        ("home", "A", "lost"),
        ("home", "B", "missing"),
        ("club", "A", "lost"),
    ]


def test_the_error_of_all_is_that_of_the_first() -> None:
    late = DeadlineError("late", reason=Reason.COMMAND)
    searches = Searches(searched=[failed("home", "A", late), failed("club", "B", lost())])
    error = nothing_searched(SEARCH, searches, None)
    assert (error.message, error.code) == (late.message, late.code)
    assert error.details["issues"] == [
        {"account_id": "home", "mailbox": "A", "message": "late"},
        {"account_id": "club", "mailbox": "B", "message": "lost"},
    ]


def test_a_single_failure_has_a_next_action_and_no_list() -> None:
    error = nothing_searched(SEARCH, Searches(searched=[failed("home", "A", missing())]), None)
    assert "issues" not in error.details
    assert error.next_action is not None
    assert error.next_action.tool == "imap_list_mailboxes"


def test_the_next_action_for_a_rebuilt_mailbox_repeats_the_search() -> None:
    rebuilt = ConflictError("It was rebuilt.", reason=Reason.UIDVALIDITY_CHANGED)
    error = nothing_searched(SEARCH, Searches(searched=[failed("home", "A", rebuilt)]), None)
    assert error.next_action is not None
    assert error.next_action.arguments == {"account_id": "home", "mailbox": "A"}


def test_a_suggested_mailbox_takes_precedence_over_a_list() -> None:
    meant = NextAction(instruction="Search there.", tool="imap_search_messages")
    error = nothing_searched(SEARCH, Searches(searched=[failed("home", "A", missing())]), meant)
    assert error.next_action is meant
