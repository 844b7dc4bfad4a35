"""Signed data under another type or name (RFC 8551 section 3.9): the text of a message, or a signed file."""

from base64 import encodebytes

import pytest

from documents.pdf_file import pdf
from mail.text.test_signed_content import element, signed
from tools.conftest import DeskFactory
from tools.files import attached, get, refused
from tools.stores import Store

HEAD = (
    "From: Ann Lee <ann@example.org>\r\nDate: Thu, 5 Nov 2026 09:30:00 +0100\r\n"
    "Subject: Berth\r\nMIME-Version: 1.0\r\n"
)
ENTITY = b"Content-Type: text/plain; charset=utf-8\r\n\r\nThe harbour opens on 7 June.\r\n"
INVOICE = b'<?xml version="1.0"?><invoice><total>1220.00</total></invoice>'
WRAPPED = "signed (S/MIME) in one piece"
ENVELOPED = bytes.fromhex("30820010" + "06092a864886f70d010703" + "a0030201000000")


def whole(content: bytes) -> bytes:
    """Make a message that consists of signed data, under a type that doesn't say so."""
    fields = (
        'Content-Type: application/octet-stream; name="smime.p7m"\r\nContent-Transfer-Encoding: base64\r\n'
        'Content-Disposition: attachment; filename="smime.p7m"\r\n\r\n'
    )
    return (HEAD + fields).encode() + encodebytes(content).replace(b"\n", b"\r\n")


def test_the_text_of_signed_data_is_read(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    dovecot_mail.fill("INBOX", [whole(signed(element(4, ENTITY)))])
    desk = open_desk(dovecot_mail.account)
    [message_id] = desk.message_ids()
    reply = desk.get(message_id)
    assert reply.data["message"]["body_text"] == "The harbour opens on 7 June."
    assert any(WRAPPED in each for each in reply.outcome.warnings)
    [row] = desk.call("imap_get_thread", {"message_id": message_id}).data["messages"]
    assert row["text"] == "The harbour opens on 7 June."
    assert "The harbour opens" in get(desk, message_id, "1").data["text"]


def test_encrypted_data_of_that_name_is_encrypted(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    dovecot_mail.fill("INBOX", [whole(ENVELOPED)])
    desk = open_desk(dovecot_mail.account)
    reply = desk.get(desk.message_ids()[0])
    assert reply.data["message"]["body_text"] == ""
    assert reply.outcome.warnings == ("The message is encrypted (S/MIME); its text can't be read here.",)


@pytest.mark.parametrize(
    ("content_type", "name", "content", "text"),
    [
        (
            "application/octet-stream",
            "FPR01.xml.p7m",
            encodebytes(signed(element(4, INVOICE))),
            INVOICE.decode(),
        ),
        (
            "application/pkcs7-mime",
            "FPR01.XML.P7M",
            b"-----BEGIN PKCS7-----\n" + encodebytes(signed(element(4, INVOICE))) + b"-----END PKCS7-----\n",
            INVOICE.decode(),
        ),
        (
            "application/pkcs7-mime",
            "list.csv.p7m.p7m",
            signed(element(4, signed(element(4, "Größe;1".encode("cp1252"))))),
            "Größe;1",
        ),
        ("application/octet-stream", "m.p7m", signed(element(4, ENTITY)), "The harbour opens on 7 June."),
    ],
)
def test_a_signed_file_is_read(
    dovecot_mail: Store, open_desk: DeskFactory, content_type: str, name: str, content: bytes, text: str
) -> None:
    dovecot_mail.fill("INBOX", [attached((name, content, content_type)).as_bytes()])
    desk = open_desk(dovecot_mail.account)
    [message_id] = desk.message_ids()
    reply = get(desk, message_id)
    assert reply.data["text"] == text
    assert "The attachment is signed; the signature was not checked." in reply.outcome.warnings
    assert desk.search(has_attachment=True).uids == [1]
    assert desk.message(message_id)["body_text"] == "Text"


def test_a_signed_document_is_drawn_and_what_is_not_signed_has_no_text(
    dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    page = ("a.pdf.p7m", signed(element(4, pdf([b"0 0 m"]))), "application/pkcs7-mime")
    letter = attached(page, ("a.xml.p7m", ENVELOPED * 20, "application/pkcs7-mime"))
    dovecot_mail.fill("INBOX", [letter.as_bytes()])
    desk = open_desk(dovecot_mail.account)
    [message_id] = desk.message_ids()
    assert get(desk, message_id, mode="image").data["width"] > 0
    assert "no readable text" in refused(desk, message_id, "3").message
