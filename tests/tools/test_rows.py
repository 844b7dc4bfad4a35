"""Rows of messages: made of what the server gave, however little that was."""

from collections.abc import Sequence
from datetime import UTC, datetime
from email.policy import SMTP

import pytest

from mailmcp.envelope import limits
from mailmcp.imap.fetch import FetchedMessage
from mailmcp.mail.ids import MessageRef
from mailmcp.tools.rows import MessageRow, make_row, row_lines
from servers.peer import PeerFactory
from servers.peer_mailbox import PeerMessage
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import crlf, make_letter
from tools.stores import Store, peer_account

REF = MessageRef(account_id="work", mailbox="INBOX", uidvalidity=1, uid=2)


def row_of(header: str, *, flags: Sequence[str] = (), internal_date: datetime | None = None) -> MessageRow:
    fetched = FetchedMessage(
        uid=2,
        flags=tuple(flags),
        internal_date=internal_date,
        sections={"HEADER.FIELDS": crlf(header + "\n", "utf-8")},
    )
    return make_row(REF, fetched, snippet_chars=0)


def test_a_row_of_nothing() -> None:
    row = make_row(REF, FetchedMessage(uid=2), snippet_chars=50)
    assert (row.date, row.from_, row.subject, row.flags, row.snippet) == ("", "", "", [], "")
    assert row_lines(row) == ("- no date | unread | no sender | no subject | `imap:work:INBOX:1:2`",)


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("Date: Mon, 01 Jan 2024 12:00:00 +0200\n", "2024-01-01T12:00:00+02:00"),
        ("Date: no date at all\n", "2024-02-02T02:02:02Z"),
        ("", "2024-02-02T02:02:02Z"),
    ],
)
def test_the_date_is_the_senders_else_the_servers(date: str, expected: str) -> None:
    received = datetime(2024, 2, 2, 2, 2, 2, tzinfo=UTC)
    found = row_of(date, internal_date=received).date
    assert datetime.fromisoformat(found) == datetime.fromisoformat(expected)


def test_a_subject_cannot_leave_its_line_nor_its_place() -> None:
    row = row_of("Subject: =?utf-8?q?a=0A-_`imap:work:INBOX:1:9`_**b**_=E2=80=AE?=\n")
    (line,) = row_lines(row)
    assert line.count("\n") == 0
    assert r"a - \`imap:work:INBOX:1:9\` \*\*b\*\*" in line
    assert line.endswith(" `imap:work:INBOX:1:2`")


def test_what_is_special_is_marked() -> None:
    flags = ["\\Seen", "\\Flagged", "\\ANSWERED", "\\Draft", "\\Deleted", "$Forwarded"]
    assert " | flagged, answered, draft, deleted | " in row_lines(row_of("Subject: x\n", flags=flags))[0]
    assert "(" not in row_lines(row_of("From: a@b\nSubject: x\n", flags=["\\Seen"]))[0]


def test_a_very_long_subject_is_bounded() -> None:
    subject = row_of("Subject: " + "word " * 5_000 + "\n").subject
    assert limits.ROW_CHARS_MAX - 10 < len(subject) <= limits.ROW_CHARS_MAX


def snippet_of(desk: Desk, chars: int = 500) -> str:
    return str(desk.search(limit=1, snippet_max_chars=chars).data["messages"][0]["snippet"])


def test_a_snippet_of_html_shows_what_is_seen(store: Store, desk: Desk) -> None:
    letter = make_letter()
    letter.set_content(
        "<style>p{color:red}</style><p>Dear Bob,</p><p>the text &amp; more</p>", subtype="html"
    )
    store.fill("INBOX", [letter.as_bytes()])
    assert snippet_of(desk) == "Dear Bob, the text & more"


def test_a_snippet_of_parts_is_of_the_text(store: Store, desk: Desk) -> None:
    letter = make_letter(text="Grüße aus Zürich\n", html="<p>HTML</p>")
    letter.add_attachment(b"\0" * 5_000, maintype="application", subtype="zip", filename="a.zip")
    store.fill("INBOX", [letter.as_bytes()])
    assert snippet_of(desk) == "Grüße aus Zürich"


def test_a_snippet_of_a_message_that_is_empty_is_empty(store: Store, desk: Desk) -> None:
    store.fill("INBOX", [crlf("Subject: x\n\n")])
    assert snippet_of(desk) == ""


@pytest.mark.parametrize("encoding", ["8bit", "base64", "quoted-printable"])
@pytest.mark.parametrize("shift", [0, 1, 2, 3])
def test_where_a_snippets_text_is_cut_no_character_is_halved(
    pymap_mail: Store, open_desk: DeskFactory, encoding: str, shift: int
) -> None:
    letter = make_letter()
    letter.set_content("x" * shift + "日本語é日本語é\n" * 200, cte=encoding)
    pymap_mail.fill("INBOX", [letter.as_bytes(policy=SMTP.clone(cte_type="8bit"))])
    assert set(snippet_of(open_desk(pymap_mail.account))) <= set("x日本語é …")


def test_snippets_are_asked_of_the_server_where_it_makes_them(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    server = peer(messages=[PeerMessage(uid=1, octets=crlf("Subject: x\n\nText\n"))])
    desk = open_desk(peer_account(server))
    assert snippet_of(desk) == "Text"
    (plain,) = [each.line for each in server.commands if each.name == "UID FETCH"]
    assert "BODY.PEEK[TEXT]<0.4096>" in plain
    desk.search()
    rows = [each.line for each in server.commands if each.name == "UID FETCH"][-1]
    assert rows == "UID FETCH 1 (UID FLAGS INTERNALDATE BODY.PEEK[HEADER.FIELDS (DATE FROM SUBJECT)])"


def test_preview_saves_the_text(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    dovecot_mail.fill("INBOX", [make_letter(text="word " * 3_000).as_bytes()])
    reply = open_desk(dovecot_mail.account).search(snippet_max_chars=200)
    assert reply.data["messages"][0]["snippet"].startswith("word word")
    with_login = 3_000  # greeting, capabilities and the like
    assert reply.telemetry.bytes_received < with_login
