"""What the rules say is what is wrong, and where; that each is applied is for the checker's tests."""

from mcp_envelope import Code
from mcp_envelope.dialects import rules


def test_a_sentence_names_the_place() -> None:
    data = {"status": "ok", "issues": [{"code": "gone", "stage": "", "message": "m", "retryable": None}]}
    assert list(rules.check_data(data, tuple(Code))) == [
        "data.status must be partial if and only if there are issues",
        "data.issues[0].stage is not a non-empty string",
        f"data.issues[0].code must be one of: {', '.join(Code)}",
        "data.issues[0].retryable is not a boolean",
        "data.issues[0].retryable is null",
    ]


def test_data_without_status_counts_and_pages_breaks_none_of_their_rules() -> None:
    assert list(rules.check_data({"accounts": []}, tuple(Code))) == []


def test_what_was_returned_stands_in_one_of_the_arrays_whatever_its_name() -> None:
    issue = {"code": "not_found", "stage": "fetch", "message": "m", "retryable": False}
    data = {"status": "partial", "issues": [issue], "attempted": 3, "returned": 2, "failed": 1}
    assert list(rules.check_data(data, tuple(Code))) == []
    assert list(rules.check_data(data | {"shelves": [], "books": ["a", "b"]}, None)) == []
    assert list(rules.check_data(data | {"shelves": [], "books": ["a"]}, None)) == [
        "data has no array of data.returned items"
    ]


def test_a_flag_is_no_count() -> None:
    assert rules.is_count(0)
    assert not rules.is_count(True)  # noqa: FBT003 - the value in question
    assert not rules.is_count(1.0)


def test_unknown_keys_are_named() -> None:
    assert list(rules.check_keys({"a": 1, "b": 2}, frozenset({"a"}), "x")) == ["x has the unknown key 'b'"]
