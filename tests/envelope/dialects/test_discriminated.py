import pytest

from envelope.samples import ERRORS, Shelf, meta_of
from mcp_envelope import Outcome, Page, ToolError
from mcp_envelope.dialects.discriminated import REGISTRY, DiscriminatedShape

SHAPE = DiscriminatedShape()


def test_success_to_the_letter() -> None:
    outcome = Outcome(summary="One book", data=Shelf(books=["a"]), warnings=("careful",))
    assert SHAPE.success(outcome, meta_of(), has_status=True) == {
        "success": True,
        "data": {"summary": "One book", "status": "ok", "issues": [], "books": ["a"]},
        "warnings": [{"code": "NOTICE", "message": "careful"}],
    }


def test_no_warnings_no_key() -> None:
    assert "warnings" not in SHAPE.success(
        Outcome(summary="s", data=Shelf(books=[])), meta_of(), has_status=True
    )


CODES = [
    "VALIDATION_INVALID_TYPE",
    "VALIDATION_MISSING_PARAM",
    "VALIDATION_UNKNOWN_PARAM",
    "VALIDATION_INVALID_TYPE",
    "NOT_FOUND_RESOURCE",
    "PERMISSION_DENIED",
    "INTERNAL_ERROR",
    "NOT_FOUND_RESOURCE",
    "INTERNAL_ERROR",
    "PERMISSION_DENIED",
]


@pytest.mark.parametrize(("error", "code"), list(zip(ERRORS, CODES, strict=True)))
def test_codes_are_from_the_registry_and_ours_in_the_details(error: ToolError, code: str) -> None:
    reply = SHAPE.failure(error, meta_of())
    assert list(reply) == ["success", "error"]
    assert reply["error"]["code"] == code
    assert code in REGISTRY
    assert reply["error"]["details"]["code"] == error.code.value
    assert reply["error"]["details"]["reason"] == error.reason.value


def test_what_meta_says_in_other_dialects_is_extra_meta() -> None:
    outcome = Outcome(summary="s", data=Shelf(books=[]), page=Page(page_size=10, total_count=0))
    extra = SHAPE.extra_meta(outcome, meta_of(telemetry={"look_ups": 2}))
    assert extra["version"] == "shelf/1"
    assert extra["now_utc"] == "2026-11-05T09:30:00.123Z"
    assert extra["pagination"]["has_more"] is False
    assert extra["telemetry"] == {"look_ups": 2}


def test_details_name_what_the_registry_names() -> None:
    missing, gone, lost = ERRORS[1], ERRORS[4], ERRORS[8]
    details = [SHAPE.failure(error, meta_of())["error"]["details"] for error in (missing, gone, lost)]
    assert [each["operation"] for each in details] == ["shelf_list"] * 3
    assert details[0]["param_name"] == "message_id"
    assert (details[1]["resource_type"], details[1]["resource_id"]) == ("mailbox", "x")
    assert [each.get("request_id") for each in details] == [None, None, "0123456789abcdef"]
