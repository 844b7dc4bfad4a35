"""Piece by piece comes out what comes out at once."""

import base64
import binascii
import quopri

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.mail.mime.transfer import BROKEN_UUENCODE, decode_transfer, open_decoder

CONTENT = bytes(range(256)) * 40


def decode(octets: bytes, encoding: str, piece: int) -> tuple[bytes, tuple[str, ...]]:
    stream = open_decoder(encoding)
    pieces = [stream.feed(octets[at : at + piece]) for at in range(0, len(octets), piece)]
    return b"".join([*pieces, stream.finish()]), tuple(stream.defects)


def uuencode(content: bytes) -> bytes:
    lines = [binascii.b2a_uu(content[at : at + 45]) for at in range(0, len(content), 45)]
    return b"begin 644 file.bin\n" + b"".join(lines) + b"`\nend\n"


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 77, 78, 1000, 10**6])
@pytest.mark.parametrize(
    ("octets", "encoding"),
    [
        (base64.encodebytes(CONTENT), "base64"),
        (base64.b64encode(CONTENT), "BASE64 "),
        (quopri.encodestring(CONTENT), "quoted-printable"),
        (quopri.encodestring(CONTENT, quotetabs=True), "quoted-printable"),
        (CONTENT, ""),
        (CONTENT, "8bit"),
        (uuencode(CONTENT), "x-uuencode"),
    ],
)
def test_every_encoding_in_pieces_of_every_size(octets: bytes, encoding: str, piece: int) -> None:
    assert decode(octets, encoding, piece) == (CONTENT, ())


@given(
    octets=st.binary(min_size=1, max_size=300)
    | st.text("QUJD=+/\r\n !", min_size=1, max_size=200).map(str.encode)
    | st.text("=3DaF\r\n \t", min_size=1, max_size=200).map(str.encode),
    encoding=st.sampled_from(["base64", "quoted-printable", "7bit", "x-unknown"]),
    piece=st.integers(1, 60),
)
def test_pieces_decode_to_the_same_as_the_whole(octets: bytes, encoding: str, piece: int) -> None:
    whole = decode_transfer(octets, encoding)
    content, defects = decode(octets, encoding, piece)
    assert content == whole.octets
    assert defects == whole.defects


@pytest.mark.parametrize("piece", [1, 50, 100_000])
def test_uuencode_that_is_cut_or_has_lines_before_it(piece: int) -> None:
    encoded = uuencode(CONTENT)
    cut = encoded[: encoded.rfind(b"`\nend")]
    assert decode(b"Here it is:\n\n" + encoded + b"Bye\n", "uuencode", piece) == (CONTENT, ())
    assert decode(cut, "uuencode", piece) == (CONTENT, (BROKEN_UUENCODE,))
    assert decode(b"No file\nat all\n", "uuencode", piece) == (b"", (BROKEN_UUENCODE,))


@pytest.mark.parametrize("end", [b"", b"=", b"=4", b"=41"])
def test_a_line_without_end_is_held_in_bounded_memory(end: bytes) -> None:
    """A line of a million octets; the escape where it is cut stays whole."""
    line = b"a" * 70_000 + end + b"41" * 100_000
    stream = open_decoder("quoted-printable")
    out = stream.feed(line[: 70_000 + len(end)])
    assert len(out) >= 70_000
    out += stream.feed(line[70_000 + len(end) :]) + stream.finish()
    assert out == decode_transfer(line, "quoted-printable").octets
