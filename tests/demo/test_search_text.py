"""Searchable text is decoded, and nothing makes it fail."""

import base64
import quopri
from collections.abc import Callable
from datetime import datetime

import pytest

from mailmcp.demo.sample_account import load_sample
from mailmcp.demo.search_text import read_search_text


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "windows-1252"])
@pytest.mark.parametrize(
    ("cte", "encode"),
    [("base64", base64.encodebytes), ("quoted-printable", quopri.encodestring), ("8bit", bytes)],
)
def test_text_is_decoded_and_folded(cte: str, encode: Callable[[bytes], bytes], charset: str) -> None:
    encoded = encode("Die MESSHÖHE ist groß genug.".encode(charset))
    headers = f"Content-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: {cte}\r\n\r\n"
    assert "die messhöhe ist gross genug" in read_search_text(headers.encode() + encoded)


def test_headers_are_decoded() -> None:
    octets = b"Subject: =?iso-8859-1?Q?R=FCckfrage?= zur =?utf-8?B?SMO2aGU=?=\r\n\r\n"
    assert "rückfrage zur höhe" in read_search_text(octets)


def test_only_text_parts_are_read() -> None:
    part = b"Content-Type: application/octet-stream\r\n\r\nsecret\r\n"
    octets = (
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nopen\r\n--b\r\n" + part + b"--b--\r\n"
    )
    text = read_search_text(octets)
    assert "open" in text
    assert "secret" not in text


def test_unknown_and_wrong_charsets_are_read_as_far_as_they_go() -> None:
    octets = b"Content-Type: text/plain; charset=x-none\r\n\r\nplain \xff words\r\n"
    assert "words" in read_search_text(octets)


def test_broken_and_hostile_mail_is_read(now: datetime) -> None:
    for message in load_sample(now)[0].messages:
        assert read_search_text(message.octets)
