import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.mail.mime.base64_lines import decode_base64
from thinning import thin

LONG = b"The quick brown fox, twice around the harbour and back before the tide, and then once more."
RULER = b"_______________________________________________\r\n"
FOOTER = RULER + b"Harbour mailing list\r\nhttps://lists.example/harbour\r\n"


@pytest.mark.parametrize(
    "footer", [FOOTER, b"-- \r\nAnn\r\n", b"https://lists.example/\r\n", b"The list\r\nend\r\n"]
)
@pytest.mark.parametrize("text", [LONG[:-2], LONG[:-1], LONG, b"Hi", b"Hi!", b"Well"])
@pytest.mark.parametrize("padding", [True, False])
def test_a_plain_footer_is_kept_apart(text: bytes, footer: bytes, *, padding: bool) -> None:
    encoded = base64.encodebytes(text).replace(b"\n", b"\r\n")
    if not padding:
        encoded = encoded.replace(b"=", b"")
    assert decode_base64(encoded + footer) == (text, footer, True)


@pytest.mark.parametrize("word", [b"Regards", b"Best", b"Unsubscribe", b"end"])
def test_a_single_word_after_the_last_line_is_plain_text(word: bytes) -> None:
    """It has the look of base64; what comes before it has the look of an end."""
    for text in (LONG, LONG + b"!", LONG + b"!!"):
        encoded = base64.encodebytes(text)
        assert decode_base64(encoded + word) == (text, word, True)


@pytest.mark.parametrize(
    ("octets", "decoded", "after"),
    [
        (b"ecO2dMOkIHZhYW4uCg== ignored", "yötä vaan.\n".encode(), b""),
        (b"YQ==YmM=", b"abc", b""),
        (b"!VGhl*IHRleHQg\r\naXMg~d2hvbGUu\r\n", b"The text is whole.", b""),
        (b"YWJj\r\n==========\r\nlist\r\n", b"abc", b"==========\r\nlist\r\n"),
        (b"Not encoded at all.\r\nYWJj\r\n", b"Not encoded at all.\r\nYWJj\r\n", b""),
        (b"--!!--\r\nnor this\r\n", b"--!!--\r\nnor this\r\n", b""),
    ],
)
def test_damage_is_read_over_and_prose_is_not(octets: bytes, decoded: bytes, after: bytes) -> None:
    assert decode_base64(octets) == (decoded, after, True)


@pytest.mark.parametrize("width", thin([76, 4, 19, 60, 75, 990, 100_000], keep_every=4))
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r", b"  \r\n\r\n", b"\r\n  "])
@given(data=st.data())
def test_lines_of_any_width_and_line_end_are_decoded(
    width: int, line_end: bytes, data: st.DataObject
) -> None:
    content = data.draw(st.binary(max_size=400)) * (500 if width > 1000 else 1)
    encoded = base64.b64encode(content)
    lines = [encoded[at : at + width] for at in range(0, len(encoded), width)]
    assert decode_base64(line_end.join(lines)) == (content, b"", False)


def test_spaces_can_part_what_line_ends_should() -> None:
    encoded = b" ".join(base64.encodebytes(LONG * 4).split())
    assert decode_base64(encoded) == (LONG * 4, b"", False)


def test_lines_of_chunks_that_were_encoded_apart_belong_together() -> None:
    chunks = [LONG[:60] * 3, LONG[:75] * 2, LONG]
    assert decode_base64(b"".join(map(base64.encodebytes, chunks)))[:2] == (b"".join(chunks), b"")
