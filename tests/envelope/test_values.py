from dataclasses import replace

import pytest

from envelope.samples import ACTION, ERRORS, ISSUE, Shelf, meta_of
from mcp_envelope import Outcome, Page, RateLimit, Trace
from mcp_envelope.dialects.summary import SummaryShape
from mcp_envelope.schema import compact_schema
from mcp_envelope.values import (
    data_schema,
    data_value,
    details_value,
    issue_value,
    meta_value,
    page_value,
)

spell = SummaryShape().spell


def test_an_issue_says_what_it_is_about_beside_what_it_says() -> None:
    assert issue_value(ISSUE, spell) == {
        "code": "not_found",
        "stage": "fetch",
        "message": "It is gone.",
        "retryable": False,
        "row": 7,
        "book": "Emma",
    }


@pytest.mark.parametrize("key", ["code", "reason", "stage", "message", "retryable"])
def test_what_an_issue_is_about_cannot_change_what_it_says(key: str) -> None:
    with pytest.raises(ValueError, match=key):
        replace(ISSUE, about={key: "all is well"})


def test_what_an_issue_is_about_leaves_out_what_is_unknown() -> None:
    assert "row" not in issue_value(replace(ISSUE, about={"row": None, "book": "Emma"}), spell)


def test_data_has_status_and_issues_first_and_the_next_action_last() -> None:
    page = Page(page_size=1, cursor="c")
    outcome = Outcome(summary="s", data=Shelf(books=["a"]), issues=(ISSUE,), page=page, next_action=ACTION)
    assert list(data_value(outcome, spell, has_status=True)) == [
        "status",
        "issues",
        "books",
        "next_cursor",
        "has_more",
        "next_action",
    ]


def test_data_of_a_tool_that_cannot_fail_in_part_has_no_status() -> None:
    outcome = Outcome(summary="s", data=Shelf(books=["a"], note="n"))
    assert data_value(outcome, spell, has_status=False) == {"books": ["a"], "note": "n"}


def test_meta_says_only_what_there_is_to_say() -> None:
    assert meta_value(meta_of(), Outcome(summary="s", data=Shelf(books=[]))) == {
        "version": "shelf/1",
        "now_utc": "2026-11-05T09:30:00.123Z",
        "duration_ms": 12,
        "request_id": "0123456789abcdef",
    }


def test_meta_says_all_that_the_outcome_says() -> None:
    outcome = Outcome(
        summary="s",
        data=Shelf(books=[]),
        warnings=("careful",),
        page=Page(page_size=10, total_count=150, cursor="c"),
        rate_limit=RateLimit(retry_after_s=90, limit=10),
    )
    meta = meta_of(telemetry={"look_ups": 2}, trace=Trace(trace_id="a" * 32, span_id="b" * 16))
    value = meta_value(meta, outcome)
    assert value["warnings"] == ["careful"]
    assert value["pagination"] == {"cursor": "c", "has_more": True, "total_count": 150, "page_size": 10}
    assert value["telemetry"] == {"look_ups": 2}
    assert value["rate_limit"] == {
        "limit": 10,
        "remaining": None,
        "reset_at": "2026-11-05T09:31:30Z",
        "retry_after_seconds": 90,
    }
    assert value["trace_id"] == "a" * 32


def test_a_page_says_nothing_of_a_total_that_is_unknown() -> None:
    assert page_value(Page(page_size=10)) == {"has_more": False, "page_size": 10}


def test_details_hold_what_has_no_other_place() -> None:
    conflict = next(error for error in ERRORS if error.code == "conflict")
    details = details_value(conflict)
    assert details["reason"] == "uidvalidity_changed"
    assert details["retryable"] is False
    assert details["next_action"]["tool"] == "shelf_list"
    assert (details["expected"], details["found"]) == (1, 2)


def test_the_schema_of_data_lists_what_data_value_writes() -> None:
    schema = data_schema(compact_schema(Shelf), has_status=True, pages=True)
    outcome = Outcome(
        summary="s",
        data=Shelf(books=["a"], note="n"),
        issues=(ISSUE,),
        page=Page(page_size=1, cursor="c"),
        next_action=ACTION,
    )
    assert list(schema["properties"]) == list(data_value(outcome, spell, has_status=True))
    assert schema["properties"]["status"]["enum"] == ["ok", "partial"], "a reply with nothing is an error"
    assert schema["required"] == ["status", "issues", "books", "has_more"]
    plain = data_schema(compact_schema(Shelf), has_status=False, pages=False)
    assert list(plain["properties"]) == ["books", "note", "next_action"]
