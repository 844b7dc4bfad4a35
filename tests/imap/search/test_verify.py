"""What a message proves, and which data items that needs."""

from datetime import timedelta
from typing import Any

import pytest

from imap.searches import NOON
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.verify import Check, make_check, merge_items
from mailmcp.model.query import SearchQuery

HEADERS = b"From: Ann <ann@example.org>\r\nTo: bob@example.org\r\nSubject: Weekly report\r\n\r\n"
MESSAGE = FetchedMessage(
    uid=1,
    flags=("\\Seen", "\\Flagged", "$Junk"),
    internal_date=NOON,
    size_octets=100,
    body_structure=(b"attachment",),
    sections={"HEADER.FIELDS": HEADERS},
)
SECOND = timedelta(seconds=1)


def make(**criteria: Any) -> Check:
    """Make a check of all that is asked."""
    return make_check(SearchQuery(**criteria))


@pytest.mark.parametrize(
    ("criteria", "holds", "items"),
    [
        ({}, True, ()),
        ({"unread_only": True}, False, ("FLAGS",)),
        ({"flagged": True}, True, ("FLAGS",)),
        ({"answered": True}, False, ("FLAGS",)),
        ({"unanswered_only": True}, True, ("FLAGS",)),
        ({"unanswered_only": True, "flagged": True}, True, ("FLAGS",)),
        ({"unanswered_only": True, "unread_only": True}, False, ("FLAGS",)),
        ({"keyword": "$junk"}, True, ("FLAGS",)),
        ({"keyword": "$other"}, False, ("FLAGS",)),
        ({"larger_than": 99}, True, ("RFC822.SIZE",)),
        ({"larger_than": 100}, False, ("RFC822.SIZE",)),
        ({"smaller_than": 101}, True, ("RFC822.SIZE",)),
        ({"smaller_than": 100}, False, ("RFC822.SIZE",)),
        ({"since": NOON}, True, ("INTERNALDATE",)),
        ({"since": NOON + SECOND}, False, ("INTERNALDATE",)),
        ({"before": NOON}, False, ("INTERNALDATE",)),
        ({"before": NOON + SECOND / 2}, True, ("INTERNALDATE",)),
        ({"from_": "ann"}, True, ("BODY.PEEK[HEADER.FIELDS (FROM)]",)),
        ({"from_": "bob"}, False, ("BODY.PEEK[HEADER.FIELDS (FROM)]",)),
        ({"any_address": "bob"}, True, ("BODY.PEEK[HEADER.FIELDS (CC FROM TO)]",)),
        ({"subject": "report", "to": "eve"}, False, ("BODY.PEEK[HEADER.FIELDS (SUBJECT TO)]",)),
        ({"query": ("weekly", "ann")}, True, ("BODY.PEEK[HEADER.FIELDS (FROM SUBJECT)]",)),
        ({"query": ("weekly", "bob")}, False, ("BODY.PEEK[HEADER.FIELDS (FROM SUBJECT)]",)),
        ({"exclude": ("weekly",)}, False, ("BODY.PEEK[HEADER.FIELDS (FROM SUBJECT)]",)),
        ({"exclude": ("monthly",)}, True, ("BODY.PEEK[HEADER.FIELDS (FROM SUBJECT)]",)),
        ({"has_attachment": True}, True, ("BODYSTRUCTURE",)),
    ],
)
def test_what_a_message_proves(criteria: dict[str, Any], items: tuple[str, ...], *, holds: bool) -> None:
    check = make(**criteria)
    assert check.holds(MESSAGE) is holds
    assert check.items == items
    assert check.is_expensive == any("BODY" in item for item in items)


def test_unknown_facts_count_in_favour_of_a_message() -> None:
    bare = FetchedMessage(uid=1)
    assert make(larger_than=5, smaller_than=2, since=NOON, before=NOON).holds(bare)
    assert not make(subject="x").holds(bare)


def test_header_fields_of_rows_and_checks_share_one_section() -> None:
    row = ["UID", "FLAGS", "BODY.PEEK[HEADER.FIELDS (Date From)]", "BODY.PEEK[TEXT]<0.9>"]
    assert merge_items(row, ["FLAGS", "BODY.PEEK[HEADER.FIELDS (FROM TO)]"]) == [
        "UID",
        "FLAGS",
        "BODY.PEEK[TEXT]<0.9>",
        "BODY.PEEK[HEADER.FIELDS (DATE FROM TO)]",
    ]
    assert merge_items(["UID"], []) == ["UID"]
