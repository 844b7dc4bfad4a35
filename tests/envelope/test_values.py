from dataclasses import replace

from envelope.samples import ACTION, ERRORS, ISSUE, NOW, Shelf, meta_of
from mcp_envelope import Meta, Outcome, Page, Trace
from mcp_envelope.schema import compact_schema
from mcp_envelope.values import (
    data_schema,
    data_value,
    details_value,
    identity_value,
    issue_value,
    meta_value,
    page_value,
)


def test_an_issue_says_what_it_is_about_beside_what_it_says() -> None:
    assert issue_value(ISSUE) == {
        "code": "not_found",
        "stage": "fetch",
        "message": "It is gone.",
        "retryable": False,
        "row": 7,
        "book": "Emma",
    }


def test_what_an_issue_is_about_cannot_change_what_it_says() -> None:
    issue = replace(ISSUE, about={"code": "all is well", "message": "None.", "row": None, "book": "Emma"})
    value = issue_value(issue)
    assert (value["code"], value["message"], value["book"]) == ("not_found", "It is gone.", "Emma")
    assert "row" not in value


def test_data_has_status_and_issues_first_and_the_next_action_last() -> None:
    outcome = Outcome(summary="s", data=Shelf(books=["a"]), issues=(ISSUE,), next_action=ACTION)
    assert list(data_value(outcome)) == ["status", "issues", "books", "next_action"]


def test_data_of_a_tool_that_asks_no_server_has_no_status() -> None:
    outcome = Outcome(summary="s", data=Shelf(books=["a"], note="n"), talked_to_server=False)
    assert data_value(outcome) == {"books": ["a"], "note": "n"}


def test_meta_says_only_what_there_is_to_say() -> None:
    assert meta_value(meta_of()) == {
        "version": "mailmcp/1",
        "now_utc": "2026-11-05T09:30:00.123Z",
        "duration_ms": 12,
        "request_id": "0123456789abcdef",
    }


def test_meta_says_all_there_is() -> None:
    meta = Meta(
        now=NOW,
        duration_ms=12,
        request_id="r",
        warnings=("careful",),
        page=Page(page_size=10, total_count=150, cursor="c"),
        telemetry={"look_ups": 2, "cache_hit": True},
        trace=Trace(trace_id="a" * 32, span_id="b" * 16),
    )
    value = meta_value(meta)
    assert value["warnings"] == ["careful"]
    assert value["pagination"] == {"cursor": "c", "has_more": True, "total_count": 150, "page_size": 10}
    assert value["telemetry"] == {"look_ups": 2, "cache_hit": True}
    assert identity_value(meta) == {"request_id": "r", "trace_id": "a" * 32, "span_id": "b" * 16}


def test_the_last_page_has_no_cursor_or_a_null_one() -> None:
    last = Page(page_size=10, total_count=3)
    assert page_value(last) == {"has_more": False, "total_count": 3, "page_size": 10}
    assert page_value(last, null_cursor=True)["cursor"] is None


def test_details_hold_what_has_no_other_place() -> None:
    conflict = next(error for error in ERRORS if error.code == "conflict")
    details = details_value(conflict)
    assert details["reason"] == "uidvalidity_changed"
    assert details["retryable"] is False
    assert details["next_action"]["tool"] == "shelf_list"
    assert (details["expected"], details["found"]) == (1, 2)


def test_the_schema_of_data_lists_what_data_value_writes() -> None:
    schema = data_schema(compact_schema(Shelf), has_status=True)
    outcome = Outcome(summary="s", data=Shelf(books=["a"], note="n"), issues=(ISSUE,), next_action=ACTION)
    assert list(schema["properties"]) == list(data_value(outcome))
    assert schema["properties"]["status"]["enum"] == ["ok", "partial"], "what is had of nothing is an error"
    assert schema["required"] == ["status", "issues", "books"]
    assert "status" not in data_schema(compact_schema(Shelf), has_status=False)["properties"]
