from mailmcp.envelope.errors import (
    Code,
    ConflictError,
    DeadlineError,
    InvalidInputError,
    MailError,
    Problem,
    Reason,
)


def test_every_code_has_one_exception() -> None:
    codes = [leaf.code for leaf in MailError.__subclasses__()]
    assert sorted(codes) == sorted(Code)


def test_invalid_input_tells_every_problem_and_takes_the_first_ones_reason() -> None:
    error = InvalidInputError(
        [
            Problem(field="limit", reason=Reason.OUT_OF_RANGE, message="is out of range. Send 100 or less."),
            Problem(field="x", reason=Reason.UNKNOWN_PARAM, message="is not an argument of this tool."),
        ]
    )
    assert error.reason is Reason.OUT_OF_RANGE
    assert error.message == str(error)
    assert "limit: is out of range" in error.message
    assert "x: is not an argument" in error.message
    assert error.details["problems"] == [
        {"field": "limit", "reason": "out_of_range"},
        {"field": "x", "reason": "unknown_param"},
    ]


def test_a_conflict_names_both_values() -> None:
    error = ConflictError("Archive", expected=17, found=18)
    assert error.details == {"mailbox": "Archive", "expected_uidvalidity": 17, "found_uidvalidity": 18}
    assert "17" in error.message
    assert "18" in error.message
    assert not error.retryable


def test_a_deadline_may_be_met_later() -> None:
    assert DeadlineError("Too late.", reason=Reason.CONNECT).retryable


def test_details_are_a_copy() -> None:
    given = {"mailbox": "INBOX"}
    error = DeadlineError("Too late.", reason=Reason.COMMAND, details=given)
    given["mailbox"] = "other"
    assert error.details == {"mailbox": "INBOX"}
