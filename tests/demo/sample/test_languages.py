"""Foreign letters are in the charset they name."""

from datetime import datetime
from email import message_from_bytes
from email.policy import default

import pytest

from mailmcp.demo.sample.languages import LETTERS, ForeignLetter, make_languages


@pytest.mark.parametrize("letter", LETTERS, ids=lambda letter: letter.charset)
def test_reads_back(letter: ForeignLetter, now: datetime) -> None:
    made = zip(LETTERS, make_languages(now), strict=True)
    octets = next(placed.message.octets for other, placed in made if other is letter)
    message = message_from_bytes(octets, policy=default)
    assert message["Subject"] == letter.subject
    assert message["From"].addresses[0].display_name == letter.name
    assert message.get_content_charset() == letter.charset
    assert message.get_content().replace("\r\n", "\n") == letter.text


def test_charsets_and_encodings_are_varied() -> None:
    charsets = {letter.charset for letter in LETTERS}
    assert {"iso-2022-jp", "gb2312", "koi8-r", "utf-8", "iso-8859-1"} <= charsets
    assert {letter.cte for letter in LETTERS} == {"7bit", "8bit", "base64", "quoted-printable"}


def test_headers_are_ascii(now: datetime) -> None:
    """RFC 2047: other letters only in encoded words."""
    for placed in make_languages(now):
        assert placed.message.octets.partition(b"\r\n\r\n")[0].isascii()
