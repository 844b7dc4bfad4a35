"""UID FETCH: typed rows of messages, and a failure for each message that could not be fetched.

See RFC 9051 section 6.4.5. One bad message never spoils the others: when a FETCH fails, its messages
are fetched again in halves until the bad ones are alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Self

from mailmcp.imap.command import Command, RefusedError
from mailmcp.imap.errors import format_refusal
from mailmcp.imap.fetch_response import FetchedMessage, parse_rows
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import Code, ToolError


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchFailure:
    """Why a message could not be fetched."""

    code: Code
    reason: StrEnum
    stage: str
    message: str
    retryable: bool = False

    @classmethod
    def of(cls, error: ToolError) -> Self:
        """Build the failure of a message that had not come when the connection failed."""
        return cls(
            code=error.code,
            reason=error.reason,
            stage="fetch",
            message=error.message,
            retryable=error.retryable,
        )


GONE: Final = FetchFailure(
    code=Code.NOT_FOUND,
    reason=Reason.MESSAGE_GONE,
    stage="fetch",
    message="The message is no longer in the mailbox.",
)
"""The server sends nothing about the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """Every requested UID is in `messages` or `failures`."""

    messages: dict[int, FetchedMessage] = field(default_factory=dict)
    failures: dict[int, FetchFailure] = field(default_factory=dict)
    interrupted: bool = False
    """Whether the connection failed before everything came."""

    others: tuple[FetchedMessage, ...] = ()
    """Every message that the server sent anything about; empty unless commands were sent along."""


def fetch_messages(
    session: Session, uids: Sequence[int], items: Sequence[str], *, also: Sequence[Command] = ()
) -> Fetched:
    """Fetch `items` of messages in the open mailbox; one round trip if all goes well.

    Args:
        session: With its mailbox open.
        uids: Few enough for one command line, such as a page.
        items: Data items (RFC 9051 section 6.4.5), such as `BODY.PEEK[]<0.131072>`.
        also: FETCHes of other messages, sent in the same round trip; nothing is done if they fail.

    Raises:
        DeadlineError, InternalError: The connection failed. Refusals become failures.
    """
    if not uids:
        return Fetched()
    sequence_set = ",".join(map(str, uids)).encode()
    refusal: RefusedError | None = None
    try:
        response = session.run("FETCH", sequence_set, f"({' '.join(items)})".encode(), uid=True, also=also)
    except RefusedError as error:
        refusal, response = error, error.response  # which may have rows of the messages that are there
    rows, unreadable = parse_rows(response)
    others = tuple(rows.values()) if also else ()
    if also and unreadable:
        rows = {}  # what came of these messages may be from the other commands alone
    fetched = Fetched(messages={uid: rows[uid] for uid in uids if uid in rows}, others=others)
    missing = [uid for uid in uids if uid not in rows]
    if len(uids) == 1 or (not refusal and unreadable in {0, len(missing)}):
        fetched.failures.update(dict.fromkeys(missing, failure_of(refusal, unreadable=unreadable > 0)))
        return fetched
    middle = len(missing) // 2
    for half in (missing[:middle], missing[middle:]):
        part = fetch_messages(session, half, items)
        fetched.messages.update(part.messages)
        fetched.failures.update(part.failures)
    return fetched


def failure_of(refusal: RefusedError | None = None, *, unreadable: bool) -> FetchFailure:
    """Say why a message has no row: it can't be read, or the server refused it or has it no more."""
    if unreadable:
        return FetchFailure(
            code=Code.INTERNAL,
            reason=Reason.PROTOCOL_VIOLATION,
            stage="parse",
            message="The server's response could not be parsed.",
        )
    if refusal is None or refusal.code == "EXPUNGEISSUED":
        return GONE
    # In an open mailbox no code can mean that the mailbox is missing.
    forbidden = refusal.reason is Reason.PERMISSION_DENIED
    return FetchFailure(
        code=Code.INTERNAL,
        reason=Reason.PERMISSION_DENIED if forbidden else Reason.SERVER_REFUSED,
        stage="fetch",
        message=f"The server refused to send the message: {format_refusal(refusal)}.",
        retryable=refusal.retryable,
    )
