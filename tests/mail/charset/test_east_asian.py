"""Every row of the indexes of the WHATWG Encoding Standard, and its rules for what is damaged."""

from collections.abc import Iterable
from hashlib import sha256
from itertools import product

import pytest

from mailmcp.mail.charset.east_asian import find_decoder

JIS = range(0x21, 0x7F)
EUC = range(0xA1, 0xFF)
PAIRS = {
    "big5": (range(0x81, 0xFF), (*range(0x40, 0x7F), *EUC)),
    "euc_kr": (range(0x81, 0xFF), range(0x41, 0xFF)),
    "gb18030": (range(0x81, 0xFF), (*range(0x40, 0x7F), *range(0x80, 0xFF))),
    "shift_jis": ((*range(0x81, 0xA0), *range(0xE0, 0xFD)), (*range(0x40, 0x7F), *range(0x80, 0xFD))),
}
"""Leads and trails, in the order of the standard's pointers."""


def decode(octets: bytes, codec: str) -> str:
    decoder = find_decoder(codec)
    assert decoder is not None
    return decoder(octets)


def rows(codec: str, *octets: Iterable[int], around: bytes = b"%b") -> list[int | None]:
    """Decode what stands at each pointer; None where that is no character, or two, or a user's own."""
    texts = [decode(around % bytes(each), codec) for each in product(*octets)]
    own = range(0xE000, 0xE758) if codec == "shift_jis" else range(0)
    return [None if len(text) != 1 or text == "\ufffd" or ord(text) in own else ord(text) for text in texts]


@pytest.mark.parametrize(
    ("codec", "identifier"),
    [
        ("big5", "8dfc771062e7be0810919082c2c06baa2236147909e0ecc235b1cb9ad782ac82"),
        ("euc_kr", "1d97134cbf187263585bc8f593ca4196654ed4c7a673f5672eaad4f5d9fdc4ba"),
        ("gb18030", "ff1c9a923b5d24f9761b3a2de2c0f07b395f9f6f36519508944de4f0415be81c"),
        ("shift_jis", "cbaa91f3deb7d0841faf5c33041fc15a285da0e87e64ab802c4bf04b7c4da861"),
    ],
)
def test_every_row_matches_the_standard(codec: str, identifier: str) -> None:
    """The standard identifies an index by the SHA-256 of its code points, written as a list of Python's."""
    assert sha256(str(rows(codec, *PAIRS[codec])).encode()).hexdigest() == identifier


def test_every_row_of_jis_x_0212_matches_the_standard() -> None:
    identifier = "83bf90dd1c591a4355730d8c4567efc499d74da7490531019ef22a879991cfb7"
    assert sha256(str(rows("euc_jp", [0x8F], EUC, EUC)).encode()).hexdigest() == identifier


def test_all_japanese_charsets_have_the_same_rows() -> None:
    shift_jis = rows("shift_jis", *PAIRS["shift_jis"])[: 94 * 94]
    assert rows("euc_jp", EUC, EUC) == shift_jis
    assert rows("iso2022_jp", JIS, JIS, around=b"\x1b$B%b\x1b(B") == shift_jis


@pytest.mark.parametrize(
    ("codec", "octets", "text"),
    [
        ("big5", b"\xa4\xa4\xa4\xff\xa4\xe5", "中\ufffd文"),
        ("big5", b"\xa4\xa4\xa4\n\xa4\xe5", "中\ufffd\n文"),
        ("big5", b"\xa4\xa4\xa4 <b>\xa4\xe5", "中\ufffd <b>文"),
        ("big5", b"\x80\xa4\xa4\xff\xa4\xe5", "\ufffd中\ufffd文"),
        ("big5", b"\xa4\xa4\xa4", "中\ufffd"),
        ("big5", b"\x88\x62\x88\xa5", "Ê̄ê̌"),
        ("euc_kr", b"\xc7\xd1\xc7\xff\xb1\xb9", "한\ufffd국"),
        ("euc_kr", b"\xc7\xd1\xc7 \xb1\xb9", "한\ufffd 국"),
        ("gb18030", b"\xd6\xd0\xd6\xff\xce\xc4", "中\ufffd文"),
        ("gb18030", b"\xd6\xd0\xd6 \xce\xc4", "中\ufffd 文"),
        ("gb18030", b"\x80\x81\x30\x81\x30\x94\x39\xda\x33", "€\x80💩"),
        ("gb18030", b"\x81\x30A\x81\x30\xff\xfe\x39\xfe\x39.", "\ufffd0A\ufffd0\ufffd\ufffd."),
        ("gb18030", b"\xd6\xd0\x81\x30\x81", "中\ufffd"),
        ("gb18030", b"\xd6\xd0\x81\x30", "中\ufffd"),
        ("euc_jp", b"\xb2\xf1\xb2\xff\xb5\xc4", "会\ufffd議"),
        ("euc_jp", b"\xb2\xf1\xb2 \xb5\xc4", "会\ufffd 議"),
        ("euc_jp", b"\x8e\xb1\x8f\xb0\xa1\x8e\xff\x8f\xb0A\x8fA\xa0.", "ｱ丂\ufffd\ufffdA\ufffdA\ufffd."),
        ("euc_jp", b"\xb2\xf1\x8f\xb0", "会\ufffd"),
        ("euc_jp", b"\xad\xa1\xb2\xf1\xb5\xc4\xa4\xce\xb7\xef", "①会議の件"),
        ("shift_jis", b"\x89\xef\x89\xff\x8bc", "会\ufffd議"),
        ("shift_jis", b"\x89\xef\x89 \x8bc", "会\ufffd 議"),
        ("shift_jis", b"\xb1\x80\xa0\xfd\x87\x40", "ｱ\x80\ufffd\ufffd①"),
        ("iso2022_jp", b"\x1b$B-!-j\x1b(B.", "①㈱."),
        ("iso2022_jp", b"\x1b$@2q5D\x1b(J\\~\x1b(I1 \x60\x1b(B\\~", "会議¥‾ｱ \ufffd\\~"),
        ("iso2022_jp", b"\x1b$(D0!\x1b(B", "丂"),
        ("iso2022_jp", b"\x1b$B2\xf15D2 q5\x1b(B.", "\ufffd議\ufffd 餤."),
        ("iso2022_jp", b"\x1b$B2q5", "会\ufffd"),
        ("iso2022_jp", b"\x1b$B2q\r\nplain\x1b$B\x1b(B.", "会\r\nplain\ufffd."),
        ("iso2022_jp", b"a\x1b(Bb\x1b$B\n\x1b(B\x1b$B2q", "ab\n\ufffd会"),
        ("iso2022_jp", b"\x1b[1mbold\xe9", "\ufffd[1mbold\ufffd"),
    ],
)
def test_damage_spoils_no_more_than_its_pair(codec: str, octets: bytes, text: str) -> None:
    assert decode(octets, codec) == text


def test_other_codecs_are_pythons() -> None:
    assert find_decoder("utf-8") is None
    assert find_decoder("johab") is None
