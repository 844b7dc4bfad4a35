"""Rows of messages: made of what the server gave, however little that was."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from mailmcp import limits
from mailmcp.imap.rows import FetchedMessage
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.attachment_row import ROW_FILENAME_CHARS_MAX
from mailmcp.tools.columns import row_lines
from mailmcp.tools.rows import ROW_PLACES_MAX, MessageRow, build_row, id_values
from tools.desk import Desk
from tools.letters import crlf, make_letter
from tools.stores import Store

REF = MessageRef(account_id="work", mailbox="INBOX", uidvalidity=1, uid=2)


TEXT = (b"text", b"plain", None, None, None, b"7bit", 9, 1)


def row_of(header: str, *, flags: Sequence[str] = (), internal_date: datetime | None = None) -> MessageRow:
    fetched = FetchedMessage(
        uid=2,
        flags=tuple(flags),
        internal_date=internal_date,
        sections={"HEADER.FIELDS": crlf(header + "\n", "utf-8")},
        body_structure=TEXT,
    )
    return build_row(REF, fetched)


@pytest.mark.parametrize(
    ("hours", "arrived"),
    [(47, None), (-47, None), (48, "2024-03-03T12:00:00Z"), (-48, "2024-02-28T12:00:00Z")],
)
def test_a_message_that_came_days_after_it_was_written_says_so(hours: int, arrived: str | None) -> None:
    """A move, or an import: the message is sorted and found by the day it came."""
    came = datetime(2024, 3, 1, 12, tzinfo=UTC) + timedelta(hours=hours)
    row = row_of("Date: Fri, 1 Mar 2024 13:00:00 +0100", internal_date=came)
    assert row.arrived == arrived
    [line] = row_lines(row, zone=ZoneInfo("Asia/Tokyo"))
    assert line.startswith(f"- 2024-03-01 21:00{f', arrived {arrived[:10]}' if arrived else ''} | ")


def test_a_sender_who_looks_like_someone_else_is_marked() -> None:
    row = row_of("From: =?utf-8?q?P=D0=B0ypal?= <ann@example.org>\nSubject: Hello")
    assert row.suspicions == ["mixed_script_name"]
    assert "look-alike sender" in row_lines(row)[0]
    assert row_of("From: Ann <ann@example.org>, bob@example.org").suspicions is None


def test_a_row_of_an_empty_message() -> None:
    row = build_row(REF, FetchedMessage(uid=2), snippet_chars=50)
    assert (row.date, row.from_, row.subject, row.flags, row.snippet) == ("", "", "", [], "")
    assert row_lines(row) == (
        "- no date | unread | no sender: no subject | files unknown | `imap:work:INBOX:1:2`",
    )
    data = row.model_dump(exclude_none=True)
    assert id_values(REF).items() <= data.items()
    shown = {"date", "from_", "subject", "flags", "attachments_unknown", "snippet"}
    assert data.keys() - id_values(REF).keys() == shown


def test_a_flag_that_is_not_seen_whole_is_left_out() -> None:
    """Without what nobody sees, it would be another one, or two."""
    flags = ["\\Seen", "zq\u2028Warning:", "x\xa0\\Flagged", "\\Draft\u200b", "\u202e", "a\x85b", "z\xe9"]
    assert row_of("Subject: x\n", flags=flags).flags == ["\\Seen", "z\xe9"]


@pytest.mark.parametrize(
    ("sender", "column"),
    [
        ("Ann <a@x.example>", '"Ann (a@x.example)"'),
        ("Ann <a@x.example>, Bob <b@x.example>", '"Ann (a@x.example), Bob (b@x.example)"'),
        ('"a<b"@x.example', r'"\"a\<b\"@x.example"'),
        ('"a(b"@x.example', r'"\"a(b\"@x.example"'),
        ('"Ann <b@x.example>, c" <a@x.example>', r'"\"Ann \<b@x.example>, c\" (a@x.example)"'),
        ("=?utf-8?Q?A_=3C=CC=B8b=3E=CC=B8?= <q@x.example>", '"\\"A \u226eb\u226f\\" (q@x.example)"'),
    ],
)
def test_only_brackets_around_an_address_become_round(sender: str, column: str) -> None:
    (line,) = row_lines(row_of(f"From: {sender}\n"))
    assert f"| {column}: " in line


def test_a_message_id_that_is_not_seen_whole_is_none() -> None:
    for written in ("<a\u200bb@x.example>", "<a\u3164b@x.example>", f"<{'a' * 3_000}@x.example>"):
        assert row_of(f"Message-ID: {written}\n").header_message_id is None
    assert row_of("Message-ID: <a@x.example>\n").header_message_id == "a@x.example"


def test_special_flags_are_marked() -> None:
    flags = ["\\Seen", "\\Flagged", "\\ANSWERED", "\\Draft", "\\Deleted", "$Forwarded"]
    assert (
        " | flagged, answered, draft, not sent, deleted | "
        in row_lines(row_of("Subject: x\n", flags=flags))[0]
    )
    assert "(" not in row_lines(row_of("From: a@b\nSubject: x\n", flags=["\\Seen"]))[0]


MIXED = (
    (b"text", b"plain", None, None, None, b"7bit", 5, 1),
    *(
        (b"application", b"pdf", (b"name", b"%b.pdf" % name), None, None, b"base64", 9)
        for name in (b"a", b"*b*")
    ),
    b"mixed",
)


def named(row: MessageRow) -> list[tuple[str, str]]:
    return [(each.part_id, each.filename) for each in row.attachments or ()]


def test_a_row_names_its_files_and_says_how_large_it_is() -> None:
    fetched = FetchedMessage(uid=2, body_structure=MIXED, size_octets=4_200_000)
    row = build_row(REF, fetched)
    assert (row.has_attachments, row.size_bytes) == (True, 4_200_000)
    assert named(row) == [("2", "a.pdf"), ("3", "*b*.pdf")]
    assert r' | 2 files: "a.pdf" (part 2), "\*b\*.pdf" (part 3) | 4.2 MB | `imap:' in row_lines(row)[0]


def test_long_lists_of_file_names_are_cut_visibly() -> None:
    names = [b"n%d" % number + b"x" * 100 + b".pdf" for number in range(limits.ROW_FILES_MAX + 3)]
    leaves = ((b"application", b"pdf", (b"name", name), None, None, b"base64", 9) for name in names)
    row = build_row(REF, FetchedMessage(uid=2, body_structure=(*leaves, b"mixed")))
    assert max(len(name) for _, name in named(row)) <= ROW_FILENAME_CHARS_MAX
    assert [part_id for part_id, _ in named(row)] == ["1", "2", "3", "4", "5"]
    assert row.attachments_total == limits.ROW_FILES_MAX + 3
    assert '8 files: "n0' in row_lines(row)[0]
    assert "(part 5), … |" in row_lines(row)[0]


def test_no_file_name_passes_for_an_attached_message() -> None:
    named = (b"text", b"csv", (b"name", b"message inner"), None, None, b"7bit", 9, 1)
    envelope = (None, b"inner", None, None, None, None, None, None, None, None)
    message = (b"message", b"rfc822", None, None, None, b"7bit", 9, envelope, TEXT, 1)
    row = build_row(REF, FetchedMessage(uid=2, body_structure=(named, message, b"mixed")))
    assert ' | 2 files: "message inner" (part 1), message "inner" (part 2) | ' in row_lines(row)[0]


@pytest.mark.parametrize(("octets", "shown"), [(None, ""), (0, ""), (1_234, "1.2 kB"), (1_000_000, "1.0 MB")])
def test_sizes_are_shown_where_they_are_the_order(octets: int | None, shown: str) -> None:
    row = build_row(REF, FetchedMessage(uid=2, size_octets=octets, body_structure=TEXT))
    (line,) = row_lines(row, sizes=True)
    assert f"no subject | {shown + ' | ' if shown else ''}`imap:" in line


def test_copies_are_named_by_their_ids() -> None:
    others = [
        MessageRef(account_id="work", mailbox=f"Label `{number}`", uidvalidity=3, uid=number)
        for number in range(1, ROW_PLACES_MAX + 3)
    ]
    row = build_row(REF, FetchedMessage(uid=2), places=others)
    assert row.places == [*(each.message_id for each in others[:ROW_PLACES_MAX]), "…"]
    _, also = row_lines(row)
    assert also.endswith("`, …")
    assert build_row(REF, FetchedMessage(uid=2), places=others[:ROW_PLACES_MAX]).places == row.places[:-1]
    assert also.startswith(r'  also `"imap:work:Label \u00601\u0060:3:1"`, ')


@pytest.mark.parametrize("name", ["to Ann", "unread", "invitation cancelled"])
def test_no_sender_is_called_as_marks_and_recipients_are(name: str) -> None:
    assert (
        f' | "{name} (a@b.example)": no subject | `'
        in row_lines(row_of(f'From: "{name}" <a@b.example>\n'))[0]
    )
    draft = build_row(replace(REF, mailbox="Drafts"), FetchedMessage(uid=2))
    assert (draft.to, " | to nobody: " in row_lines(draft)[0]) == ("", True)


@pytest.mark.parametrize("name", ["subject", "query", "exclude"])
def test_what_a_row_shows_can_be_searched_for_as_it_stands(store: Store, desk: Desk, name: str) -> None:
    store.fill("INBOX", [make_letter("[dev] Scan_of #7 *new*").as_bytes(), make_letter("Other").as_bytes()])
    [line] = [line for line in desk.search(limit=9).text.splitlines() if "Scan" in line]
    shown = line.split('"')[3]
    assert shown == r"\[dev] Scan_of #7 \*new\*"
    found = desk.search(**{name: shown}).data["messages"]
    assert [row["subject"] for row in found] == (
        ["Other"] if name == "exclude" else ["[dev] Scan_of #7 *new*"]
    )


def test_one_file_without_a_name_is_called_by_its_type() -> None:
    structure = (b"application", b"pdf", None, None, None, b"base64", 9, None, (b"attachment", None))
    row = build_row(REF, FetchedMessage(uid=2, body_structure=structure))
    assert ' | 1 file: "application/pdf" (part 1) | ' in row_lines(row)[0]


@pytest.mark.parametrize(("method", "mark"), [(b"Reply", "invitation answered"), (b"PUBLISH", "unread")])
def test_an_answer_to_an_invitation_is_marked(method: bytes, mark: str) -> None:
    part = (b"text", b"calendar", (b"method", method), None, None, b"7bit", 100, 5)
    assert (
        f" | {mark} | no sender: " in row_lines(build_row(REF, FetchedMessage(uid=2, body_structure=part)))[0]
    )


def test_a_place_of_a_word_is_named_unless_the_row_shows_it() -> None:
    found = {"matched_in": ["subject", "from", "to", "body"], "snippet": ""}
    assert row_lines(row_of("Subject: x\n").model_copy(update=found))[-1] == "  (found in to, body)"
