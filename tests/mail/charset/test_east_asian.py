"""East Asian charsets: the rows that mail uses, and damage that spoils no more than its pair."""

import pytest

from mailmcp.mail.charset.east_asian import decode_pairs


@pytest.mark.parametrize(
    ("codec", "octets", "text"),
    [
        ("big5", b"\xa4\xa4\xa4\xff\xa4\xe5", "中\ufffd文"),
        ("big5", b"\xa4\xa4\xa4", "中\ufffd"),
        ("gb18030", b"\x80\x94\x39\xda\x33", "€💩"),
        ("euc_jp", b"\x8e\xb1\x8f\xb0\xa1", "ｱ丂"),
        ("iso2022_jp", b"\x1b$@2q5D\x1b(J.\x1b(I1\x1b(B\\~", "会議.ｱ\\~"),
        ("iso2022_jp", b"\x1b$B2q\r\nplain", "会\r\nplain"),
    ],
)
def test_pairs_are_read_and_damage_spoils_no_more_than_its_own(codec: str, octets: bytes, text: str) -> None:
    assert decode_pairs(octets, codec) == text


@pytest.mark.parametrize("row", range(0x21, 0x7F))
def test_all_japanese_charsets_have_the_same_rows(row: int) -> None:
    for cell in range(0x21, 0x7F):
        pair = bytes((row, cell))
        euc = decode_pairs(bytes(octet | 0x80 for octet in pair), "euc_jp")
        assert decode_pairs(b"\x1b$B" + pair + b"\x1b(B", "iso2022_jp") == euc
