"""Whether the text says what the structured content says."""

import json
from typing import Any

import pytest

from mcp_envelope.markdown import code, code_json, quote
from mcp_envelope.probe.agreement import missing_texts

REPLY: dict[str, Any] = {
    "summary": "1 of 2 books",
    "data": {
        "status": "partial",
        "books": [{"id": "B-1", "title": "A `b`_c* \n d", "pages": 7}],
        "issues": [{"code": "lost", "stage": "shelf", "message": "It is gone."}],
    },
    "meta": {"request_id": "r", "warnings": ["Careful."]},
}
TEXT = "1 of 2 books\n\n- `B-1` A \\`b\\`_c\\* d\n\nNot complete:\n- It is gone.\n\nWarning: Careful."


@pytest.mark.parametrize(
    ("left_out", "path"),
    [
        ("1 of 2 books", "summary"),
        ("B-1", "data.books[].id"),
        ("\\`b\\`", "data.books[].title"),
        ("gone", "data.issues[].message"),
        ("Careful", "meta.warnings[]"),
    ],
)
def test_what_is_not_in_the_text_is_named(left_out: str, path: str) -> None:
    assert missing_texts(REPLY, TEXT) == []
    assert missing_texts(REPLY, TEXT.replace(left_out, "")) == [path]


@pytest.mark.parametrize("text", [json.dumps(REPLY), json.dumps(REPLY, ensure_ascii=False, indent=2)])
def test_the_same_as_json_says_everything(text: str) -> None:
    assert missing_texts(REPLY, text) == []


@pytest.mark.parametrize(
    "value",
    [
        "a`b",
        'a"b',
        "a\\b",
        "a\nb",
        "a\tb",
        "&lt; <b> *c* _d_",
        "a\u202eb\u200bc",
        "日本語",
        " a  b ",
        "\ud800",
    ],
)
def test_what_the_library_writes_is_recognised(value: str) -> None:
    for text in (code(value), quote(value), code_json({"key": value}), json.dumps({"key": value})):
        assert missing_texts({"data": value}, f"It is {text}.") == []


@pytest.mark.parametrize(
    ("failure", "path"),
    [
        ({"error": {"code": "not_found", "message": "No book."}, "meta": {}}, "error.message"),
        ({"success": False, "data": {"error_code": "NOT_FOUND"}, "error": "No book.", "meta": {}}, "error"),
    ],
)
def test_of_a_failure_the_message_counts(failure: dict[str, Any], path: str) -> None:
    assert missing_texts(failure, "Error `not_found`: No book.") == []
    assert missing_texts(failure, "It failed.") == [path]


def test_depth_and_number_are_no_danger() -> None:
    deep: Any = "x"
    for _ in range(10_000):
        deep = [deep]
    assert len(missing_texts({"data": deep}, "")) == 1
    assert len(missing_texts({"data": {str(number): "x" for number in range(5_000)}}, "")) == 1_000
