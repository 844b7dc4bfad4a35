import pytest

from envelope.samples import ERRORS, Shelf, meta_of
from mailmcp.envelope.dialects.discriminated import REGISTRY, DiscriminatedShape
from mailmcp.envelope.errors import MailError
from mailmcp.envelope.outcome import Outcome, Page

SHAPE = DiscriminatedShape()


def test_success_to_the_letter() -> None:
    outcome = Outcome(summary="One book", data=Shelf(books=["a"]), warnings=("careful",))
    assert SHAPE.success(outcome, meta_of(outcome)) == {
        "success": True,
        "data": {"summary": "One book", "status": "ok", "issues": [], "books": ["a"]},
        "warnings": [{"code": "NOTICE", "message": "careful"}],
    }


def test_no_warnings_no_key() -> None:
    assert "warnings" not in SHAPE.success(Outcome(summary="s", data=Shelf(books=[])), meta_of())


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
def test_codes_are_from_the_registry_and_ours_in_the_details(error: MailError, code: str) -> None:
    reply = SHAPE.failure(error, meta_of())
    assert list(reply) == ["success", "error"]
    assert reply["error"]["code"] == code
    assert code in REGISTRY
    assert reply["error"]["details"]["code"] == error.code.value
    assert reply["error"]["details"]["reason"] == error.reason.value


def test_what_meta_says_elsewhere_stands_beside() -> None:
    outcome = Outcome(summary="s", data=Shelf(books=[]), page=Page(page_size=10, total_count=0))
    beside = SHAPE.meta_beside(meta_of(outcome, telemetry={"look_ups": 2}))
    assert beside["version"] == "mailmcp/1"
    assert beside["now_utc"] == "2026-11-05T09:30:00.123Z"
    assert beside["pagination"]["has_more"] is False
    assert beside["telemetry"] == {"look_ups": 2}
