"""Issues of a reply: what could not be had, and which message, mailbox or account it is about."""

from dataclasses import replace

from mailmcp.envelope.errors import MailError
from mailmcp.envelope.outcome import Issue
from mailmcp.imap.fetch import FetchFailure
from mailmcp.mail.handles.ids import MessageRef


def issue_about(ref: MessageRef, issue: Issue) -> Issue:
    """Say which message an issue is about."""
    return replace(
        issue, uid=ref.uid, message_id=ref.message_id, mailbox=ref.mailbox, account_id=ref.account_id
    )


def message_issue(ref: MessageRef, why: MailError | FetchFailure, *, stage: str = "fetch") -> Issue:
    """Tell of a message that could not be had; `stage` where the failure does not say it."""
    return issue_about(ref, _issue(why, stage))


def mailbox_issue(account_id: str, mailbox: str | None, error: MailError, *, stage: str = "search") -> Issue:
    """Tell of a mailbox that could not be looked at; of the whole account if `mailbox` is None."""
    return replace(_issue(error, stage), mailbox=mailbox, account_id=account_id)


def _issue(why: MailError | FetchFailure, stage: str) -> Issue:
    return Issue(
        code=why.code,
        stage=why.stage if isinstance(why, FetchFailure) else stage,
        message=why.message,
        retryable=why.retryable,
    )
