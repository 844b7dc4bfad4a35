"""The tables of RTF's words fit together."""

import codecs

from mailmcp.documents.formats.rich_text_words import CHARACTERS, CHARSETS, LEFT_OUT, STARRED


def test_no_word_has_two_meanings() -> None:
    assert not LEFT_OUT & STARRED
    assert not (LEFT_OUT | STARRED) & CHARACTERS.keys()


def test_python_has_every_charset() -> None:
    for codec in CHARSETS.values():
        assert codecs.lookup(codec)
