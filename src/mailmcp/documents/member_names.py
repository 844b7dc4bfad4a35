# ruff: noqa: RUF001 - punctuation of many scripts is meant as such
"""Names of files in archives that don't say in which charset they are.

Zips name files in code page 437, in UTF-8, or in whatever the sender's computer used (APPNOTE 4.4.4, appendix
D); tars name them in octets. A reading is believed if it makes words: letters of one script, which a wrong
charset hardly ever does.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from mailmcp.limits import CHARSET_GUESS_OCTETS

_OEM: Final = "cp437"
_LIKELY: Final = (
    *("cp437", "cp850", "cp852", "cp857", "cp862", "cp866", "cp737", "koi8-r", "cp874"),
    *("gb18030", "big5hkscs", "cp932", "euc-jis-2004", "cp949"),
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257"),
)
_CONFIDENCE_MIN: Final = 0.02
_FALLBACKS: Final = ("cp437", "cp850", "cp857", "cp866", "cp852", "cp1252", "cp1250", "cp1251", "koi8-r")
"""For names that are too short to be guessed, in the order in which they are tried."""

_LETTERS_MIN: Final = 4
"""A third of the letters of so long a Latin word are ASCII."""

_WORD: Final = re.compile(r"(?:[^\W\d_]|[\u0300-\u036f\u0e31-\u0e4e])+")
_EASTERN: Final = frozenset(
    {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "KATAKANA-HIRAGANA", "FULLWIDTH", "HALFWIDTH"}
)
_PUNCTUATION: Final = frozenset("\u00a0§°–—‘’“”…№ªº·。、「」『』【】《》（）・ー～！？：；，")
_WITHIN_LATIN: Final = re.compile(r"[A-Za-z][^\x00-\u02ff]{1,2}[a-z]")


def decode_names(names: Sequence[bytes]) -> list[str]:
    """Decode the names of one archive, all in one charset: UTF-8, a guess, or else code page 437."""
    together = b"\n".join(dict.fromkeys(names))
    codec = _codec_of(together[:CHARSET_GUESS_OCTETS])
    return [name.decode(codec, "replace") for name in names]


@lru_cache(maxsize=64)
def _codec_of(names: bytes) -> str:
    if _is_utf8(names):
        return "utf-8"
    # Imported here: it takes 0.1 s, and most archives have names in ASCII or UTF-8.
    import chardet  # noqa: PLC0415

    found = chardet.detect_all(
        names,
        ignore_threshold=True,
        include_encodings=list(_LIKELY),
        no_match_encoding=_OEM,
        compat_names=False,
    )
    guesses = [str(each["encoding"]) for each in found if each["confidence"] >= _CONFIDENCE_MIN]
    return next((codec for codec in (*guesses, *_FALLBACKS) if _makes_words(names, codec)), _OEM)


def _is_utf8(names: bytes) -> bool:
    try:
        names.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data" and error.start >= len(names) - 3
    return True


def _makes_words(names: bytes, codec: str) -> bool:
    """Return whether a reading has letters of one script in each word, and no capitals within words."""
    text = names.decode(codec, "replace")
    if _WITHIN_LATIN.search(text):
        return False
    odd = (each for each in text if each > "\x7f" and each not in _PUNCTUATION)
    if not all((each.isalnum() and each != "ƒ") or unicodedata.category(each)[0] == "M" for each in odd):
        return False
    return all(_is_word(match[0]) for match in _WORD.finditer(text) if not match[0].isascii())


def _is_word(word: str) -> bool:
    scripts = {unicodedata.name(each, "?").partition(" ")[0] for each in word if each.isalpha()}
    if scripts & _EASTERN:
        return scripts <= _EASTERN | {"LATIN"}
    if "LATIN" in scripts and len(word) >= _LETTERS_MIN and sum(map(str.isascii, word)) * 3 < len(word):
        return False
    return len(scripts) == 1 and not any(
        first.islower() and second.isupper() and not (first + second).isascii()
        for first, second in pairwise(word)
    )
