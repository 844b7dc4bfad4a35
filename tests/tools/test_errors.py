"""Issues name what is missing; a page of nothing but issues is an error."""

import pytest

from mailmcp.reasons import Reason
from mailmcp.tools.errors import all_failed_error
from mcp_envelope import Code, DeadlineError, InternalError, Issue, NextAction, NotFoundError, ToolError

NEXT = NextAction(instruction="Get the next page.", tool="imap_search_messages", arguments={"cursor": "x"})


@pytest.mark.parametrize(
    ("code", "stage", "kind", "reason"),
    [
        (Code.NOT_FOUND, "fetch", NotFoundError, Reason.MESSAGE_GONE),
        (Code.INTERNAL, "fetch", InternalError, Reason.SERVER_REFUSED),
        (Code.TIMEOUT, "fetch", DeadlineError, Reason.COMMAND),
    ],
)
def test_all_failed_error_gives_the_first_cause_and_the_next_action(
    code: Code, stage: str, kind: type[ToolError], reason: Reason
) -> None:
    issues = [
        Issue(code=code, reason=reason, stage=stage, message="Why.", retryable=True, about={"uid": uid})
        for uid in (3, 2)
    ]
    error = all_failed_error(issues, NEXT)
    assert isinstance(error, kind)
    assert error.reason is reason
    assert error.next_action == NEXT
    assert error.details["issues"] == [{"uid": 3, "message": "Why."}, {"uid": 2, "message": "Why."}]
    assert error.message == "All 2 messages failed. The first: Why."
    assert error.retryable
    assert all_failed_error(issues[:1], None).message == "Why."
