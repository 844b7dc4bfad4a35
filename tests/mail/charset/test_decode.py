from encodings.aliases import aliases
from random import Random

import pytest

from mailmcp.mail.charset.decode import UNKNOWN_CHARSET, WRONG_CHARSET, decode_text
from thinning import thin


@pytest.mark.parametrize(
    ("octets", "charset", "text", "defects"),
    [
        (b"plain", "us-ascii", "plain", ()),
        (b"caf\xc3\xa9", "UTF-8", "café", ()),
        (b"\xef\xbb\xbfhi", "utf-8", "hi", ()),
        (b"caf\xc3\xa9", "us-ascii", "café", (WRONG_CHARSET,)),
        (b"\x93x\x94", "iso-8859-1", "“x”", (WRONG_CHARSET,)),
        (b"caf\xe9", "iso-8859-1", "café", ()),
        ("会議".encode("iso-2022-jp"), "ISO-2022-JP", "会議", ()),
        ("Привет".encode("koi8-r"), "koi8-r", "Привет", ()),
        ("é".encode("utf-16"), "utf-16", "é", ()),
        (
            "\ufeff<p hidden>é".encode("utf-16-le"),
            "windows-1252",
            "<p hidden>é",
            (f"{WRONG_CHARSET} (read as utf-16)",),
        ),
        (b"x", "", "x", ()),
        ("é".encode(), "", "é", ()),
        (b"eA==", "base64", "eA==", (UNKNOWN_CHARSET,)),
        ("Grüße".encode(), "iso-8859-1", "Grüße", (WRONG_CHARSET,)),
        ("会議".encode("iso-2022-jp"), "us-ascii", "会議", (f"{WRONG_CHARSET} (read as iso-2022-jp)",)),
        (b"a\x1b$B\x1b(Bb", "", "a\x1b$B\x1b(Bb", ()),
        ("Привет всем".encode("koi8-r"), "us-ascii", "Привет всем", (WRONG_CHARSET,)),
        ("Привет всем".encode("koi8-r"), "x-klingon", "Привет всем", (UNKNOWN_CHARSET,)),
        (b"xn--a", "idna", "xn--a", (UNKNOWN_CHARSET,)),
        (b"\x1b$B-!-j\x1b(B", "", "①㈱", ()),
        (b"\xa4\xa4\xa4\xff\xa4\xe5", "big5", "中\ufffd文", (WRONG_CHARSET,)),
        (b"x", "no such\x00thing", "x", (UNKNOWN_CHARSET,)),
        (b"x", "a" * 100, "x", (UNKNOWN_CHARSET,)),
    ],
)
def test_text_is_read_in_the_charset_it_is_really_in(
    octets: bytes, charset: str, text: str, defects: tuple[str, ...]
) -> None:
    decoded = decode_text(octets, charset)
    assert (decoded.text, decoded.defects) == (text, defects)


@pytest.mark.parametrize("name", thin(sorted({*aliases, *aliases.values()}), keep_every=8))
def test_no_codec_raises(name: str) -> None:
    """Some of Python's codecs raise for what others replace; what is lost is always said."""
    random = Random(name)  # noqa: S311 - it must repeat
    for length in range(60):
        decoded = decode_text(random.randbytes(length), name)
        assert decoded.defects or "\ufffd" not in decoded.text


def test_a_cut_character_does_not_lose_the_declared_charset() -> None:
    """The first octets of a part end anywhere."""
    decoded = decode_text("予定です".encode()[:-1], "utf-8")
    assert decoded.text == "予定で\ufffd"


@pytest.mark.parametrize("charset", ["utf-7", "utf-16-le", "utf-8"])
def test_lone_surrogates_never_come_out(charset: str) -> None:
    """A reply with one of them could not be encoded."""
    text = decode_text(b"+2AA-\x00\xd8 \xed\xa0\x80 ", charset).text
    assert text.encode("utf-8").decode("utf-8") == text
