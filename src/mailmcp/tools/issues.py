"""Issues of a reply: what could not be had, and which message, mailbox or account it is about."""

from dataclasses import replace

from mailmcp.envelope.errors import MailError
from mailmcp.envelope.outcome import Issue
from mailmcp.imap.fetch import FetchFailure
from mailmcp.mail.handles.ids import MessageRef


def issue_about(ref: MessageRef, issue: Issue) -> Issue:
    """Say which message an issue is about."""
    about = {
        "uid": ref.uid,
        "message_id": ref.message_id,
        "mailbox": ref.mailbox,
        "account_id": ref.account_id,
    }
    return replace(issue, about=about)


def message_issue(ref: MessageRef, why: MailError | FetchFailure) -> Issue:
    """Tell of a message that could not be had."""
    return issue_about(ref, _issue(why, why.stage if isinstance(why, FetchFailure) else "fetch"))


def mailbox_issue(account_id: str, mailbox: str | None, error: MailError) -> Issue:
    """Tell of a mailbox that could not be searched; of the whole account if `mailbox` is None."""
    about = {"account_id": account_id} if mailbox is None else {"mailbox": mailbox, "account_id": account_id}
    return replace(_issue(error, "search"), about=about)


def _issue(why: MailError | FetchFailure, stage: str) -> Issue:
    return Issue(
        code=why.code,
        stage=stage,
        message=why.message,
        retryable=why.retryable,
    )
