from envelope.samples import ERRORS, Shelf, meta_of
from mcp_envelope import Code, Outcome
from mcp_envelope.dialects.response_v2 import ERROR_CODES, ERROR_TYPES, ResponseV2Shape

SHAPE = ResponseV2Shape()


def test_success_to_the_letter() -> None:
    outcome = Outcome(summary="No books", data=Shelf(books=[]))
    assert SHAPE.success(outcome, meta_of(), has_status=True) == {
        "success": True,
        "data": {"summary": "No books", "status": "ok", "issues": [], "books": []},
        "error": None,
        "meta": {
            "version": "response-v2",
            "now_utc": "2026-11-05T09:30:00.123Z",
            "duration_ms": 12,
            "request_id": "0123456789abcdef",
            "warnings": [],
            "pagination": None,
            "rate_limit": None,
            "telemetry": {"duration_ms": 12},
        },
    }


def test_validation_errors_list_each_field() -> None:
    reply = SHAPE.failure(ERRORS[0], meta_of())
    assert reply["success"] is False
    assert reply["error"] == ERRORS[0].message
    assert reply["data"]["error_code"] == "VALIDATION_ERROR"
    assert reply["data"]["error_type"] == "validation"
    assert [each["field"] for each in reply["data"]["validation_errors"]] == ["limit", "form"]
    assert "problems" not in reply["data"]["details"]
    assert ERRORS[0].details["problems"], "rendering must not take the error apart"


def test_the_remedy_is_the_next_action_or_that_of_the_code() -> None:
    conflict = next(error for error in ERRORS if error.code == "conflict")
    assert SHAPE.failure(conflict, meta_of())["data"]["remediation"] == "Go on."
    deadline = next(error for error in ERRORS if error.code == "timeout")
    assert SHAPE.failure(deadline, meta_of())["data"]["remediation"].startswith("Send the same request")


def test_every_code_has_a_name_and_a_type() -> None:
    assert set(ERROR_CODES) == set(ERROR_TYPES) == set(Code)
