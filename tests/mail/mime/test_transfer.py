import binascii

import pytest

from mailmcp.mail.mime.transfer import BROKEN_BASE64, BROKEN_UUENCODE, UNKNOWN_ENCODING, decode_transfer

TEXT = b"The quick brown fox, twice around the harbour and back before the tide."


def uuencoded(octets: bytes) -> bytes:
    lines = [binascii.b2a_uu(octets[at : at + 45]) for at in range(0, len(octets), 45)]
    return b"begin 644 fox.txt\n" + b"".join(lines) + b"`\nend\n"


@pytest.mark.parametrize(
    ("octets", "encoding", "decoded", "defects"),
    [
        (b"as =3D is", "7bit", b"as =3D is", ()),
        (b"a=3Db =\r\nc=E9", "quoted-printable", b"a=b c\xe9", ()),
        (b"YWI", "base64", b"ab", ()),
        (b"YW!Jj", "base64", b"abc", (BROKEN_BASE64,)),
        (b"YQ==\r\nJust words and words\r\n", "base64", b"a", (BROKEN_BASE64,)),
        (b"text", "x-rot13", b"text", (UNKNOWN_ENCODING,)),
        (uuencoded(TEXT)[:60], "uuencode", TEXT[:30], (BROKEN_UUENCODE,)),
        (b"no begin line", "x-uue", b"no begin line", (BROKEN_UUENCODE,)),
        (b"begin 644 x\n\xff\xff\n", "x-uue", b"", (BROKEN_UUENCODE,)),
    ],
)
def test_content_is_decoded_as_far_as_it_goes(
    octets: bytes, encoding: str, decoded: bytes, defects: tuple[str, ...]
) -> None:
    result = decode_transfer(octets, encoding)
    assert (result.octets, result.defects) == (decoded, defects)
