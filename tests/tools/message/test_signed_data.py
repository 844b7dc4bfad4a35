"""Signed data under another type or name (RFC 8551 section 3.9): the text of a message, or a signed file."""

from base64 import encodebytes

import pytest

from documents.pdf_file import pdf
from mail.text.test_signed_content import element, signed
from tools.conftest import DeskFactory
from tools.files import attached, get, refused
from tools.stores import Store

ENTITY = b"Content-Type: text/plain; charset=utf-8\r\n\r\nThe harbour opens on 7 June.\r\n"
INVOICE = b'<?xml version="1.0"?><invoice><total>1220.00</total></invoice>'
ENVELOPED = bytes.fromhex("30820010" + "06092a864886f70d010703" + "a0030201000000")


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
