"""Issues of a reply: what could not be had, and which message, mailbox or account it is about.

Where nothing could be had the reply is an error, and what that says is here, too.
"""

from collections.abc import Sequence
from dataclasses import replace

from mailmcp.imap.fetch import FetchFailure
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.names import LIST_MAILBOXES
from mcp_envelope import Code, InternalError, Issue, NextAction, NotFoundError, ToolError


def issue_about(ref: MessageRef, issue: Issue) -> Issue:
    """Say which message an issue is about."""
    about = {
        "uid": ref.uid,
        "message_id": ref.message_id,
        "mailbox": ref.mailbox,
        "account_id": ref.account_id,
    }
    return replace(issue, about=about)


def message_issue(ref: MessageRef, why: ToolError | FetchFailure) -> Issue:
    """Tell of a message that could not be had."""
    return issue_about(ref, _issue(why, why.stage if isinstance(why, FetchFailure) else "fetch"))


def mailbox_issue(account_id: str, mailbox: str | None, error: ToolError) -> Issue:
    """Tell of a mailbox that could not be searched; of the whole account if `mailbox` is None."""
    about = {"account_id": account_id} if mailbox is None else {"mailbox": mailbox, "account_id": account_id}
    return replace(_issue(error, "search"), about=about)


def _issue(why: ToolError | FetchFailure, stage: str) -> Issue:
    return Issue(
        code=why.code,
        reason=why.reason,
        stage=stage,
        message=why.message,
        retryable=why.retryable,
    )


def advise_listing(error: ToolError, account_id: str) -> None:
    """Give an error about a mailbox that is not there the next step: to see which ones are."""
    if error.reason is Reason.MAILBOX_MISSING:
        error.next_action = NextAction(
            instruction="List the mailboxes.",
            tool=LIST_MAILBOXES,
            arguments={"account_id": account_id},
        )


def all_failed_error(issues: Sequence[Issue], next_action: NextAction | None) -> ToolError:
    """Build the error for a reply that would hold nothing but issues: that is no partial success."""
    first = issues[0]
    details = {"issues": [{"uid": each.about.get("uid"), "message": each.message} for each in issues]}
    message = f"None of the {len(issues)} messages could be had. The first: {first.message}"
    if first.code is Code.NOT_FOUND:
        return NotFoundError(message, reason=Reason.MESSAGE_GONE, details=details, next_action=next_action)
    return InternalError(
        message,
        reason=Reason.SERVER_REFUSED if first.stage == "fetch" else Reason.PROTOCOL_VIOLATION,
        retryable=first.retryable,
        details=details,
        next_action=next_action,
    )
