"""FETCH and SEARCH of the embedded server, over the wire and by the part of the answer."""

import base64
import quopri
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from imapclient import IMAPClient
from pymap.mime import MessageContent

from mailmcp.demo.mailbox import SampleMailbox
from mailmcp.demo.message import EmbeddedLoadedMessage, read_search_text
from mailmcp.demo.sample_account import load_sample
from mailmcp.demo.server import EmbeddedServer

SAMPLE = load_sample(datetime(2026, 11, 21, 9, 0, tzinfo=UTC))


@pytest.fixture(scope="module")
def client() -> Iterator[IMAPClient]:
    with EmbeddedServer(mailboxes=SAMPLE) as server:
        client = IMAPClient(server.host, port=server.port, ssl=False, timeout=30)
        client.login(server.user, server.password)
        yield client
        client.shutdown()


@pytest.mark.parametrize("mailbox", SAMPLE, ids=lambda mailbox: mailbox.name)
def test_every_message_is_served_as_it_is(mailbox: SampleMailbox, client: IMAPClient) -> None:
    """Broken ones, too: a server stores octets and has no opinion of them."""
    client.select_folder(mailbox.name, readonly=True)
    items = ["BODY.PEEK[]", "RFC822.SIZE", "ENVELOPE", "BODYSTRUCTURE", "INTERNALDATE", "FLAGS"]
    uids = client.search("ALL")
    rows = client.fetch(uids, items) if uids else {}
    assert [rows[uid][b"BODY[]"] for uid in uids] == [message.octets for message in mailbox.messages]
    assert [rows[uid][b"RFC822.SIZE"] for uid in uids] == [
        len(message.octets) for message in mailbox.messages
    ]


@pytest.mark.parametrize(
    "text", ["Messhöhe", "radiation shield", "設置", "калибровке", "schulgarten", "GESENDET VON NIEMANDEM"]
)
def test_text_is_found_whatever_its_encoding(text: str, client: IMAPClient) -> None:
    found = 0
    for mailbox in ("INBOX", "Sent"):
        client.select_folder(mailbox, readonly=True)
        found += len(client.search(["TEXT", text], "UTF-8"))
    assert bool(found) == (text != "GESENDET VON NIEMANDEM")


def test_date_that_never_was_is_nil_in_the_envelope(client: IMAPClient) -> None:
    client.select_folder("INBOX", readonly=True)
    (uid,) = client.search(["SUBJECT", "clock in the hall"])
    assert client.fetch([uid], ["ENVELOPE"])[uid][b"ENVELOPE"].date is None


def describe(message: str) -> str:
    content = MessageContent.parse(message.replace("\n", "\r\n").encode())
    structure = EmbeddedLoadedMessage.make_body_structure(content)
    return bytes(structure.extended).decode()


def test_size_and_lines_are_those_of_the_body() -> None:
    assert describe("Content-Type: text/html; charset=utf-8\n\n<p>\n</p>\n") == (
        '("text" "html" ("charset" "utf-8") NIL NIL "7BIT" 11 2 NIL NIL NIL NIL)'
    )


def test_disposition_is_a_list() -> None:
    described = describe('Content-Type: image/png\nContent-Disposition: inline; filename="a b.png"\n\nx\n')
    assert described.endswith('NIL ("inline" ("filename" "a b.png")) NIL NIL)')


def test_disposition_without_parameters() -> None:
    assert '("attachment" NIL)' in describe("Content-Type: image/png\nContent-Disposition: attachment\n\nx\n")


@pytest.mark.parametrize("header", ["", "Content-Disposition:\n"])
def test_no_disposition_is_nil(header: str) -> None:
    assert describe(f"Content-Type: image/png\n{header}\nx\n").endswith("3 NIL NIL NIL NIL)")


def test_file_names_of_other_alphabets_stay_extended_parameters() -> None:
    """RFC 2231: as the header has them, and as servers that do not decode pass them on."""
    described = describe(
        "Content-Type: text/csv\nContent-Disposition: attachment; filename*=utf-8''%C3%9Cber.csv\n\nx\n"
    )
    assert '("filename*" "utf-8\'\'%C3%9Cber.csv")' in described


def test_message_within_has_envelope_structure_and_lines() -> None:
    described = describe("Content-Type: message/rfc822\n\nSubject: inner\n\nhello\n")
    envelope = f'NIL "inner" {" ".join(["NIL"] * 8)}'
    inner = '("text" "plain" NIL NIL NIL "7BIT" 7 1 NIL NIL NIL NIL)'
    assert described == f'("message" "rfc822" NIL NIL NIL "7BIT" 25 ({envelope}) {inner} 3 NIL NIL NIL NIL)'


def test_parts_come_before_the_subtype() -> None:
    """The line end before a boundary counts as the part's, as in the octets pymap serves of it."""
    described = describe(
        "Content-Type: multipart/mixed; boundary=b\nContent-Disposition: inline\n\n--b\n\none\n--b\n"
        "Content-Type: application/pdf\n\ntwo\n--b--\n"
    )
    assert described == (
        '(("text" "plain" NIL NIL NIL "7BIT" 5 1 NIL NIL NIL NIL)'
        '("application" "pdf" NIL NIL NIL "7BIT" 5 NIL NIL NIL NIL)'
        ' "mixed" ("boundary" "b") ("inline" NIL) NIL NIL)'
    )


def test_multipart_without_parts_has_an_empty_one() -> None:
    """The syntax has no multipart without parts; clients would fail on pymap's."""
    assert describe("Content-Type: multipart/mixed\n\nnothing\n") == (
        '(("text" "plain" NIL NIL NIL "7BIT" 0 0 NIL NIL NIL NIL) "mixed" NIL NIL NIL NIL)'
    )


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "windows-1252"])
@pytest.mark.parametrize(
    ("cte", "encode"),
    [("base64", base64.encodebytes), ("quoted-printable", quopri.encodestring), ("8bit", bytes)],
)
def test_text_is_decoded_and_folded(cte: str, encode: Callable[[bytes], bytes], charset: str) -> None:
    encoded = encode("Die MESSHÖHE ist groß genug.".encode(charset))
    headers = f"Content-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: {cte}\r\n\r\n"
    assert "die messhöhe ist gross genug" in read_search_text(headers.encode() + encoded)


def test_headers_are_decoded() -> None:
    octets = b"Subject: =?iso-8859-1?Q?R=FCckfrage?= zur =?utf-8?B?SMO2aGU=?=\r\n\r\n"
    assert "rückfrage zur höhe" in read_search_text(octets)


def test_only_text_parts_are_read() -> None:
    part = b"Content-Type: application/octet-stream\r\n\r\nsecret\r\n"
    octets = (
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nopen\r\n--b\r\n" + part + b"--b--\r\n"
    )
    text = read_search_text(octets)
    assert "open" in text
    assert "secret" not in text


def test_unknown_and_wrong_charsets_are_read_as_far_as_they_go() -> None:
    octets = b"Content-Type: text/plain; charset=x-none\r\n\r\nplain \xff words\r\n"
    assert "words" in read_search_text(octets)


def test_broken_and_hostile_mail_is_read(now: datetime) -> None:
    for message in load_sample(now)[0].messages:
        assert read_search_text(message.octets)
