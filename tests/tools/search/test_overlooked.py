"""What a server overlooks is found, or the reply says neither "complete" nor "No messages matched"."""

from collections.abc import Mapping

import pytest

from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import Store

HEAD = b"From: Ann Lee <ann@example.org>\r\nDate: Thu, 5 Nov 2026 09:30:00 +0100\r\nMIME-Version: 1.0\r\n"


def encoded(encoding: str, octets: bytes, content_type: str = "text/plain; charset=utf-8") -> bytes:
    fields = f"Subject: x\r\nContent-Type: {content_type}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
    return HEAD + fields.encode() + octets + b"\r\n"


def subject(octets: bytes) -> bytes:
    return HEAD + b"Subject: " + octets + b"\r\n\r\nText\r\n"


def attached(disposition: bytes) -> bytes:
    part = b"--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; " + disposition
    fields = b'Subject: x\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\nText\r\n'
    return HEAD + fields + part + b"\r\nContent-Transfer-Encoding: base64\r\n\r\nQUJD\r\n--b--\r\n"


@pytest.mark.parametrize(
    ("octets", "criteria"),
    [
        (encoded("7-bit", b"the needle"), {"query": "needle"}),
        (encoded("8bits", b"the needle"), {"body": "needle"}),
        (encoded("text/html", b"the needle"), {"query": "needle"}),
        (encoded("quoted printable", b"the needle"), {"query": "needle"}),
        (encoded("8bit", "Frösche".encode("latin-1"), "text/plain"), {"query": "Frösche"}),
        (encoded("base64", b"bm5lZWRsZQ==", "application/json"), {"query": "needle"}),
        (attached(b'filename*0="Continued-Long"; filename*1="Name-Here.pdf"'), {"query": "LongName"}),
        (attached(b"filename*=iso-8859-1''HasenundFr%F6sche.pdf"), {"query": "Hasenundfrösche"}),
        (subject("Frösche im Hafen".encode("latin-1")), {"subject": "Frösche"}),
        (subject(b"=?x-unknown?Q?the_needle?="), {"subject": "needle"}),
        (subject(b"x").replace(b"Ann", b"J\xf6rg"), {"from_": "Jörg"}),
        (subject(b"x").replace(b"Ann", b"J\xf6rg"), {"any_address": "Jörg"}),
    ],
)
def test_what_the_server_overlooks_is_not_said_to_be_absent(
    store: Store, desk: Desk, octets: bytes, criteria: Mapping[str, object]
) -> None:
    store.fill("INBOX", [octets, make_letter("Größe").as_bytes()])
    reply = desk.search(**criteria)
    coverage, summary = reply.data["coverage"], reply.outcome.summary
    assert reply.data["total"] == 1 or not (coverage["complete"] or summary.startswith("No messages matched"))
    if not reply.data["total"]:
        said = "may miss words" in summary, "not everything could be searched" in summary
        assert said.count(True) == 1
        assert "may miss words" in coverage["method"] or "can't be relied on" in coverage["method"]


@pytest.mark.parametrize(
    "criteria",
    [
        {"flagged": True},
        {"since": "2100-01-01"},
        {"larger_than": 10_000_000},
        {"has_attachment": True},
        {"header_message_id": "<nothing@example.org>"},
        {"exclude": "text"},
    ],
    ids=str,
)
def test_what_needs_no_words_is_proven_to_be_absent(
    store: Store, desk: Desk, criteria: Mapping[str, object]
) -> None:
    letter = make_letter("Harbour", "A text of several words.\n")
    letter["Message-ID"] = "<one@example.org>"
    store.fill("INBOX", [letter.as_bytes()] * 3)
    reply = desk.search(**criteria)
    assert reply.data["total"] == 0
    assert reply.data["coverage"]["complete"]
    assert reply.outcome.summary.startswith("No messages matched")
