import pytest

from mailmcp.mail.mime.structure import Part
from mailmcp.mail.text.body import NULS_LOST, decode_part

PLAIN = Part(part_id="1", content_type="text/plain", params={"charset": "utf-8"})
HTML = Part(part_id="2", content_type="text/html", params={"charset": "utf-8"})


def part(content_type: str = "text/plain", encoding: str = "7bit", **params: str) -> Part:
    return Part(part_id="1", content_type=content_type, encoding=encoding, params=params)


@pytest.mark.parametrize(
    ("octets", "described", "text", "defects"),
    [
        (b"a\r\nb\rc\nd", part(), "a\nb\nc\nd", ()),
        (b"caf=C3=A9", part(encoding="quoted-printable", charset="utf-8"), "café", ()),
        (b"w6k", part(encoding="x-new", charset="utf-8"), "w6k", ("unknown transfer encoding",)),
        (b"H\x80i\x80", part(encoding="8bit", charset="utf-16le"), "Hi", (NULS_LOST,)),
        (b"H\0i\0\x80\x25", part(encoding="8bit", charset="utf-16le"), "Hi▀", ()),
        (b"> a \r\n> b \r\nc \r\n> d", part(format="flowed"), "> a b\nc\n> d", ()),
        (b"<meta charset=koi8-r>\xf0", part("text/html"), "<meta charset=koi8-r>П", ()),
        (b"<meta charset=koi8-r>\xe9", part("text/html", charset="iso-8859-1"), "<meta charset=koi8-r>é", ()),
    ],
)
def test_a_part_is_decoded(octets: bytes, described: Part, text: str, defects: tuple[str, ...]) -> None:
    decoded = decode_part(octets, described)
    assert (decoded.text, decoded.defects) == (text, defects)
