"""Base64 line by line (RFC 2045 section 6.8), up to the first line that is not base64.

Mailing lists append a plain text footer to encoded content, with padding before it or without. RFC 2045
wants other characters ignored, but a footer decoded as base64 is noise, and makes the whole text look
as if its charset were wrong. So each line is classified by itself: damaged base64 is decoded, prose ends
it. Takes pieces of any size, in memory of one line.
"""

import binascii
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from mailmcp.limits import TEXT_PART_OCTETS_MAX

BROKEN_BASE64: Final = "broken base64"

_DIGITS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NOT_DIGITS: Final = bytes(set(range(256)) - set(_DIGITS))
_LINE: Final = re.compile(rb"(?P<head>[^=]*)(?P<padding>=*)(?P<tail>.*)", re.DOTALL)
_LINE_END: Final = re.compile(rb"[\r\n]\s*")
_SPACED: Final = re.compile(rb"(?:(?:[A-Za-z0-9+/]{4}){4,}[ \t]+)+[A-Za-z0-9+/]*+")
"""Spaces instead of line ends; words are shorter."""

_GROUP: Final = 4
_PADDING_MAX: Final = 4
"""A longer row of equals signs is a ruler."""

_SURE_DIGITS_MIN: Final = 16
"""So many digits in whole groups are not a word alone on a line."""

_LINE_OCTETS_MAX: Final = 65_536
"""A longer line is decoded in pieces."""


@dataclass(frozen=True, slots=True)
class _Data:
    """What one line of base64 holds."""

    digits: bytes = b""
    padded: bool = False
    damaged: bool = False
    """Whether the line also holds something that is not base64."""

    joined: "_Data | None" = None
    """More base64 that a gateway appended after the padding."""

    @property
    def is_whole(self) -> bool:
        """Whether the line can be decoded alone."""
        return self.padded or len(self.digits) % _GROUP == 0

    @property
    def is_sure(self) -> bool:
        """Whether the line must be base64, wherever it is."""
        return not self.damaged and self.is_whole and (self.padded or len(self.digits) >= _SURE_DIGITS_MIN)


class Base64Decoder:
    """Decodes one part, fed in order."""

    before = b""

    def __init__(self) -> None:
        self.damaged = False
        """Whether something was skipped, or doesn't fit."""

        self.after = b""
        """The plain text after the last line of base64, up to TEXT_PART_OCTETS_MAX."""

        self._buffer = b""
        self._held = b""  # a line that only the next one explains
        self._rest = b""  # digits of a group that is not full yet
        self._longest = self._last = 0
        self._padded = False
        self._begun = self._stopped = False

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
        if self._held:
            decoded += self._stop(b"")
        return decoded + self._flush()

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
        if self._stopped:
            return self._pass(line)
        text = line.strip()
        if not text:
            self._held += line if 0 < len(self._held) < _LINE_OCTETS_MAX else b""
            return b""
        data = _read_line(text, pending=len(self._rest))
        if data is not None and (data.is_sure or (self._goes_on(data) and not self._held)):
            return self._take_held() + self._accept(data)
        if data is None or self._held or not data.damaged:
            return self._stop(line)
        self._held = line
        return b""

    def _goes_on(self, data: _Data) -> bool:
        """Return whether a line is base64 where it is; a damaged one, if it is as long as the others."""
        if self._may_have_ended:
            return False
        as_long = len(data.digits) == self._longest or not self._begun
        return not data.damaged or (as_long and data.digits != b"" and data.is_whole)

    def _take_held(self) -> bytes:
        """Decode the line that was held back, if any, since base64 follows. Its gaps shift no other line."""
        if not self._held:
            return b""
        held, self._held = self._held, b""
        self.damaged = True
        decoded = self._flush() + self._decode(held.translate(None, _NOT_DIGITS))
        return decoded + self._flush()

    def _accept(self, data: _Data) -> bytes:
        self._begun = True
        self.damaged |= data.damaged or (self._padded and data.digits != b"")
        decoded = self._flush() if self._may_have_ended else b""
        self._padded = data.padded
        if data.digits:
            self._last = len(data.digits)
            self._longest = max(self._longest, self._last)
        decoded += self._decode(data.digits)
        if data.padded:
            decoded += self._flush()
        return decoded + (self._accept(data.joined) if data.joined else b"")

    def _stop(self, line: bytes) -> bytes:
        """Stop before the line that is held back, or this one. If nothing came before, all is plain text."""
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
        whole = len(digits) - len(digits) % _GROUP
        self._rest = digits[whole:]
        return binascii.a2b_base64(digits[:whole])

    def _flush(self) -> bytes:
        """Decode the digits of an incomplete group. Six bits alone are not an octet."""
        rest, self._rest = self._rest, b""
        if len(rest) == 1:
            self.damaged, rest = True, b""
        return binascii.a2b_base64(rest + b"=" * (-len(rest) % _GROUP))


@lru_cache(maxsize=16)
def _lines_of(length: int) -> re.Pattern[bytes]:
    return re.compile(rb"(?:[A-Za-z0-9+/]{%d}\r?\n)+" % length)


def _read_line(text: bytes, *, pending: int) -> _Data | None:
    """Read a line as base64; None if it is prose or a ruler.

    Args:
        text: Without white space at its ends.
        pending: Digits before it that are not a whole group yet.
    """
    match = _LINE.fullmatch(text)
    assert match is not None  # noqa: S101 - it matches anything
    head, padding, tail = match["head"], match["padding"], match["tail"]
    digits = head.translate(None, _NOT_DIGITS)
    spaced = _SPACED.fullmatch(head) is not None
    prose = len(head.split()) > 1 and not spaced
    ruler = padding != b"" and not digits and (tail != b"" or len(padding) > _PADDING_MAX)
    equation = padding != b"" and (head[-1:].isspace() or (pending + len(digits)) % _GROUP == 1)
    if prose or ruler or equation:
        return None
    damaged = len(digits) != len(head) and not spaced
    joined = _read_line(tail, pending=0) if tail and not tail[:1].isspace() else None
    if joined is not None and (joined.damaged or not joined.is_whole):
        return None
    return _Data(digits=digits, padded=padding != b"", damaged=damaged or tail != b"", joined=joined)
