import json
from enum import StrEnum

import pytest

from envelope.samples import Reason, meta_of
from mcp_envelope import (
    BaseReason,
    Code,
    ConflictError,
    DeadlineError,
    Dialect,
    InvalidInputError,
    NextAction,
    Problem,
    ToolError,
    check_reply,
)
from mcp_envelope.dialects.registry import shape_of
from mcp_envelope.text import render_error


def test_every_code_has_one_exception() -> None:
    codes = [leaf.code for leaf in ToolError.__subclasses__()]
    assert sorted(codes) == sorted(Code)


def test_invalid_input_tells_every_problem_and_takes_the_first_ones_reason() -> None:
    error = InvalidInputError(
        [
            Problem(
                field="limit", reason=BaseReason.OUT_OF_RANGE, message="is out of range. Send 100 or less."
            ),
            Problem(field="x", reason=BaseReason.UNKNOWN_PARAM, message="is not an argument of this tool."),
        ]
    )
    assert error.reason is BaseReason.OUT_OF_RANGE
    assert error.message == str(error)
    assert "limit: is out of range" in error.message
    assert "x: is not an argument" in error.message
    assert error.details["problems"] == [
        {"field": "limit", "reason": "out_of_range"},
        {"field": "x", "reason": "unknown_param"},
    ]


class Why(StrEnum):
    """Of another domain than ours."""

    OTHER_EDITION = "other_edition"


@pytest.mark.parametrize("dialect", Dialect)
def test_a_server_of_another_domain_has_reasons_of_its_own(dialect: Dialect) -> None:
    error = ConflictError("The shelf was sorted anew.", reason=Why.OTHER_EDITION, details={"shelf": 3})
    assert not error.retryable
    reply = shape_of(dialect).failure(error, meta_of())
    assert check_reply(reply, dialect) == []
    assert '"reason": "other_edition"' in json.dumps(reply)
    assert "(other_edition): The shelf" in render_error(error, "conflict")


def test_a_deadline_may_be_met_later() -> None:
    assert DeadlineError("Too late.", reason=Reason.COMMAND).retryable


def test_details_are_a_copy() -> None:
    given = {"mailbox": "INBOX"}
    error = DeadlineError("Too late.", reason=Reason.COMMAND, details=given)
    given["mailbox"] = "other"
    assert error.details == {"mailbox": "INBOX"}


def test_replace_builds_another_error_and_leaves_the_first_alone() -> None:
    error = DeadlineError("Too late.", reason=Reason.COMMAND, details={"mailbox": "INBOX"})
    action = NextAction(instruction="Search again.", tool="search")
    other = error.replace(message="Too late again.", details={"uid": 4}, next_action=action)
    assert isinstance(other, DeadlineError)
    assert (other.message, str(other), other.details) == ("Too late again.", "Too late again.", {"uid": 4})
    assert (other.next_action, other.reason, other.retryable) == (action, Reason.COMMAND, True)
    assert (error.message, error.details, error.next_action) == ("Too late.", {"mailbox": "INBOX"}, None)
    assert other.replace().next_action == action
