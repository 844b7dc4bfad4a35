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
_PLAIN: Final = re.compile(rb"[A-Za-z0-9+/]+")
_PADDED: Final = re.compile(rb"([A-Za-z0-9+/]+)={1,2}(?!=)", re.DOTALL)
_SPACED: Final = re.compile(rb"(?:(?:[A-Za-z0-9+/]{4}){4,}[ \t]+)+[A-Za-z0-9+/]*+=*")
"""Spaces instead of line ends; words are shorter."""

_PADDING: Final = frozenset((b"", b"=", b"==", b"===", b"===="))
_GROUP: Final = 4
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
        self._rest = b""  # digits of a group that is not full yet
        self._longest = 0
        self._begun = self._padded = self._stopped = False
        self._may_have_ended = False  # it was padded, or the last line was shorter than others

    @property
    def defects(self) -> tuple[str, ...]:
        """What was wrong so far."""
        return (BROKEN_BASE64,) if self.damaged else ()

    def feed(self, octets: bytes) -> bytes:
        """Take more octets and return what can be decoded by now."""
        lines = self._buffer + octets
        end = max(lines.rfind(b"\n"), lines.rfind(b"\r")) + 1
        decoded: list[bytes] = []
        at = 0
        while at < end:
            same = self._same_lines(lines, at, end)
            if same:
                decoded.append(self._decode(same))
                at += len(same)
            else:
                stop = lines.find(b"\n", at, end) + 1 or end
                decoded += map(self._take, lines[at:stop].splitlines(keepends=True))
                at = stop
        self._buffer = lines[end:]
        if len(self._buffer) > _LINE_OCTETS_MAX and _PLAIN.fullmatch(self._buffer) and not self._stopped:
            decoded.append(self._accept(self._buffer))
            self._buffer, self._may_have_ended = b"", False
        return b"".join(decoded)

    def finish(self) -> bytes:
        """Return what is left; the part ends here."""
        rest, self._buffer = self._buffer, b""
        return self._take(rest) + self._flush()

    def _same_lines(self, lines: bytes, at: int, end: int) -> bytes:
        """Return the next lines if they are of digits alone, and as long as the longest one."""
        if self._stopped or self._may_have_ended or not self._longest:
            return b""
        found = _lines_of(self._longest).match(lines, at, end)
        return found.group() if found else b""

    def _take(self, line: bytes) -> bytes:
        """Decode a line, or stop before it."""
        text = line.strip()
        if self._stopped:
            return self._pass(line)
        if text in _PADDING:
            return b""
        if _SPACED.fullmatch(text):
            text = text.translate(None, b" \t")
        padded = _PADDED.match(text)
        if padded and (len(self._rest) + padded.end()) % _GROUP == 0:
            return self._accept_padded(padded[1], text[padded.end() :], line)
        if _PLAIN.fullmatch(text):
            is_sure = len(text) >= _SURE_DIGITS_MIN and len(text) % _GROUP == 0
            return self._accept(text) if is_sure or not self._may_have_ended else self._stop(line)
        digits = text.translate(None, _NOT_DIGITS)
        fits = not self._may_have_ended and self._longest in (0, len(digits), len(text)) and digits != b""
        if not fits or len(text.split()) > 1:
            return self._stop(line)
        self.damaged = True  # its gaps shift no other line
        decoded = self._flush() + self._accept(digits) + self._flush()
        self._may_have_ended = False
        return decoded

    def _accept(self, digits: bytes) -> bytes:
        flushed = self._flush() if self._may_have_ended else b""
        self.damaged |= self._padded
        self._begun, self._padded = True, False
        self._may_have_ended = len(digits) < self._longest
        self._longest = max(self._longest, len(digits))
        return flushed + self._decode(digits)

    def _accept_padded(self, digits: bytes, tail: bytes, line: bytes) -> bytes:
        """Decode the end of what was encoded at once; a gateway may have appended more without a line end."""
        decoded = self._accept(digits) + self._flush()
        self._padded = True
        self._may_have_ended = not tail
        if not tail:
            return decoded
        self.damaged = True
        return decoded if tail[:1].isspace() else decoded + self._take(tail + line[len(line.rstrip()) :])

    def _stop(self, line: bytes) -> bytes:
        """Stop before a line. If nothing came before, all is plain text."""
        self._stopped = self.damaged = True
        return self._flush() + self._pass(line)

    def _pass(self, octets: bytes) -> bytes:
        if not self._begun:
            return octets
        self.after += octets[: TEXT_PART_OCTETS_MAX - len(self.after)]
        return b""

    def _decode(self, octets: bytes) -> bytes:
        digits = self._rest + octets.translate(None, b"\r\n")
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
