"""Octets to text, even if the declared charset is wrong, missing or unknown.

Reads headers and bodies alike. Names are those of the IANA registry,
read as browsers read them (WHATWG Encoding: a superset replaces its subset). The chardet library
guesses legacy charsets; its answer counts only if mail makes it likely. The charsets of Western
Europe differ in few characters, so a few octets prove nothing: they, and whatever is not certain,
are read as windows-1252. So is what is declared as a charset of Western Europe, unless its words can't be.
"""

import codecs
import re
from dataclasses import dataclass
from itertools import islice
from typing import Final

from mailmcp.limits import CHARSET_GUESS_OCTETS
from mailmcp.mail.charset.east_asian import SUPERSETS, decode_pairs

UNKNOWN_CHARSET: Final = "unknown charset"
WRONG_CHARSET: Final = "text is not in its declared charset"
UNDECLARED_CHARSET: Final = "8-bit text without a charset"

_CODECS: Final = {
    **dict.fromkeys(("gb_2312-80", "x-gbk"), "gb18030"),
    **dict.fromkeys(("cn-big5", "x-x-big5"), "big5"),
    **dict.fromkeys(("x-sjis", "windows-31j", "ms_kanji"), "cp932"),
    **dict.fromkeys(("ks_c_5601-1989", "ksc_5601"), "cp949"),
    **dict.fromkeys(("iso-8859-11", "tis-620"), "cp874"),
    **dict.fromkeys(("macintosh", "x-mac-roman"), "mac_roman"),
    "x-euc-jp": "euc_jp",
    "iso-8859-8-i": "iso8859_8",
    "iso-8859-9": "cp1254",
    "unicode-1-1-utf-7": "utf-7",
}
_ASCII_BASED: Final = frozenset({"", "us-ascii", "utf-8", "iso-8859-1", "iso-8859-15", "windows-1252"})
_LATIN: Final = frozenset({"ascii", "iso8859-1", "cp1252"})
_NOT_DECLARED: Final = frozenset({"", "default", "unknown", "unknown-8bit", "x-unknown", "binary", "8bit"})
# Python's own, not charsets: slow ("idna", "punycode") or an escape syntax.
_NOT_CHARSETS: Final = frozenset(
    {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem"}
)
_CHARSET_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_.:+()-]{0,39}")
_CODE_PAGE: Final = re.compile(r"(?:cp|ibm|win|x-cp|x-windows|dos)[-_]?(\d{3,5})")
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_C1_OCTETS: Final = re.compile(rb"[\x80-\x9f]")
_MARKS: Final = {
    codecs.BOM_UTF8: ("utf-8", ("utf-8", "utf8")),
    codecs.BOM_UTF16_LE: ("utf-16", ("utf-16", "utf-16le")),
    codecs.BOM_UTF16_BE: ("utf-16", ("utf-16", "utf-16be")),
}
"""Byte order marks, with the codec of what follows and the names that declare it."""

_SENT_REPLACEMENT: Final = {"utf-8": b"\xef\xbf\xbd"} | dict.fromkeys(
    ("gb2312", "gbk", "gb18030"), b"\x84\x31\xa4\x37"
)
"""U+FFFD as it is sent by somebody who had already lost a character."""

_EIGHT_BIT: Final = re.compile(rb"[\x80-\xff]")
_OCTETS_MIN: Final = 6  # three Chinese characters or six Cyrillic letters; fewer prove nothing
_LATIN_2_OCTETS_MIN: Final = 8

_GUESSED: Final = re.compile(
    r"gb18030|gb2312|cp932|shift_jis(?:_2004)?|euc_(?:jp|kr|jis_2004)|cp949|big5|cp874"
    r"|cp125[1356]|koi8-[ru]|iso8859-[5678]"
)
_GUESSED_LATIN_2: Final = ("iso8859-2", "cp1250")
"""Codecs of which chardet's guesses are trusted."""

_MISREAD: Final = re.compile(
    "[\x80-\x9f]|[^\\W\\d_][\u00a3-\u00a6\u00ac\u00af\u00b1-\u00b3\u00b6\u00b9\u00bc-\u00bf][^\\W\\d_]"
    "|[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]{4,}"
)
"""What Western Europe doesn't write: controls, signs within a word, many letters with accents in a row."""

_MISREAD_MIN: Final = 2
_SINGLE_OCTETS: Final = re.compile(r"cp125\d|iso8859-\d+|koi8-\w")
_ISO_2022_JP: Final = re.compile(rb"\x1b(?:\$[@B][!-~]|\([JI])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """Text decoded from octets, and what was wrong with them."""

    text: str
    """Without byte order mark and lone surrogates; U+FFFD where octets mean nothing."""

    defects: tuple[str, ...] = ()
    """Short stable phrases; empty if the octets were in order."""


def decode_text(octets: bytes, charset: str) -> Decoded:
    """Decode octets: in the declared charset, else UTF-8, else a guess, else windows-1252.

    A byte order mark counts for more than what is declared, as in browsers (Encoding, section 6).
    A text of which only a few characters fail (it was cut, or an octet was lost) stays in its
    declared charset. A charset of single octets never fails; one of Western Europe whose words can't be is
    replaced by a guess, and a defect names it.

    Args:
        octets: The text, transfer encoding already removed.
        charset: As declared, in any case; empty if none is declared.

    Returns:
        The text. There always is one: windows-1252 reads anything.
    """
    name = charset.strip().strip("\"'").lower()
    if name in _ASCII_BASED and octets.isascii() and b"\x1b" not in octets:
        return Decoded(text=octets.decode("ascii"))  # most mail
    if (marked := _decode_marked(octets, name)) is not None:
        return marked
    if name in _NOT_DECLARED:
        return _decode_undeclared(octets)
    codec = _codec_named(name)
    if codec is None:
        guess = _decode_undeclared(octets)
        return Decoded(text=guess.text, defects=(UNKNOWN_CHARSET,))
    if codec in _LATIN:
        return _decode_latin(octets, codec)
    return _decode_declared(octets, codec)


def guess_charset(octets: bytes) -> str:
    """Guess the charset of 8-bit text that is not UTF-8.

    Returns:
        The name of a Python codec; "" if no guess is certain.
    """
    first = _EIGHT_BIT.search(octets)
    if first is None:
        return ""
    start = max(first.start() - 32, 0)
    sample = octets[start : start + CHARSET_GUESS_OCTETS]
    eight_bit = len(_EIGHT_BIT.findall(sample))
    if eight_bit < _OCTETS_MIN:
        return ""
    # Imported here: it takes 0.1 s, and most mail declares its charset.
    import chardet  # noqa: PLC0415

    codec = _codec_named((chardet.detect(sample)["encoding"] or "").lower()) or ""
    is_trusted = _GUESSED.fullmatch(codec) or (codec in _GUESSED_LATIN_2 and eight_bit >= _LATIN_2_OCTETS_MIN)
    return codec if is_trusted else ""


def is_known_charset(name: str) -> bool:
    """Return whether text in a charset of this name can be read."""
    return _codec_named(name.strip().lower()) is not None


def _codec_named(name: str) -> str | None:
    """Return Python's codec for a lower-case IANA name; None if there is none."""
    if _CHARSET_NAME.fullmatch(name) is None:
        return None
    wanted = _CODECS.get(name, name)
    wanted = _CODE_PAGE.sub(r"cp\1", wanted)
    try:
        found = codecs.lookup(wanted).name
        b"a".decode(found, "replace")  # "base64" and its like are codecs too, but not of text
    except (LookupError, UnicodeError, ValueError):
        return None
    return None if found.replace("_", "-") in _NOT_CHARSETS else found


def _decode_marked(octets: bytes, declared: str) -> Decoded | None:
    """Decode what begins with a byte order mark; None without one, or if it isn't UTF-8 that follows."""
    for mark, (codec, names) in _MARKS.items():
        if octets.startswith(mark):
            text, lost = _decode(octets, codec)
            if lost and codec == "utf-8":
                return None
            if declared not in (*names, *_NOT_DECLARED):
                return Decoded(text=text, defects=(_read_as(codec),))
            return Decoded(
                text=text,
                defects=(WRONG_CHARSET if declared in names else UNDECLARED_CHARSET,) if lost else (),
            )
    return None


def _decode_undeclared(octets: bytes) -> Decoded:
    if octets.isascii():
        return Decoded(text=_decode(octets, "iso2022_jp" if _is_japanese(octets) else "ascii")[0])
    text = _decode_by_guess(octets)
    # UTF-8 needs no declaration in headers (RFC 6532), and elsewhere the omission is harmless.
    is_utf8 = text.encode() == octets.removeprefix(codecs.BOM_UTF8)
    return Decoded(text=text, defects=() if is_utf8 else (UNDECLARED_CHARSET,))


def _decode_declared(octets: bytes, codec: str) -> Decoded:
    if _SINGLE_OCTETS.fullmatch(codec) and not octets.isascii() and _decode_utf8(octets) is not None:
        return _decode_mislabelled(octets, "utf-8")
    text, lost = _decode(octets, codec)
    if not _is_mostly_lost(text, lost):
        return Decoded(text=text, defects=(WRONG_CHARSET,) if lost else ())
    return Decoded(text=_decode_by_guess(octets), defects=(WRONG_CHARSET,))


def _decode_latin(octets: bytes, codec: str) -> Decoded:
    """Decode US-ASCII, ISO-8859-1 and windows-1252: mail mixes up their names, and uses them for UTF-8."""
    if octets.isascii():
        japanese = _is_japanese(octets)
        return _decode_mislabelled(octets, "iso2022_jp") if japanese else Decoded(text=octets.decode("ascii"))
    if codec == "ascii":
        return Decoded(text=_decode_by_guess(octets), defects=(WRONG_CHARSET,))
    # Well-formed UTF-8 is hardly ever an accident.
    text = _decode_utf8(octets)
    if text is not None:
        return Decoded(text=text, defects=(WRONG_CHARSET,))
    sample = octets[:CHARSET_GUESS_OCTETS].decode("latin-1")
    misread = islice(_MISREAD.finditer(sample), _MISREAD_MIN)
    if len(list(misread)) == _MISREAD_MIN and (guess := guess_charset(octets)):
        return _decode_mislabelled(octets, guess)
    if _C1_OCTETS.search(octets) is None:
        return Decoded(text=octets.decode("latin-1"))
    text = _scrub(octets.decode("cp1252", "replace"))
    in_order = codec == "cp1252" and "\ufffd" not in text
    return Decoded(text=text, defects=() if in_order else (WRONG_CHARSET,))


def _decode_mislabelled(octets: bytes, codec: str) -> Decoded:
    return Decoded(text=_decode(octets, codec)[0], defects=(_read_as(codec),))


def _read_as(codec: str) -> str:
    name = codec.replace("cp", "windows-").replace("iso8859", "iso-8859").replace("iso2022_", "iso-2022-")
    return f"{WRONG_CHARSET} (read as {name})"


def _is_japanese(octets: bytes) -> bool:
    """Return whether ASCII octets are ISO-2022-JP."""
    return _ISO_2022_JP.search(octets) is not None and not _is_mostly_lost(*_decode(octets, "iso2022_jp"))


def _decode_by_guess(octets: bytes) -> str:
    """Decode 8-bit text as UTF-8, else in the charset that its letters suggest, else as windows-1252."""
    text = _decode_utf8(octets)
    if text is not None:
        return text
    guessed = guess_charset(octets)
    if guessed:
        text, lost = _decode(octets, guessed)
        if not _is_mostly_lost(text, lost):
            return text
    return _scrub(octets.decode("cp1252", "replace"))


def _decode_utf8(octets: bytes) -> str | None:
    """Decode UTF-8, though a few characters were cut or lost; None for anything else."""
    text, lost = _decode(octets, "utf-8")
    return None if _is_mostly_lost(text, lost) else text


def _decode(octets: bytes, codec: str) -> tuple[str, int]:
    """Decode with U+FFFD for what fails, and count the failures: U+FFFD that was sent is text."""
    decoded = decode_pairs(octets, codec) if codec in SUPERSETS else octets.decode(codec, "replace")
    text = _scrub(decoded)
    sent = _SENT_REPLACEMENT.get(codec)
    return text, text.count("\ufffd") - (octets.count(sent) if sent else 0)


def _scrub(text: str) -> str:
    return _SURROGATES.sub("\ufffd", text).removeprefix("\ufeff")


def _is_mostly_lost(text: str, lost: int) -> bool:
    """Return whether more characters beyond ASCII failed than were read."""
    return lost > 0 and lost * 2 > sum(1 for character in text if character > "\x7f")
