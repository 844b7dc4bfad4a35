import pytest

from mailmcp.mail.text.smime import signed_content
from steps import assert_linear

SIGNED_DATA = bytes.fromhex("06092a864886f70d010702")
DATA = bytes.fromhex("06092a864886f70d010701")
VERSION = b"\x02\x01\x01"
DIGESTS = b"\x31\x02\x30\x00"


def element(tag: int, content: bytes) -> bytes:
    length = len(content)
    if length < 128:
        return bytes([tag, length]) + content
    octets = (length.bit_length() + 7) // 8
    return bytes([tag, 0x80 + octets]) + length.to_bytes(octets) + content


def endless(tag: int, content: bytes) -> bytes:
    return bytes([tag, 0x80]) + content + b"\0\0"


def signed(octet_string: bytes, *, oid: bytes = SIGNED_DATA, digests: bytes = DIGESTS) -> bytes:
    inner = element(0x30, DATA + element(0xA0, octet_string))
    return element(0x30, oid + element(0xA0, element(0x30, VERSION + digests + inner)))


@pytest.mark.parametrize(
    ("octets", "content"),
    [
        (signed(element(4, b"text")), b"text"),
        (signed(element(4, b"t" * 130)), b"t" * 130),
        (signed(element(0x24, element(4, b"te") + element(4, b"xt"))), b"text"),
        (signed(element(0x24, element(4, b"te") + element(4, b"xt")))[:-3], b"te"),
    ],
)
def test_the_content_is_returned(octets: bytes, content: bytes) -> None:
    assert signed_content(octets) == content


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"\x30",
        b"not BER at all",
        signed(element(4, b"text"), oid=DATA),
        signed(element(4, b"text"), digests=VERSION),
        element(0x30, SIGNED_DATA),
    ],
)
def test_where_there_is_none_it_is_empty(octets: bytes) -> None:
    assert signed_content(octets) == b""


def test_time_is_linear_in_pieces() -> None:
    def join(count: int) -> None:
        assert signed_content(signed(endless(0x24, element(4, b"x") * count))) == b"x" * count

    assert_linear(join, size=500, large=100_000)
