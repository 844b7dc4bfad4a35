"""Encoded words of header text (RFC 2047), read tolerantly.

Owns the `=?charset?B|Q?text?=` syntax and its common breakages: spaces inside,
no space between, no end, characters split over two words, unknown charsets, broken
base64. Which header may hold them, and where, is for the callers.
"""

import binascii
import re
from collections.abc import Iterator, Sequence
from typing import Final

from mailmcp.mail.charset.decode import Decoded, decode_text

BROKEN_ENCODED_WORD: Final = "broken encoded word"

# The text runs to the first "?=" but never into the next word, so the scan is linear. A word that
# was cut has no "?=": then it is what stands before the next word, or the end, without a space.
_ENCODED_WORD: Final = re.compile(
    r"=\?(?P<charset>[^?\s*]{1,40})(?:\*[^?\s]{0,40})?\?(?P<encoding>[bBqQ])\?"
    r"(?:(?P<text>(?:(?!=\?[^=]|\?=).)*)\?=|(?P<cut>[^\s?]*+)\??(?=\s*+(?:=\?|\Z)))",
    re.DOTALL,
)
_BASE64_JUNK: Final = re.compile(rb"[^A-Za-z0-9+/]+")


def decode_encoded_words(text: str) -> Decoded:
    """Decode all encoded words in `text`; the rest stays as it is.

    White space between two encoded words is dropped (RFC 2047 section 6.2), and
    neighbours in one charset are joined before decoding, since broken senders
    split multi-octet characters between them.

    Returns:
        The text; control characters that were encoded are still in it.
    """
    if "=?" not in text:
        return Decoded(text=text)
    pieces: list[str] = []
    defects: list[str] = []
    found = list(_ENCODED_WORD.finditer(text))
    for charset, octets, literal in _runs(text, found):
        if charset:
            decoded = decode_text(octets, charset)
            pieces.append(decoded.text)
            defects.extend(decoded.defects)
        pieces.append(literal)
    result = "".join(pieces)
    if not found or any(match["cut"] is not None for match in found):
        defects.append(BROKEN_ENCODED_WORD)
    return Decoded(text=result, defects=tuple(dict.fromkeys(defects)))


def _runs(text: str, found: Sequence[re.Match[str]]) -> Iterator[tuple[str, bytes, str]]:
    """Yield (charset, joined octets of neighbouring words, literal text after them)."""
    charset, octets, end = "", b"", 0
    for match in found:
        gap = text[end : match.start()]
        same = match["charset"].lower() == charset
        if not charset or gap.strip() or not same:
            yield charset, octets, gap if not charset or gap.strip() else ""
            charset, octets = match["charset"].lower(), b""
        octets += _decode_word(match["encoding"], match["text"] or match["cut"] or "")
        end = match.end()
    yield charset, octets, text[end:]


def _decode_word(encoding: str, text: str) -> bytes:
    octets = text.encode("utf-8", "replace")
    if encoding in "qQ":
        return binascii.a2b_qp(octets.replace(b"_", b" "), header=False)
    digits = _BASE64_JUNK.sub(b"", octets)
    if len(digits) % 4 == 1:  # one digit alone holds six bits: no octet
        digits = digits[:-1]
    return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4))
