"""Outcomes and errors of every kind, for the tests of the envelope."""

from datetime import UTC, datetime
from enum import StrEnum

from hypothesis import strategies as st
from pydantic import BaseModel

from mcp_envelope import (
    AuthFailedError,
    BaseReason,
    Code,
    ConfirmationRequired,
    ConflictError,
    DeadlineError,
    InternalError,
    InvalidInputError,
    Issue,
    Meta,
    NextAction,
    NotFoundError,
    Outcome,
    Page,
    Problem,
    RateLimit,
    Resource,
    ToolError,
    Untrusted,
)
from mcp_envelope.markdown import one_line


class Reason(StrEnum):
    """Of an invented server."""

    GONE = "gone"
    PERMISSION_DENIED = "permission_denied"


class Shelf(BaseModel):
    """Data of an invented tool."""

    books: list[str]
    note: str | None = None


NOW = datetime(2026, 11, 5, 9, 30, 0, 123456, tzinfo=UTC)
ACTION = NextAction(instruction="Go on.", tool="shelf_list", arguments={"cursor": "c1"})
ISSUE = Issue(code=Code.NOT_FOUND, stage="fetch", message="It is gone.", about={"row": 7, "book": "Emma"})
TRACE = {"trace_id": "a" * 32, "span_id": "b" * 16}

text = st.text(min_size=1, max_size=30)
shown = text.filter(lambda value: one_line(value) != "")
"""With something to read in it, as the library demands of a sentence."""

_own = text.map("shelf_".__add__)
actions = st.none() | st.builds(
    NextAction,
    instruction=shown,
    tool=text,
    arguments=st.dictionaries(text, text | st.integers() | st.booleans(), max_size=3),
)
issues = st.builds(
    Issue,
    code=st.sampled_from(Code),
    stage=text,
    message=shown,
    retryable=st.booleans(),
    reason=st.none() | st.sampled_from(BaseReason),
    about=st.dictionaries(_own, text | st.integers() | st.none(), max_size=3),
)
pages = st.builds(
    Page,
    page_size=st.integers(1, 100),
    total_count=st.none() | st.integers(0, 10**6),
    cursor=st.none() | text,
)
rate_limits = st.none() | st.builds(
    RateLimit,
    retry_after_s=st.none() | st.integers(0, 3600),
    limit=st.none() | st.integers(1, 1000),
    remaining=st.none() | st.integers(0, 1000),
)
outcomes = st.builds(
    Outcome,
    summary=shown,
    blocks=st.lists(shown | st.builds(Untrusted, label=st.just("body"), text=text), max_size=3).map(tuple),
    rate_limit=rate_limits,
    references=st.dictionaries(_own, text, max_size=2),
    data=st.builds(Shelf, books=st.lists(text, max_size=3), note=st.none() | text),
    issues=st.lists(issues, max_size=3).map(tuple),
    warnings=st.lists(text, max_size=2).map(tuple),
    page=st.none() | pages,
    next_action=actions,
)
traces = st.sampled_from([{}, TRACE])
telemetries = st.dictionaries(text, st.integers(0, 10**7) | st.booleans(), max_size=3)

_facts = {
    "message": shown,
    "reason": st.sampled_from(Reason),
    "retryable": st.booleans(),
    "details": st.dictionaries(_own, text | st.integers(), max_size=2),
    "next_action": actions,
    "resource": st.none() | st.builds(Resource, type=text, id=text),
    "rate_limit": rate_limits,
}
problems = st.builds(
    Problem,
    field=text,
    reason=st.sampled_from([each for each in BaseReason if each is not BaseReason.CONFIRMATION_REQUIRED]),
    message=shown,
)
errors: st.SearchStrategy[ToolError] = st.one_of(
    st.builds(InvalidInputError, st.lists(problems, min_size=1, max_size=3), next_action=actions),
    st.builds(ConfirmationRequired, shown, text),
    st.builds(DeadlineError, shown, reason=st.sampled_from(Reason)),
    *(st.builds(kind, **_facts) for kind in (NotFoundError, AuthFailedError, ConflictError, InternalError)),
)


def meta_of(*, telemetry: dict[str, int] | None = None, trace: dict[str, str] | None = None) -> Meta:
    """Make the meta of a reply."""
    return Meta(
        tool="shelf_list",
        version="shelf/1",
        now=NOW,
        duration_ms=12,
        request_id="0123456789abcdef",
        telemetry=telemetry or {},
        trace=trace or {},
    )
