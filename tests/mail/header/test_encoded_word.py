import pytest

from mailmcp.mail.header.fields import BROKEN_ENCODED_WORD, decode_encoded_words
from steps import assert_linear


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("nothing here", "nothing here"),
        ("=?utf-8?B?w6k=?=", "é"),
        ("=?utf-8?q?with space?=", "with space"),
        ("=?iso-2022-jp?B?GyRCMnEbKEI=?= =?iso-2022-jp?B?GyRCNUQbKEI=?=", "会議"),
        ("=?utf-8?B?YWJjZ?=", "abc"),
    ],
)
def test_words_are_decoded_as_they_were_meant(text: str, decoded: str) -> None:
    result = decode_encoded_words(text)
    assert (result.text, result.defects) == (decoded, ())


@pytest.mark.parametrize("text", ["=?utf-8?Q?unfinished and more", "=?utf-8?X?text?=", "a =? b"])
def test_a_broken_word_is_kept_and_reported(text: str) -> None:
    result = decode_encoded_words(text)
    assert (result.text, result.defects) == (text, (BROKEN_ENCODED_WORD,))


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("=?utf-8?Q?cut_off_h", "cut off h"),
        ("=?utf-8?B?Y3V0IG9mZiBo?", "cut off h"),
        ("=?utf-8?Q?cut =?utf-8?Q?_and_whole?=", "cut and whole"),
        ("=?utf-8?Q?whole?= =?utf-8?Q?_and_c", "whole and c"),
        ("=?utf-8?Q?", ""),
    ],
)
def test_a_cut_word_is_decoded_and_reported(text: str, decoded: str) -> None:
    result = decode_encoded_words(text)
    assert (result.text, result.defects) == (decoded, (BROKEN_ENCODED_WORD,))


@pytest.mark.parametrize("piece", ["=?a?q?", "=?a?q?=", "=?", "?=", "=?utf-8?Q?x?= "])
def test_time_is_linear(piece: str) -> None:
    def decode(size: int) -> None:
        assert decode_encoded_words(piece * (size // len(piece))).text

    assert_linear(decode, large=1_000_000)
