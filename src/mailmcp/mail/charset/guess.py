"""Which legacy charset a text without a right declaration is in: a guess by statistics.

The chardet library does the counting; its answer is taken only where mail makes it
likely. The charsets of Western Europe differ in few characters, so that a few octets tell
nothing: those, and all that is not sure, are left to the caller's default.
"""

import re
from typing import Final

from mailmcp.limits import CHARSET_GUESS_OCTETS

_EIGHT_BIT: Final = re.compile(rb"[\x80-\xff]")
_OCTETS_MIN: Final = 6  # three Chinese characters, six Cyrillic letters; of fewer, chance decides
_LATIN_2_OCTETS_MIN: Final = 8

_CODECS: Final = {
    "gb18030": "gb18030",
    "gb2312": "gb18030",
    "big5": "big5hkscs",
    "cp932": "cp932",
    "shift_jis": "cp932",
    "shift_jis-2004": "cp932",
    "euc-jp": "euc_jp",
    "euc-jis-2004": "euc_jp",
    "cp949": "cp949",
    "euc-kr": "cp949",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "windows-1251": "cp1251",
    "iso-8859-5": "iso8859-5",
    "windows-1253": "cp1253",
    "iso-8859-7": "iso8859-7",
    "windows-1255": "cp1255",
    "iso-8859-8": "cp1255",
    "windows-1256": "cp1256",
    "iso-8859-6": "iso8859-6",
    "cp874": "cp874",
    "tis-620": "cp874",
}
_LATIN_2: Final = {"iso-8859-2": "iso8859-2", "windows-1250": "cp1250"}


def guess_charset(octets: bytes) -> str:
    """Guess the charset of 8-bit text that is not UTF-8.

    Returns:
        The name of a Python codec; "" when there is no sure guess.
    """
    first = _EIGHT_BIT.search(octets)
    if first is None:
        return ""
    start = max(first.start() - 32, 0)
    sample = octets[start : start + CHARSET_GUESS_OCTETS]
    eight_bit = len(_EIGHT_BIT.findall(sample))
    if eight_bit < _OCTETS_MIN:
        return ""
    # Imported here: it takes 0.1 s, and most mail says its charset.
    import chardet  # noqa: PLC0415

    name = (chardet.detect(sample)["encoding"] or "").lower()
    codec = _CODECS.get(name, "")
    return codec or (_LATIN_2.get(name, "") if eight_bit >= _LATIN_2_OCTETS_MIN else "")
