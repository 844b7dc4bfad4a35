"""Base64 line by line (RFC 2045 section 6.8), up to the first line that is not base64.

Mailing lists append a plain text footer to encoded content, with padding before it or without. RFC 2045
wants other characters ignored, but a footer decoded as base64 is noise, and makes the whole text look
as if its charset were wrong.
"""

import binascii
import re
from typing import Final

_NOT_DIGITS: Final = re.compile(rb"[^A-Za-z0-9+/]+")
_PLAIN: Final = re.compile(rb"[A-Za-z0-9+/]*={0,2}")
_LINE: Final = re.compile(rb"[^\r\n]+(?:[\r\n]\s*|\Z)")
_CHUNK: Final = re.compile(rb"([A-Za-z0-9+/]+)(=*)")
_ENCODED: Final = re.compile(rb"(?:[A-Za-z0-9+/]++={0,4}+)++|={1,4}")
_WORDS_BEHIND: Final = re.compile(rb"([A-Za-z0-9+/]++={1,2})[ \t]+[^=]*")
_PROSE: Final = re.compile(rb"\s|://|@")
_SURE_DIGITS_MIN: Final = 16
"""So many digits in whole groups are not a word alone on a line."""


def decode_base64(octets: bytes) -> tuple[bytes, bytes, bool]:
    """Decode base64.

    Returns:
        The content; the plain text after it; and whether something was skipped, or doesn't fit. All is
        content as it is if no base64 comes first.
    """
    lines = octets.split() or [b""]
    joined, width, last = b"".join(lines), len(lines[0]), len(lines[-1])
    is_even = last <= width and all(len(line) == width for line in lines[:-1])
    # A last line that is shorter may be a word, unless it is padded or long.
    is_sure = joined.endswith(b"=") or last == width or last >= _SURE_DIGITS_MIN
    if is_even and is_sure and len(joined) % 4 == 0 and _PLAIN.fullmatch(joined):
        return binascii.a2b_base64(joined), b"", False
    return _decode_lines(octets)


def _decode_lines(octets: bytes) -> tuple[bytes, bytes, bool]:
    """Decode what isn't in order: a short or padded line may be the last, and what follows plain text."""
    decoded: list[bytes] = []
    rest, longest, may_have_ended, is_damaged = b"", 0, False, False
    held = -1  # where a line without any digit begins: skipped if base64 follows, else the start of a footer
    for match in _LINE.finditer(octets):
        text = match.group().strip()
        if words_behind := _WORDS_BEHIND.fullmatch(text):
            text, is_damaged = words_behind[1], True
        digits = _NOT_DIGITS.sub(b"", text)
        is_encoded = _ENCODED.fullmatch(text) is not None
        is_whole = b"=" in text or (len(rest) + len(digits)) % 4 == 0
        # One digit alone in a group holds no octet: this is an equation, or a word before a ruler.
        fits = b"=" not in text or (len(rest) + len(text.partition(b"=")[0])) % 4 != 1
        is_sure = is_whole and (b"=" in text or len(digits) >= _SURE_DIGITS_MIN)
        if not is_encoded:  # a line of the usual length with odd characters was damaged
            is_usual = not decoded or abs(len(digits) - longest) < 4
            is_sure, fits = False, is_usual and digits != b"" and _PROSE.search(text) is None
            is_damaged = is_damaged or fits
        if not digits and not is_encoded and held < 0 and longest:
            held = match.start()
            continue
        if text and not (fits and (is_sure or not (may_have_ended or held >= 0))):
            if not decoded and not rest:
                return octets, b"", True
            pieces = [*decoded, _decode_group(rest)]
            return b"".join(pieces), octets[held if held >= 0 else match.start() :], True
        held, is_damaged = -1, is_damaged or held >= 0
        if not is_encoded:  # its gaps shift no other line
            decoded.append(_decode_group(rest))
            rest = b""
        for chunk, padding in _CHUNK.findall(text if is_encoded else digits):
            is_damaged = is_damaged or (may_have_ended and bool(decoded))
            rest += chunk
            whole = len(rest) if padding or not is_encoded else len(rest) - len(rest) % 4
            decoded.append(_decode_group(rest[:whole]))
            rest = rest[whole:]
            may_have_ended = bool(padding) or len(chunk) < longest
            longest = max(longest, len(chunk))
    is_damaged = is_damaged or len(rest) == 1 or held >= 0
    after = octets[held:] if held >= 0 else b""
    return b"".join([*decoded, _decode_group(rest)]), after, is_damaged


def _decode_group(digits: bytes) -> bytes:
    """Decode digits, of which the last group may not be full: six bits alone are not an octet."""
    digits = digits[:-1] if len(digits) % 4 == 1 else digits
    return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4))
