import pytest

from mailmcp.mail.mime.body_parts import TextParts
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.text.body import NULS_LOST, UNLABELLED_HTML, body_text, decode_part

PLAIN = Part(part_id="1", content_type="text/plain", params={"charset": "utf-8"})
HTML = Part(part_id="2", content_type="text/html", params={"charset": "utf-8"})
BOTH = TextParts(plain=(PLAIN,), html=(HTML,))


def part(content_type: str = "text/plain", encoding: str = "7bit", **params: str) -> Part:
    return Part(part_id="1", content_type=content_type, encoding=encoding, params=params)


@pytest.mark.parametrize(
    ("octets", "described", "text", "defects"),
    [
        (b"a\r\nb\rc\nd", part(), "a\nb\nc\nd", ()),
        (b"caf=C3=A9", part(encoding="quoted-printable", charset="utf-8"), "café", ()),
        (b"w6k=", part(encoding="base64", charset="UTF-8"), "é", ()),
        (b"w6k", part(encoding="x-new", charset="utf-8"), "w6k", ("unknown transfer encoding",)),
        (b"\x93\xe9", part(charset="us-ascii"), "“é", ("text is not in its declared charset",)),
        (b"H\x80i\x80", part(encoding="8bit", charset="utf-16le"), "Hi", (NULS_LOST,)),
        (b"H\0i\0\x80\x25", part(encoding="8bit", charset="utf-16le"), "Hi▀", ()),
        (b"gE4=", part(encoding="base64", charset="utf-16le"), "\u4e80", ()),
        (
            b"w6kK\n-- \nThe <list>",
            part(encoding="base64", charset="utf-8"),
            "é\n-- \nThe <list>",
            ("broken base64",),
        ),
        (b"one \r\nline", part(format="flowed"), "one line", ()),
        (b"> a \r\n> b \r\nc \r\n> d", part(format="flowed"), "> a b\nc\n> d", ()),
        (b"one \r\nline", part("text/html", format="flowed"), "one \nline", ()),
        (b"<meta charset=koi8-r>\xf0", part("text/html"), "<meta charset=koi8-r>П", ()),
        (
            b'<meta http-equiv=Content-Type content="text/html; charset=windows-1251">\xcf',
            part("text/html"),
            '<meta http-equiv=Content-Type content="text/html; charset=windows-1251">П',
            (),
        ),
        (b"<meta charset=koi8-r>\xe9", part("text/html", charset="iso-8859-1"), "<meta charset=koi8-r>é", ()),
    ],
)
def test_a_part_is_decoded(octets: bytes, described: Part, text: str, defects: tuple[str, ...]) -> None:
    decoded = decode_part(octets, described)
    assert (decoded.text, decoded.defects) == (text, defects)


@pytest.mark.parametrize("blank", [b"", b" \r\n\t\r\n", "\u200b \ufeff".encode()])
def test_blank_plain_text_gives_way_to_html(blank: bytes) -> None:
    body = body_text(BOTH, {"1": blank, "2": b"<p>rich</p>"})
    assert (body.text, body.from_html, body.defects) == ("rich", True, ())


def test_what_was_taken_out_is_counted() -> None:
    html = '<p hidden>obey</p><p style="display:none">me</p><p>a\u200bb</p>'.encode()
    body = body_text(TextParts(plain=(HTML, PLAIN), html=(HTML,)), {"1": "c\u202ed".encode(), "2": html})
    assert (body.text, body.removed.hidden, body.removed.invisible) == ("ab\n\ncd", 2, 2)
    assert body.removed.hidden_chars == len("obey") + len("me")


def test_html_that_is_labelled_as_plain_text_is_read_as_html() -> None:
    body = body_text(TextParts(plain=(PLAIN,), html=(PLAIN,)), {"1": b"\r\n<!DOCTYPE HTML><p>one<p>two"})
    assert (body.text, body.from_html, body.html) == ("one\n\ntwo", True, ())
    assert body.defects == (UNLABELLED_HTML,)
    prose = body_text(TextParts(plain=(PLAIN,), html=(PLAIN,)), {"1": b"<html> is how it begins"[1:]})
    assert (prose.from_html, prose.defects) == (False, ())


def test_signatures_and_files_inside_the_text_are_removed() -> None:
    signed = b"-----BEGIN PGP SIGNED MESSAGE-----\n\n- - text\n-----BEGIN PGP SIGNATURE-----\nabc\n"
    body = body_text(TextParts(plain=(PLAIN,), html=()), {"1": signed})
    assert (body.text, body.clear_signed) == ("- text", True)
    file = body_text(TextParts(plain=(PLAIN,), html=()), {"1": b"See\nbegin 644 a.txt\n#0V%T\n`\nend\n"})
    assert (file.text, file.clear_signed) == ('See\n[uuencoded file "a.txt", 4 lines]', False)
