"""Issues and errors of replies, and the next actions that go with them.

An issue names one item that is missing from a reply. A reply that would contain only issues is an error.
"""

from collections.abc import Sequence
from typing import Final

from mailmcp.imap.fetch import FetchFailure
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.names import LIST_MAILBOXES, SEARCH_MESSAGES
from mcp_envelope import (
    BaseReason,
    Code,
    ConflictError,
    DeadlineError,
    InternalError,
    Issue,
    NextAction,
    NotFoundError,
    Resource,
    ToolError,
)

_MOVED: Final = {Reason.MESSAGE_GONE, Reason.MAILBOX_MISSING}


def has_moved(error: ToolError) -> bool:
    """Return whether an error says that a message is not where its id says. It may be elsewhere."""
    return isinstance(error, ConflictError) or (isinstance(error, NotFoundError) and error.reason in _MOVED)


def about_message(ref: MessageRef) -> dict[str, object]:
    """Return what an issue about a message names."""
    return {
        "uid": ref.uid,
        "message_id": ref.message_id,
        "mailbox": ref.mailbox,
        "account_id": ref.account_id,
    }


def message_issue(ref: MessageRef, failure: ToolError | FetchFailure) -> Issue:
    """Build the issue for a message that could not be fetched."""
    return Issue(
        code=failure.code,
        reason=failure.reason,
        stage=failure.stage if isinstance(failure, FetchFailure) else "fetch",
        message=failure.message,
        retryable=failure.retryable,
        about=about_message(ref),
    )


def mailbox_issue(account_id: str, mailbox: str | None, error: ToolError) -> Issue:
    """Build the issue for a mailbox that could not be searched; for a whole account if `mailbox` is None."""
    return Issue.of(error, stage="search", mailbox=mailbox, account_id=account_id)


def fetch_error(ref: MessageRef, failure: FetchFailure) -> ToolError:
    """Build the error for a single requested message that could not be fetched."""
    details: dict[str, object] = {"message_id": ref.message_id}
    if failure.code is Code.NOT_FOUND:
        return NotFoundError(
            "The message is not in its mailbox: it was moved or deleted, or the id was not copied exactly.",
            reason=Reason.MESSAGE_GONE,
            details=details,
            resource=Resource(type="message", id=ref.message_id),
            next_action=search_again(ref),
        )
    return InternalError(failure.message, reason=failure.reason, retryable=failure.retryable, details=details)


def all_failed_error(issues: Sequence[Issue], next_action: NextAction | None) -> ToolError:
    """Build the error for a page on which every message failed."""
    first = issues[0]
    details = {"issues": [{"uid": each.about.get("uid"), "message": each.message} for each in issues]}
    message = first.message
    if len(issues) > 1:
        message = f"All {len(issues)} messages failed. The first: {message}"
    kinds: dict[Code, type[ToolError]] = {Code.NOT_FOUND: NotFoundError, Code.TIMEOUT: DeadlineError}
    return kinds.get(first.code, InternalError)(
        message,
        reason=first.reason or BaseReason.UNEXPECTED,
        retryable=first.retryable,
        details=details,
        next_action=next_action,
    )


def list_mailboxes_of(account_id: str) -> NextAction:
    """Suggest listing the mailboxes of an account."""
    return NextAction(
        instruction="List the mailboxes.", tool=LIST_MAILBOXES, arguments={"account_id": account_id}
    )


def search_again(ref: MessageRef) -> NextAction:
    """Suggest searching the mailbox of a message, newest first."""
    return NextAction(
        instruction="Search the mailbox again.",
        tool=SEARCH_MESSAGES,
        arguments={"account_id": ref.account_id, "mailbox": ref.mailbox},
    )


def search_for(account_id: str, header_message_id: str) -> NextAction:
    """Suggest searching all mailboxes for a Message-ID."""
    return NextAction(
        instruction="Search all mailboxes for the message.",
        tool=SEARCH_MESSAGES,
        arguments={"account_id": account_id, "mailbox": "*", "header_message_id": header_message_id},
    )
