"""Outcomes and errors of every kind, for the tests of the envelope."""

from datetime import UTC, datetime

from hypothesis import strategies as st
from pydantic import BaseModel

from mailmcp.envelope.errors import (
    AuthFailedError,
    Code,
    ConflictError,
    DeadlineError,
    InternalError,
    InvalidInputError,
    MailError,
    NextAction,
    NotFoundError,
    Problem,
    Reason,
)
from mailmcp.envelope.meta import Meta, Trace
from mailmcp.envelope.outcome import Issue, Outcome, Page


class Shelf(BaseModel):
    """Data of an invented tool."""

    books: list[str]
    note: str | None = None


NOW = datetime(2026, 11, 5, 9, 30, 0, 123456, tzinfo=UTC)
ACTION = NextAction(instruction="Go on.", tool="shelf_list", arguments={"cursor": "c1"})
ISSUE = Issue(code=Code.NOT_FOUND, stage="fetch", message="It is gone.", about={"row": 7, "book": "Emma"})
"""About a thing of another domain than ours: the envelope knows of none."""

text = st.text(min_size=1, max_size=30)
actions = st.none() | st.builds(
    NextAction,
    instruction=text,
    tool=text,
    arguments=st.dictionaries(text, text | st.integers() | st.booleans(), max_size=3),
)
issues = st.builds(
    Issue,
    code=st.sampled_from(Code),
    stage=text,
    message=text,
    retryable=st.booleans(),
    about=st.dictionaries(text, text | st.integers(), max_size=3),
)
pages = st.builds(
    Page, page_size=st.integers(1, 100), total_count=st.integers(0, 10**6), cursor=st.none() | text
)
outcomes = st.builds(
    Outcome,
    summary=text,
    data=st.builds(Shelf, books=st.lists(text, max_size=3), note=st.none() | text),
    issues=st.lists(issues, max_size=3).map(tuple),
    warnings=st.lists(text, max_size=2).map(tuple),
    page=st.none() | pages,
    next_action=actions,
)
traces = st.none() | st.just(Trace(trace_id="a" * 32, span_id="b" * 16))
telemetries = st.none() | st.dictionaries(text, st.integers(0, 10**7) | st.booleans(), max_size=3)


def meta_of(outcome: Outcome[Shelf] | None = None, *, telemetry: dict[str, int] | None = None) -> Meta:
    """Make the meta of a reply."""
    return Meta(
        now=NOW,
        duration_ms=12,
        request_id="0123456789abcdef",
        warnings=outcome.warnings if outcome else (),
        page=outcome.page if outcome else None,
        telemetry=telemetry,
    )


ERRORS: tuple[MailError, ...] = (
    InvalidInputError(
        [
            Problem(field="limit", reason=Reason.OUT_OF_RANGE, message="is out of range. Send 100 or less."),
            Problem(field="form", reason=Reason.UNKNOWN_PARAM, message="is not an argument of this tool."),
        ]
    ),
    InvalidInputError.of("message_id", Reason.MISSING_PARAM, "is missing. Send it."),
    InvalidInputError.of("form", Reason.UNKNOWN_PARAM, "is not an argument of this tool."),
    InvalidInputError.of("cursor", Reason.CURSOR_MALFORMED, "is not a cursor.", next_action=ACTION),
    NotFoundError("There is no such mailbox.", reason=Reason.MAILBOX_MISSING, details={"mailbox": "x"}),
    AuthFailedError("Login refused.", reason=Reason.BACKING_OFF, details={"retry_after_seconds": 55}),
    DeadlineError("Too late.", reason=Reason.COMMAND),
    ConflictError(
        "The shelf was sorted anew.",
        reason=Reason.UIDVALIDITY_CHANGED,
        details={"expected": 1, "found": 2},
        next_action=ACTION,
    ),
    InternalError("The connection was lost.", reason=Reason.CONNECTION_LOST, retryable=True),
    InternalError("The shelf is locked.", reason=Reason.PERMISSION_DENIED),
)
