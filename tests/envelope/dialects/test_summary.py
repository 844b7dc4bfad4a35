from envelope.samples import ACTION, ERRORS, ISSUE, Shelf, meta_of
from mcp_envelope import Outcome, Page
from mcp_envelope.dialects.summary import SummaryShape

SHAPE = SummaryShape()


def test_success_to_the_letter() -> None:
    outcome = Outcome(
        summary="1 of 2 books",
        data=Shelf(books=["a"]),
        issues=(ISSUE,),
        warnings=("careful",),
        page=Page(page_size=10, total_count=2, cursor="c1"),
        next_action=ACTION,
    )
    assert SHAPE.success(outcome, meta_of(), has_status=True) == {
        "summary": "1 of 2 books",
        "data": {
            "status": "partial",
            "issues": [
                {
                    "code": "not_found",
                    "stage": "fetch",
                    "message": "It is gone.",
                    "retryable": False,
                    "row": 7,
                    "book": "Emma",
                }
            ],
            "books": ["a"],
            "next_cursor": "c1",
            "has_more": True,
            "next_action": {"instruction": "Go on.", "tool": "shelf_list", "arguments": {"cursor": "c1"}},
        },
        "meta": {
            "version": "shelf/1",
            "now_utc": "2026-11-05T09:30:00.123Z",
            "duration_ms": 12,
            "request_id": "0123456789abcdef",
            "warnings": ["careful"],
            "pagination": {"cursor": "c1", "has_more": True, "total_count": 2, "page_size": 10},
        },
    }


def test_failure_to_the_letter() -> None:
    conflict = next(error for error in ERRORS if error.code == "conflict")
    reply = SHAPE.failure(conflict, meta_of())
    assert reply["error"] == {
        "code": "conflict",
        "message": conflict.message,
        "data": {"code": "conflict"},
        "retryable": False,
        "details": {
            "reason": "uidvalidity_changed",
            "expected": 1,
            "found": 2,
        },
        "next_action": {"instruction": "Go on.", "tool": "shelf_list", "arguments": {"cursor": "c1"}},
    }
    assert set(reply) == {"error", "meta"}
