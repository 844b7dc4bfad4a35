"""Base64 line by line (RFC 2045 section 6.8), up to the first line that is not base64.

Mailing lists append a plain text footer to encoded content, with padding before it or without. RFC 2045
wants other characters ignored, but a footer decoded as base64 is noise, and makes the whole text look
as if its charset were wrong. Takes pieces of any size, in memory of one line.
"""

import binascii
import re
from functools import lru_cache
from typing import Final

from mailmcp.limits import TEXT_PART_OCTETS_MAX

BROKEN_BASE64: Final = "broken base64"

_DIGITS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NOT_DIGITS: Final = bytes(set(range(256)) - set(_DIGITS))
_LINE_END: Final = re.compile(rb"[\r\n]\s*")
_CHUNK: Final = re.compile(rb"([A-Za-z0-9+/]+)(=*)")
_ENCODED: Final = re.compile(rb"(?:[A-Za-z0-9+/]++={0,4}+)++|={1,4}")
_SPACED: Final = re.compile(rb"(?:(?:[A-Za-z0-9+/]{4}){4,}[ \t]+)+[A-Za-z0-9+/]*+=*")
"""Spaces instead of line ends; words are shorter."""

_WORDS_BEHIND: Final = re.compile(rb"([A-Za-z0-9+/]++={1,2})[ \t]+[^=]*")
_PROSE: Final = re.compile(rb"\s|://|@")
_SURE_DIGITS_MIN: Final = 16
"""So many digits in whole groups are not a word alone on a line."""

_LINE_OCTETS_MAX: Final = 65_536
"""A longer line is decoded in pieces."""


class Base64Decoder:
    """Decodes one part, fed in order."""

    before = b""

    def __init__(self) -> None:
        self.damaged = False
        """Whether something was skipped, or doesn't fit."""

        self.after = b""
        """The plain text after the last line of base64, up to TEXT_PART_OCTETS_MAX."""

        self._buffer = b""
        self._held = b""  # lines without any digit: skipped if base64 follows, else the start of a footer
        self._rest = b""  # digits of a group that is not full yet
        self._longest = self._last = 0
        self._padded = self._begun = self._stopped = False

    @property
    def defects(self) -> tuple[str, ...]:
        """What was wrong so far."""
        return (BROKEN_BASE64,) if self.damaged else ()

    def feed(self, octets: bytes) -> bytes:
        """Take more octets and return what can be decoded by now."""
        self._buffer += octets
        decoded: list[bytes] = []
        at = 0
        while (end := self._line_end(at)) > at:
            line = self._buffer[at:end]
            decoded.append(self._take(line))
            run = self._same_lines(line, end)
            decoded.append(self._decode(run))
            at = end + len(run)
        self._buffer = self._buffer[at:]
        return b"".join(decoded)

    def finish(self) -> bytes:
        """Return what is left; the part ends here."""
        rest, self._buffer = self._buffer, b""
        decoded = self._take(rest)
        return decoded + (self._stop(b"") if self._held else self._flush())

    def _line_end(self, at: int) -> int:
        """Return the offset after the line at `at` and its line end; `at` if that has not come yet."""
        if self._stopped:
            return len(self._buffer)
        found = _LINE_END.search(self._buffer, at, at + _LINE_OCTETS_MAX)
        if found is not None:
            return found.end()
        return at + _LINE_OCTETS_MAX if len(self._buffer) - at >= _LINE_OCTETS_MAX else at

    def _same_lines(self, line: bytes, at: int) -> bytes:
        """Return the following lines of digits alone that are as long as the one before them."""
        length = len(line.rstrip())
        if self._stopped or self._held or length != self._last or self._may_have_ended:
            return b""
        found = _lines_of(length).match(self._buffer, at)
        return found.group() if found else b""

    @property
    def _may_have_ended(self) -> bool:
        """Whether the content may be complete: it was padded, or the last line was shorter than others."""
        return self._padded or self._last < self._longest

    def _take(self, line: bytes) -> bytes:
        """Decode a line, hold it back, or stop before it."""
        text = line.strip()
        if self._stopped:
            return self._pass(line)
        if not text:
            self._held += line if 0 < len(self._held) < _LINE_OCTETS_MAX else b""
            return b""
        if found := _WORDS_BEHIND.fullmatch(text):
            text, self.damaged = found[1], True
        digits = text.translate(None, _NOT_DIGITS)
        is_encoded = _ENCODED.fullmatch(text) is not None or _SPACED.fullmatch(text) is not None
        is_whole = b"=" in text or (len(self._rest) + len(digits)) % 4 == 0
        is_sure = is_encoded and is_whole and (b"=" in text or len(digits) >= _SURE_DIGITS_MIN)
        # One digit alone in a group holds no octet: this is an equation, or a word before a ruler.
        fits = b"=" not in text or (len(self._rest) + len(text.partition(b"=")[0])) % 4 != 1
        if is_encoded and fits and (is_sure or not (self._held or self._may_have_ended)):
            self.damaged |= bool(self._held)
            self._held = b""
            return self._accept(text)
        if self._held or digits:
            as_long = not self._begun or abs(len(digits) - self._longest) < 4
            is_prose = _PROSE.search(text) is not None or not digits
            if self._held or is_prose or not as_long or self._may_have_ended:
                return self._stop(line)
            self.damaged = True  # its gaps shift no other line
            return self._flush() + self._accept(digits) + self._flush()
        self._held = line
        return b""

    def _accept(self, text: bytes) -> bytes:
        """Decode the chunks of a line; each ends with its padding."""
        decoded = self._flush() if self._may_have_ended else b""
        for digits, padding in _CHUNK.findall(text):
            self.damaged |= self._padded
            decoded += self._decode(digits) + (self._flush() if padding else b"")
            self._begun, self._padded, self._last = True, bool(padding), len(digits)
            self._longest = max(self._longest, self._last)
        return decoded

    def _stop(self, line: bytes) -> bytes:
        """Stop before the lines held back, or this one. If nothing came before, all is plain text."""
        held, self._held = self._held, b""
        self._stopped = self.damaged = True
        return self._flush() + self._pass(held + line)

    def _pass(self, octets: bytes) -> bytes:
        if not self._begun:
            return octets
        self.after += octets[: TEXT_PART_OCTETS_MAX - len(self.after)]
        return b""

    def _decode(self, octets: bytes) -> bytes:
        digits = self._rest + octets.translate(None, b" \t\r\n")
        whole = len(digits) - len(digits) % 4
        self._rest = digits[whole:]
        return binascii.a2b_base64(digits[:whole])

    def _flush(self) -> bytes:
        """Decode the digits of an incomplete group. Six bits alone are not an octet."""
        rest, self._rest = self._rest, b""
        if len(rest) == 1:
            self.damaged, rest = True, b""
        return binascii.a2b_base64(rest + b"=" * (-len(rest) % 4))


@lru_cache(maxsize=16)
def _lines_of(length: int) -> re.Pattern[bytes]:
    return re.compile(rb"(?:[A-Za-z0-9+/]{%d}\r?\n)+" % length)
