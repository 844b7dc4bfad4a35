"""The arguments of a search: read as models write them, and refused where they contradict each other."""

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from mailmcp.tools.preferences import DEFAULTS
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mcp_envelope import InvalidInputError, read_arguments


def read(**raw: object) -> SearchMessagesArguments:
    return read_arguments(SearchMessagesArguments, raw)


def problems_of(**raw: object) -> list[tuple[str, str]]:
    with pytest.raises(InvalidInputError) as caught:
        read(**raw)
    return [(each.field, each.reason.value) for each in caught.value.problems]


NO_INBOX = "\N{LATIN SMALL LETTER DOTLESS I}nbox"
"""In capitals it is INBOX."""


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ({}, ("INBOX",)),
        ({"mailbox": ""}, ("INBOX",)),
        ({"mailbox": "inbox"}, ("INBOX",)),
        ({"mailbox": NO_INBOX}, (NO_INBOX,)),
        ({"mailbox": "*"}, ("*",)),
        ({"mailboxes": ["A", "B", "A"]}, ("A", "B")),
        ({"mailboxes": ["inbox", "INBOX", "A"]}, ("INBOX", "A")),
        ({"mailboxes": "A"}, ("A",)),
        ({"mailboxes": '["A", "B"]'}, ("A", "B")),
        ({"mailboxes": "[broken"}, ("[broken",)),
        ({"mailboxes": [1, "2"]}, ("1", "2")),
        ({"mailboxes": []}, ("INBOX",)),
        ({"mailboxes": None, "mailbox": "A"}, ("A",)),
        ({"mailbox": ["A", "B"]}, ("A", "B")),
        ({"mailbox": ["A", "B"], "mailboxes": []}, ("A", "B")),
        ({"mailbox": '["A", "B"]'}, ("A", "B")),
        ({"mailbox": "[Gmail]/All Mail"}, ("[Gmail]/All Mail",)),
        ({"mailbox": "", "mailboxes": ["A"]}, ("A",)),
    ],
)
def test_mailboxes_are_one_or_several(raw: dict[str, Any], names: tuple[str, ...]) -> None:
    assert read(**raw).names == names


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-05",
        "2026-11-05T09:30:00+01:00",
        "2026-11-05t09:30:00z",
        "2026-11-05 09:30:00Z",
        "2026-11-05T09:30Z",
        "2026-11-05T09:30:00.25-08:00",
        "",
    ],
)
def test_a_moment_is_a_date_or_a_time_with_offset(text: str) -> None:
    assert read(since=text).model_dump()["since"] == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-11-05T09:30:00", "has no offset"),
        ("2026-11-05T09:30", "has no offset"),
        ("yesterday", "neither"),
        ("2026-11-05T25:00:00Z", "neither"),
        ("2026-02-30T09:00:00Z", "neither"),
        ("2026-11-05T09:30:60Z", "neither"),
        ("2026-11-05T09:30:00+25:00", "neither"),
        ("20261105T093000Z", "neither"),
        ("2026-1-5", "neither"),
    ],
)
def test_text_that_is_no_date_or_time_is_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidInputError, match=f"before: .*{said}"):
        read(before=text)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"mailbox": "A", "mailboxes": ["B"]}, [("mailboxes", "exclusive_params")]),
        (
            {"mailbox": ["A"], "mailboxes": ["B"]},
            [("mailboxes", "exclusive_params"), ("mailbox", "invalid_type")],
        ),
        ({"mailboxes": ["A", "*"]}, [("mailboxes", "invalid_value")]),
        ({"mailboxes": ["A", ""]}, [("mailboxes", "invalid_value")]),
        ({"mailboxes": [str(number) for number in range(201)]}, [("mailboxes", "out_of_range")]),
        ({"mailboxes": [["A"]]}, [("mailboxes", "invalid_type")]),
        ({"mailboxes": {"A": 1}}, [("mailboxes", "invalid_type")]),
        ({"mailboxes": ["A\r\nB"]}, [("mailboxes", "forbidden_character")]),
        ({"mailboxes": ["A" * 2_000]}, [("mailboxes", "out_of_range")]),
        ({"before": "2026-01-01", "end_date": "2026-01-01"}, [("before", "exclusive_params")]),
        ({"last_days": 1, "since": "2026-01-01"}, [("last_days", "exclusive_params")]),
        ({"last_days": 1, "before": "2026-01-01"}, [("last_days", "exclusive_params")]),
        ({"larger_than": -1}, [("larger_than", "out_of_range")]),
        ({"smaller_than": 2**32}, [("smaller_than", "out_of_range")]),
        ({"larger_than": "1 MB"}, [("larger_than", "invalid_type")]),
        ({"larger_than": "much"}, [("larger_than", "invalid_type")]),
        ({"unanswered_only": True, "answered": True}, [("unanswered_only", "exclusive_params")]),
        ({"header_message_id": "imap:home:INBOX:1:2"}, [("header_message_id", "invalid_value")]),
        ({"keyword": "\\Seen"}, [("keyword", "invalid_value")]),
        ({"keyword": "a b"}, [("keyword", "invalid_value")]),
        ({"sort": "relevance"}, [("sort", "invalid_value")]),
        ({"flagged": "maybe"}, [("flagged", "invalid_type")]),
        ({"snippet_max_chars": 49}, [("snippet_max_chars", "out_of_range")]),
    ],
)
def test_contradictory_or_impossible_arguments_are_refused(
    raw: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert problems_of(**raw) == expected


def test_a_size_with_a_unit_is_refused_with_its_octets() -> None:
    with pytest.raises(InvalidInputError, match=r"larger_than: must be a number of octets\. Send 200000\.$"):
        read(larger_than="200kB")


@pytest.mark.parametrize(
    ("name", "send"),
    [
        ("since", "a date like that or 2026-11-05T09:30:00+01:00, or last_days."),
        ("before", "a date like that or 2026-11-05T09:30:00+01:00."),
        ("end_date", "a date like that."),
    ],
)
def test_an_invalid_date_is_refused_with_todays_date(name: str, send: str) -> None:
    call = SimpleNamespace(today=date(2026, 11, 21), preferences=DEFAULTS)
    with pytest.raises(InvalidInputError) as caught:
        read_arguments(SearchMessagesArguments, {name: "yesterday"}, context={"call": call})
    assert caught.value.message.endswith(f"Today is 2026-11-21 (UTC). Send {send}")
    with pytest.raises(InvalidInputError, match="Send YYYY-MM-DD"):
        read(**{name: "yesterday"})
