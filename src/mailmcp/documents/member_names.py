"""Names of files in zips that don't say in which charset they are.

Zips name files in code page 437, in UTF-8, or in whatever the sender's computer used (APPNOTE 4.4.4, appendix
D). A guess is believed if each of its words is in one script.
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from mailmcp.limits import CHARSET_GUESS_OCTETS

_OEM: Final = "cp850"
"""As code page 437, but with the letters of more languages in the place of signs."""

_LIKELY: Final = (
    *("cp437", "cp850", "cp852", "cp857", "cp862", "cp866", "cp737", "koi8-r", "cp874"),
    *("gb18030", "big5hkscs", "cp932", "euc-jis-2004", "cp949"),
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257"),
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_EASTERN: Final = frozenset(
    {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "KATAKANA-HIRAGANA", "FULLWIDTH", "HALFWIDTH"}
)


def decode_names(names: Sequence[bytes]) -> list[str]:
    """Decode the names of one archive, all in one charset: UTF-8, a guess, or else that of DOS."""
    together = b"\n".join(dict.fromkeys(names))
    try:
        together.decode()
        codec = "utf-8"
    except UnicodeDecodeError:
        codec = _guess(together[:CHARSET_GUESS_OCTETS])
    return [name.decode(codec, "replace") for name in names]


def _guess(names: bytes) -> str:
    # Imported here: it takes 0.1 s, and most archives have names in ASCII or UTF-8.
    import chardet  # noqa: PLC0415

    found = chardet.detect_all(
        names,
        ignore_threshold=True,
        include_encodings=list(_LIKELY),
        no_match_encoding=_OEM,
        compat_names=False,
    )
    guesses = (str(each["encoding"]) for each in found)
    return next((codec for codec in guesses if _makes_words(names.decode(codec, "replace"))), _OEM)


def _makes_words(text: str) -> bool:
    """Return whether each word is in one script and has no capitals inside: wrong charsets make few."""
    for word in _WORD.findall(text):
        scripts = {unicodedata.name(each, "?").partition(" ")[0] for each in word}
        inside = not word.isascii() and any(low.islower() and up.isupper() for low, up in pairwise(word))
        if inside or (len(scripts) > 1 and not scripts <= _EASTERN | {"LATIN"}):
            return False
    return "\ufffd" not in text
