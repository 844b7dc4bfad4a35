import binascii

import pytest

from mailmcp.mail.text.plain import replace_uuencoded

DATA = "".join(
    binascii.b2a_uu(b"some octets of a file %d" % number, backtick=True).decode() for number in range(3)
)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"See:\nbegin 644 a.txt\n{DATA}`\nend\nBye", 'See:\n[uuencoded file "a.txt", 6 lines]\nBye'),
        (f"begin 644 a.txt\n{DATA}\nend", '[uuencoded file "a.txt", 6 lines]'),
        ("begin 644 a.txt\n`\nend", '[uuencoded file "a.txt", 3 lines]'),
        (f"begin 644 a.txt\n{DATA}`\nBye", '[uuencoded file "a.txt", 5 lines]\nBye'),
        (f"begin 644 ..\n{DATA}`\nend", '[uuencoded file "..", 6 lines]'),
        (
            f"begin 644 a\n{DATA}`\nend\nbegin 644 b\n{DATA}",
            '[uuencoded file "a", 6 lines]\n[uuencoded file "b", 4 lines]\n',
        ),
    ],
)
def test_a_block_becomes_one_line(text: str, read: str) -> None:
    assert replace_uuencoded(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "",
        "begin",
        "begin 644 is how it starts",
        "begin 644 a.txt\nThis is prose.\nAnd more.",
        "begin 644 a.txt\nz lower case\nend",
    ],
)
def test_prose_stays(text: str) -> None:
    assert replace_uuencoded(text) == text
