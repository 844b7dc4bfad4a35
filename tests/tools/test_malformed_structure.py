"""Structures that servers get wrong: types they can't read, and lines that end where none may."""

import pytest

from mailmcp.tools.names import GET_ATTACHMENT, GET_THREAD
from servers.peer import PeerFactory
from servers.peer_mailbox import PeerMessage
from tools.conftest import DeskFactory
from tools.letters import crlf
from tools.stores import Store, peer_account

TYPES = [
    "PDF",
    "application/pdf/x",
    'application/pdf name="a.pdf"',
    '; name="a.pdf"',
    "файл/данные",
    "",
]
"""Of RFC 2045 section 5.1, none is a type and a subtype. Dovecot sends "" for what it can't read."""

FILE = """\
From: Ann Example <ann@example.org>
Subject: A file
Message-ID: <{number}@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="bb"

--bb
Content-Type: text/plain

See the file.
--bb
Content-Type: {content_type}
Content-Disposition: attachment; filename="a.pdf"
Content-Transfer-Encoding: base64

aGVsbG8gd29ybGQ=
--bb--
"""


def with_file(content_type: str, number: int = 1) -> bytes:
    return FILE.format(content_type=content_type, number=number).replace("\n", "\r\n").encode()


def test_attachments_of_unreadable_types_are_found_listed_and_fetched(
    dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    messages = [with_file(each, number) for number, each in enumerate(TYPES)]
    messages += [with_file("application / pdf", 90), with_file("application/pdf;", 91)]
    uids = dovecot_mail.fill("INBOX", messages)
    desk = open_desk(dovecot_mail.account)

    page = desk.search(has_attachment=True, limit=50)
    assert sorted(page.uids) == uids
    expected = ["application/octet-stream"] * len(TYPES) + ["application/pdf"] * 2
    for row in page.data["messages"]:
        assert [each["filename"] for each in row["attachments"]] == ["a.pdf"]
        assert row["has_attachments"]
        [file] = desk.message(row["message_id"])["attachments"]
        content_type = expected[uids.index(row["uid"])]
        assert (file["filename"], file["content_type"], file["part_id"]) == ("a.pdf", content_type, "2")
        reply = desk.call(GET_ATTACHMENT, {"message_id": row["message_id"], "part_id": "2"})
        assert reply.data["content_type"] == content_type
        assert "hello world" in reply.text


@pytest.mark.parametrize(
    "leaf",
    [
        b'("PDF" "" NIL NIL NIL "base64" 16 NIL ("attachment" ("filename" "a.pdf")) NIL NIL)',
        b'("" "" NIL NIL NIL "base64" 16 NIL ("attachment" ("filename" "a.pdf")) NIL NIL)',
        b"(NIL NIL NIL NIL NIL NIL 16 NIL NIL NIL NIL)",
        b"(NIL)",
        b"()",
    ],
)
def test_a_structure_that_is_partly_unreadable_proves_nothing(
    leaf: bytes, peer: PeerFactory, open_desk: DeskFactory
) -> None:
    text = b'("text" "plain" NIL NIL NIL "7bit" 13 1 NIL NIL NIL NIL)'
    structure = b'(%b%b "mixed" ("boundary" "bb") NIL NIL NIL)' % (text, leaf)
    server = peer(messages=[PeerMessage(uid=1, octets=with_file("PDF"), structure=structure)])
    desk = open_desk(peer_account(server))
    [row] = desk.search(has_attachment=True).data["messages"]
    if not row.get("attachments_unknown"):
        assert row["attachments"][0]["filename"] in {"a.pdf", ""}
    [file] = desk.message(row["message_id"])["attachments"]
    assert (file["filename"], file["content_type"]) == ("a.pdf", "application/octet-stream")
    reply = desk.call(GET_ATTACHMENT, {"message_id": row["message_id"], "part_id": "2"})
    assert "hello world" in reply.text


HEAD = 'Subject: x\nMIME-Version: 1.0\nContent-Type: multipart/{}; boundary="bb"\n\n--bb\n'
ALTERNATIVES = (
    HEAD.format("alternative") + "Content-Type: text\n\nPlain words.\n"
    "--bb\nContent-Type: html\n\n<p>Rich <b>words</b>.</p>\n--bb--\n"
)
UNDESCRIBED = (
    HEAD.format("mixed") + "Content-Type: text/html\n{}\n<p>At <b>9:30</b>.</p>\n"
    "--bb\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n\naGVsbG8gd29ybGQ=\n--bb--\n"
)


@pytest.mark.parametrize(
    ("octets", "text", "files"),
    [
        (ALTERNATIVES, "Plain words.", []),
        (UNDESCRIBED.format(""), "At 9:30.", ["2"]),
        (
            UNDESCRIBED.format('Content-Disposition: attachment; filename="email"\n'),
            "At 9:30.",
            ["1", "2"],
        ),
    ],
)
def test_the_text_is_shown_and_what_is_no_text_is_a_file(
    dovecot_mail: Store, open_desk: DeskFactory, octets: str, text: str, files: list[str]
) -> None:
    dovecot_mail.fill("INBOX", [crlf(octets)])
    desk = open_desk(dovecot_mail.account)
    [row] = desk.search(snippet_max_chars=100).data["messages"]
    message = desk.message(row["message_id"])
    assert (row["snippet"], message["body_text"]) == (text, text)
    for listed in (row.get("attachments", []), message["attachments"]):
        assert [each["part_id"] for each in listed] == files
    [member] = desk.call(GET_THREAD, {"message_id": row["message_id"]}).data["messages"]
    assert member["text"] == text
