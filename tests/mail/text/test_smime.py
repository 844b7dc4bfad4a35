import base64

import pytest

from mail.text.test_signed_content import element, signed
from mailmcp.mail.mime.body_parts import TextParts
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.text.body import BROKEN_SIGNED_DATA, body_text
from mailmcp.mail.text.smime import open_signed

WRAPPED = Part(
    part_id="1",
    content_type="application/pkcs7-mime",
    params={"smime-type": "signed-data"},
    encoding="base64",
    disposition="attachment",
)
FOOTER = Part(part_id="2", content_type="text/plain")
BOTH = TextParts(plain=(WRAPPED, FOOTER), html=(WRAPPED, FOOTER))
ALTERNATIVE = (
    b"Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\nplain\r\n"
    b"--b\r\nContent-Type: text/html\r\n\r\n<p>rich</p>\r\n--b--\r\n"
)


def wrap(entity: bytes) -> bytes:
    return base64.b64encode(signed(element(4, entity)))


def test_the_parts_inside_take_the_place_of_the_whole() -> None:
    parts, octets = open_signed(BOTH, {"1": wrap(ALTERNATIVE), "2": b"footer"})
    assert [part.part_id for part in parts.plain] == ["1.1", "2"]
    assert [part.part_id for part in parts.html] == ["1.2", "2"]
    assert (octets["1.1"], octets["1.2"], octets["2"]) == (b"plain", b"<p>rich</p>", b"footer")
    body = body_text(BOTH, {"1": wrap(ALTERNATIVE), "2": b"footer"})
    assert (body.text, body.html, body.defects) == ("plain\n\nfooter", ("<p>rich</p>",), ())


@pytest.mark.parametrize("octets", [b"", b"AAAA", wrap(b""), wrap(b"Content-Type: image/png\r\n\r\nx")])
def test_what_cannot_be_opened_is_said(octets: bytes) -> None:
    body = body_text(BOTH, {"1": octets, "2": b"footer"})
    assert (body.text, body.defects) == ("footer", (BROKEN_SIGNED_DATA,))
