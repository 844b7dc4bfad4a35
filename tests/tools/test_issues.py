"""Issues say what they are about."""

import pytest

from mailmcp.imap.fetch import FetchFailure
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.issues import advise_listing, all_failed_error, issue_about, mailbox_issue, message_issue
from mcp_envelope import Code, InternalError, Issue, NextAction, NotFoundError

REF = MessageRef(account_id="home", mailbox="INBOX", uidvalidity=17, uid=4)
ERROR = InternalError("It refused.", reason=Reason.SERVER_REFUSED, retryable=True)
NEXT = NextAction(instruction="Get the next page.", tool="imap_search_messages", arguments={"cursor": "x"})
ABOUT = {"uid": 4, "message_id": REF.message_id, "mailbox": "INBOX", "account_id": "home"}


def test_of_a_message() -> None:
    failure = FetchFailure(
        uid=4, code=Code.NOT_FOUND, reason=Reason.MESSAGE_GONE, stage="parse", message="Gone."
    )
    assert message_issue(REF, failure) == Issue(
        code=Code.NOT_FOUND,
        reason=Reason.MESSAGE_GONE,
        stage="parse",
        message="Gone.",
        retryable=False,
        about=ABOUT,
    )
    assert message_issue(REF, ERROR) == Issue(
        code=Code.INTERNAL,
        reason=Reason.SERVER_REFUSED,
        stage="fetch",
        message="It refused.",
        retryable=True,
        about=ABOUT,
    )


def test_of_a_mailbox_and_of_an_account() -> None:
    issue = mailbox_issue("home", "Sent", ERROR)
    assert (issue.stage, issue.about) == ("search", {"mailbox": "Sent", "account_id": "home"})
    assert mailbox_issue("home", None, ERROR).about == {"account_id": "home"}


def test_of_something_within_a_message() -> None:
    issue = issue_about(REF, Issue(code=Code.TIMEOUT, stage="extract", message="Too slow."))
    assert (issue.code, issue.stage, issue.about) == (Code.TIMEOUT, "extract", ABOUT)


@pytest.mark.parametrize(
    ("code", "stage", "kind", "reason"),
    [
        (Code.NOT_FOUND, "fetch", NotFoundError, Reason.MESSAGE_GONE),
        (Code.INTERNAL, "fetch", InternalError, Reason.SERVER_REFUSED),
        (Code.INTERNAL, "parse", InternalError, Reason.PROTOCOL_VIOLATION),
    ],
)
def test_nothing_had_says_why_and_how_to_go_on(
    code: Code, stage: str, kind: type[Exception], reason: Reason
) -> None:
    issues = [
        Issue(code=code, stage=stage, message="Why.", retryable=True, about={"uid": uid}) for uid in (3, 2)
    ]
    error = all_failed_error(issues, NEXT)
    assert isinstance(error, kind)
    assert error.reason is reason
    assert error.next_action == NEXT
    assert error.details["issues"] == [{"uid": 3, "message": "Why."}, {"uid": 2, "message": "Why."}]
    assert error.message == "None of the 2 messages could be had. The first: Why."
    assert error.retryable is (code is Code.INTERNAL)


def test_only_a_mailbox_that_is_not_there_is_a_reason_to_list_them() -> None:
    missing = NotFoundError("No.", reason=Reason.MAILBOX_MISSING)
    advise_listing(missing, "home")
    assert missing.next_action is not None
    assert (missing.next_action.tool, missing.next_action.arguments) == (
        "imap_list_mailboxes",
        {"account_id": "home"},
    )
    gone = NotFoundError("Gone.", reason=Reason.MESSAGE_GONE)
    advise_listing(gone, "home")
    assert gone.next_action is None
