"""Base64 line by line (RFC 2045 section 6.8), up to the first line that is not base64.

Mailing lists append a plain text footer to encoded content, with padding before it or without. RFC 2045
wants other characters ignored, but a footer decoded as base64 is noise, and makes the whole text look
as if its charset were wrong.
"""

import binascii
import re
from typing import Final

_DIGITS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NOT_DIGITS: Final = bytes(set(range(256)) - set(_DIGITS))
_PLAIN: Final = re.compile(rb"[A-Za-z0-9+/]*={0,2}")
_LINE: Final = re.compile(rb"[^\r\n]+(?:[\r\n]\s*|\Z)")
_CHUNK: Final = re.compile(rb"([A-Za-z0-9+/]+)(=*)")
_ENCODED: Final = re.compile(rb"(?:[A-Za-z0-9+/]++={0,4}+)++|={1,4}")
_SPACED: Final = re.compile(rb"(?:(?:[A-Za-z0-9+/]{4}){4,}[ \t]+)+[A-Za-z0-9+/]*+=*")
"""Spaces instead of line ends; words are shorter."""

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
    return _Decoder().decode(octets)


class _Decoder:
    """Decodes what isn't in order."""

    def __init__(self) -> None:
        self._damaged = False
        self._decoded: list[bytes] = []
        self._rest = b""  # digits of a group that is not full yet
        self._longest = self._last = 0
        self._padded = self._begun = False

    def decode(self, octets: bytes) -> tuple[bytes, bytes, bool]:
        """As `decode_base64`."""
        held = (
            -1
        )  # where lines without any digit begin: skipped if base64 follows, else the start of a footer
        end = len(octets)
        for match in _LINE.finditer(octets):
            text = match.group().strip()
            if text and not self._take(text, is_held=held >= 0):
                if held >= 0 or _has_digit(text):
                    end = held if held >= 0 else match.start()
                    break
                held = match.start()
            elif text and held >= 0:
                held, self._damaged = -1, True
        else:
            end = held if held >= 0 else end
        self._flush()
        if not self._begun:
            return octets if end < len(octets) else b"", b"", end < len(octets)
        return b"".join(self._decoded), octets[end:], self._damaged or end < len(octets)

    @property
    def _may_have_ended(self) -> bool:
        """Whether the content may be complete: it was padded, or the last line was shorter than others."""
        return self._padded or self._last < self._longest

    def _take(self, text: bytes, *, is_held: bool) -> bool:
        """Decode a line, and return whether it is base64."""
        if found := _WORDS_BEHIND.fullmatch(text):
            text, self._damaged = found[1], True
        digits = text.translate(None, _NOT_DIGITS)
        is_encoded = _ENCODED.fullmatch(text) is not None or _SPACED.fullmatch(text) is not None
        is_whole = b"=" in text or (len(self._rest) + len(digits)) % 4 == 0
        is_sure = is_encoded and is_whole and (b"=" in text or len(digits) >= _SURE_DIGITS_MIN)
        # One digit alone in a group holds no octet: this is an equation, or a word before a ruler.
        fits = b"=" not in text or (len(self._rest) + len(text.partition(b"=")[0])) % 4 != 1
        if is_encoded and fits and (is_sure or not (is_held or self._may_have_ended)):
            self._accept(text)
            return True
        as_long = not self._begun or abs(len(digits) - self._longest) < 4
        is_prose = _PROSE.search(text) is not None or not digits
        if is_held or is_prose or not as_long or self._may_have_ended:
            return False
        self._damaged = True
        self._flush()  # its gaps shift no other line
        self._accept(digits)
        self._flush()
        return True

    def _accept(self, text: bytes) -> None:
        """Decode the chunks of a line; each ends with its padding."""
        if self._may_have_ended:
            self._flush()
        for digits, padding in _CHUNK.findall(text):
            self._damaged |= self._padded
            joined = self._rest + digits
            whole = len(joined) - len(joined) % 4
            self._decoded.append(binascii.a2b_base64(joined[:whole]))
            self._rest = joined[whole:]
            if padding:
                self._flush()
            self._begun, self._padded, self._last = True, bool(padding), len(digits)
            self._longest = max(self._longest, self._last)

    def _flush(self) -> None:
        """Decode the digits of an incomplete group. Six bits alone are not an octet."""
        rest, self._rest = self._rest, b""
        if len(rest) == 1:
            self._damaged, rest = True, b""
        self._decoded.append(binascii.a2b_base64(rest + b"=" * (-len(rest) % 4)))


def _has_digit(text: bytes) -> bool:
    return text.translate(None, _NOT_DIGITS) != b""
