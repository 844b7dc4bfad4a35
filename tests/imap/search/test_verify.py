"""What a message proves, and which data items that needs."""

from datetime import timedelta
from typing import Any

import pytest

from imap.searches import NOON
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.verify import has_attachments, is_match, merge_items, proof_items
from mailmcp.model.awaited_reply import AwaitedReply
from mailmcp.model.query import CRITERIA, SearchQuery

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
    query = SearchQuery(**criteria)
    assert is_match(query, MESSAGE) is holds
    assert proof_items(query) == items


def test_unknown_facts_count_in_favour_of_a_message() -> None:
    bare = FetchedMessage(uid=1)
    assert is_match(SearchQuery(larger_than=5, smaller_than=2, since=NOON, before=NOON), bare)
    assert not is_match(SearchQuery(subject="x"), bare)


def test_header_fields_of_rows_and_checks_share_one_section() -> None:
    row = ["UID", "FLAGS", "BODY.PEEK[HEADER.FIELDS (Date From)]", "BODY.PEEK[TEXT]<0.9>"]
    assert merge_items(row, ["FLAGS", "BODY.PEEK[HEADER.FIELDS (FROM TO)]"]) == [
        "UID",
        "FLAGS",
        "BODY.PEEK[TEXT]<0.9>",
        "BODY.PEEK[HEADER.FIELDS (DATE FROM TO)]",
    ]
    assert merge_items(["UID"], []) == ["UID"]


FIELDS = (
    b"From: =?utf-8?q?J=C3=BCrgen?= =?utf-8?q?_M=C3=BCller?= <jm@example.org>\r\n"
    b'To: "Doe, Bob" <bob@example.org>, carol@example.org\r\n'
    b"Cc: dan@example.org\r\n"
    b"Subject: =?utf-8?b?QW5nZWJvdCBmw7xy?= =?utf-8?q?_Z=C3=BCrich?=\r\n"
    b"Message-ID: <Abc.1@example.org>\r\n"
    b"List-Id: =?utf-8?q?K=C3=A4se?= <cheese.example.org>\r\n\r\n"
)


CASES: dict[str, tuple[list[Any], list[Any]]] = {
    "from_": (
        [
            *("jürgen müller", "Ju\u0308rgen", "JM@EXAMPLE", "<jm@example.org>", "<"),
            *("Jürgen Müller <jm@example.org>", "Jürgen Müller (jm@example.org)"),
        ],
        ["Jürgen <jm@example.org>", "\\", "bob"],
    ),
    "to": (["Doe, Bob <bob@example.org>", "doe, bob", "carol"], ["dan"]),
    "cc": (["dan"], ["bob"]),
    "any_address": (["dan", "müller"], ["zürich"]),
    "subject": (
        ["angebot für zürich", "für  zürich", "=?utf-8?b?QW5nZWJvdCBmw7xy?="],
        ["basel", '"Angebot"'],
    ),
    "header_message_id": (
        ["abc.1@example.org", "<abc.1@example.org>"],
        ["abc.2@example.org", "1@example.org"],
    ),
    "list_id": (["CHEESE.example", "käse"], ["wine.example"]),
    "awaiting_reply": (
        [AwaitedReply(side="from_others", own=("jm@example.org",))],
        [AwaitedReply(side="from_me", own=("dan@example.org",))],
    ),
}
"""Values by which a criterion holds for the message, and by which it doesn't."""


@pytest.mark.parametrize("name", [row.name for row in CRITERIA if row.header_fields])
def test_headers_match_a_criterion(name: str) -> None:
    message = FetchedMessage(uid=1, sections={"HEADER.FIELDS": FIELDS})
    for values, held in zip(CASES[name], (True, False), strict=True):
        assert values, "cases that hold, and cases that don't"
        for value in values:
            assert is_match(SearchQuery(**{name: value}), message) is held, value


PLAIN = (b"text", b"plain", None, None, None, b"7bit", 5, 1)
PDF = (b"application", b"pdf", (b"name", b"a.pdf"), None, None, b"base64", 500)


@pytest.mark.parametrize(
    ("structure", "found"),
    [
        (PLAIN, False),
        (PDF, True),
        ((PLAIN, PDF, b"mixed"), True),
        ((PLAIN, PLAIN, b"mixed"), False),
        (None, True),  # it may have one
        (b"nonsense", True),
        ((PLAIN, (b"", b""), b"mixed"), True),
    ],
)
def test_attachments_are_seen_in_the_structure(structure: object, *, found: bool) -> None:
    assert has_attachments(structure) is found
