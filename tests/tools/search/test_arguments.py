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
        ({"mailboxes": ["inbox", "INBOX", "A"]}, ("INBOX", "A")),
        ({"mailboxes": "A"}, ("A",)),
        ({"mailboxes": '["A", "B"]'}, ("A", "B")),
        ({"mailboxes": None, "mailbox": "A"}, ("A",)),
        ({"mailbox": ["A", "B"]}, ("A", "B")),
        ({"mailbox": '["A", "B"]'}, ("A", "B")),
        ({"mailbox": "", "mailboxes": ["A"]}, ("A",)),
    ],
)
def test_mailboxes_are_one_or_several(raw: dict[str, Any], names: tuple[str, ...]) -> None:
    assert read(**raw).names == names


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
        ({"mailboxes": ["A\r\nB"]}, [("mailboxes", "forbidden_character")]),
        ({"before": "2026-01-01", "end_date": "2026-01-01"}, [("before", "exclusive_params")]),
        ({"last_days": 1, "since": "2026-01-01"}, [("last_days", "exclusive_params")]),
        ({"limit": 101}, [("limit", "out_of_range")]),
        ({"larger_than": -1}, [("larger_than", "out_of_range")]),
        ({"smaller_than": 2**32}, [("smaller_than", "out_of_range")]),
        ({"larger_than": "much"}, [("larger_than", "invalid_type")]),
        ({"unanswered_only": True, "answered": True}, [("unanswered_only", "exclusive_params")]),
        ({"awaiting_reply": "from_me", "group_by": "sender"}, [("awaiting_reply", "exclusive_params")]),
        ({"header_message_id": "imap:home:INBOX:1:2"}, [("header_message_id", "invalid_value")]),
        ({"keyword": "\\Seen"}, [("keyword", "invalid_value")]),
        (
            {"kind": "spam", "awaiting_reply": "me"},
            [("awaiting_reply", "invalid_value"), ("kind", "invalid_value")],
        ),
        ({"end_date": "2026-01-01T00:00:00Z"}, [("end_date", "invalid_value")]),
    ],
)
def test_contradictory_or_impossible_arguments_are_refused(
    raw: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert problems_of(**raw) == expected


def test_sizes_are_read_with_their_units() -> None:
    assert read(larger_than="1.5 MiB").model_dump()["larger_than"] == 1_572_864
    assert read(larger_than="200kB").model_dump()["larger_than"] == 200_000


@pytest.mark.parametrize(
    ("text", "said"),
    [("2026-11-05T09:30", "has no offset"), ("yesterday", "is not a date. Today is 2026-11-21 (UTC).")],
)
@pytest.mark.parametrize("name", ["since", "before", "end_date"])
def test_an_invalid_date_is_refused_with_todays_date(name: str, text: str, said: str) -> None:
    call = SimpleNamespace(today=date(2026, 11, 21), preferences=DEFAULTS)
    with pytest.raises(InvalidInputError) as caught:
        read_arguments(SearchMessagesArguments, {name: text}, context={"call": call})
    assert caught.value.message.startswith(f"{name}: {said}")
