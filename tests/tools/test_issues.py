"""Issues say what they are about."""

from mailmcp.envelope.errors import Code, InternalError, Reason
from mailmcp.envelope.outcome import Issue
from mailmcp.imap.fetch import FetchFailure
from mailmcp.mail.handles.ids import MessageRef
from mailmcp.tools.issues import issue_about, mailbox_issue, message_issue

REF = MessageRef(account_id="home", mailbox="INBOX", uidvalidity=17, uid=4)
ERROR = InternalError("It refused.", reason=Reason.SERVER_REFUSED, retryable=True)
ABOUT = {"uid": 4, "message_id": REF.message_id, "mailbox": "INBOX", "account_id": "home"}


def test_of_a_message() -> None:
    failure = FetchFailure(uid=4, code=Code.NOT_FOUND, stage="parse", message="Gone.")
    assert message_issue(REF, failure) == Issue(
        code=Code.NOT_FOUND,
        stage="parse",
        message="Gone.",
        retryable=False,
        about=ABOUT,
    )
    assert message_issue(REF, ERROR) == Issue(
        code=Code.INTERNAL,
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
