"""A page of nothing but issues is an error."""

from mailmcp.reasons import Reason
from mailmcp.tools.errors import all_failed_error
from mcp_envelope import Code, DeadlineError, Issue, NextAction


def test_all_failed_error_gives_the_first_cause_and_the_next_action() -> None:
    issue = Issue(
        code=Code.TIMEOUT,
        reason=Reason.COMMAND,
        stage="fetch",
        message="Why.",
        retryable=True,
        about={"uid": 3},
    )
    action = NextAction(instruction="Again.", tool="imap_search_messages")
    error = all_failed_error([issue], action)
    assert isinstance(error, DeadlineError)
    assert (error.reason, error.retryable, error.next_action) == (Reason.COMMAND, True, action)
    assert error.message == "Why."
