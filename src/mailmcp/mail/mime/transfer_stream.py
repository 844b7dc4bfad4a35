"""Transfer encodings of parts that are too large to hold at once: piece by piece, in memory of one piece.

What comes out is what `mailmcp.mail.mime.transfer` makes of the whole; but a text without a uuencoded
file in it is nothing here, and there stays as it is.
"""

import binascii
import re
from abc import ABC, abstractmethod
from typing import Final

from typing_extensions import override

from mailmcp.mail.mime.transfer import BROKEN_BASE64, BROKEN_UUENCODE, UUENCODE_NAMES, decode_transfer

_DIGITS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_SPACE: Final = b" \t\n\r\v\f"
_NOT_BASE64: Final = bytes(set(range(256)) - set(_DIGITS))
_ANY_GROUP: Final = b"AAAA"
_ANY_GROUP_OCTETS: Final = 3
_BEHIND_OCTETS_MAX: Final = 8_388_608
"""What is held of octets that follow the padding; nothing but a hostile part has more."""

_UU_BEGIN: Final = re.compile(rb"begin [0-7]{3,4} ")
_LINE_OCTETS_MAX: Final = 65_536
"""A longer line is cut: SMTP allows 998 octets."""


class TransferStream(ABC):
    """Takes off one transfer encoding."""

    def __init__(self) -> None:
        self.defects: dict[str, None] = {}
        """What was wrong so far, in order."""

    @abstractmethod
    def feed(self, octets: bytes) -> bytes:
        """Take some more of the part; give what can be decoded by now."""

    @abstractmethod
    def finish(self) -> bytes:
        """Give what is left; the part ends here."""


def open_stream(encoding: str) -> TransferStream:
    """Make the stream of an encoding, named in any case; "" means none."""
    name = encoding.strip().lower()
    if name == "base64":
        return _Base64()
    if name in UUENCODE_NAMES:
        return _Uuencode()
    return _Lines(name)


class _Base64(TransferStream):
    """Digits in groups of four, up to the padding.

    What follows the padding is the footer of a mailing list, or a second encoding that a
    gateway has joined: it is held, and read in the end.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rest = b""
        self._begun = False
        self._behind: bytearray | None = None

    @override
    def feed(self, octets: bytes) -> bytes:
        if self._behind is not None:
            self._behind += octets[: _BEHIND_OCTETS_MAX - len(self._behind)]
            return b""
        if not self._begun:
            octets = octets.lstrip(_SPACE + b"=")
            self._begun = bool(octets)
        piece, padding, behind = octets.partition(b"=")
        packed = piece.translate(None, _SPACE)
        digits = packed.translate(None, _NOT_BASE64)
        if len(digits) != len(packed):
            self.defects[BROKEN_BASE64] = None
        digits = self._rest + digits
        if padding:
            self._behind = bytearray(behind[:_BEHIND_OCTETS_MAX])
        whole = len(digits) if padding else len(digits) - len(digits) % 4
        self._rest = digits[whole:]
        return self._decode(digits[:whole])

    @override
    def finish(self) -> bytes:
        rest, self._rest = self._rest, b""
        if self._behind is None:
            return self._decode(rest)
        return self._decode(_ANY_GROUP + b"=" + self._behind)[_ANY_GROUP_OCTETS:]

    def _decode(self, digits: bytes) -> bytes:
        decoded = decode_transfer(digits, "base64")
        self.defects.update(dict.fromkeys(decoded.defects))
        return decoded.octets


class _Lines(TransferStream):
    """Encodings in which no escape goes over the end of a line."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding
        self._rest = b""

    @override
    def feed(self, octets: bytes) -> bytes:
        lines = self._rest + octets
        end = lines.rfind(b"\n") + 1
        if len(lines) - end > _LINE_OCTETS_MAX:
            end = _before_escape(lines)
        self._rest = lines[end:]
        return self._decode(lines[:end])

    @override
    def finish(self) -> bytes:
        rest, self._rest = self._rest, b""
        return self._decode(rest)

    def _decode(self, lines: bytes) -> bytes:
        if not lines:
            return b""
        decoded = decode_transfer(lines, self._encoding)
        self.defects.update(dict.fromkeys(decoded.defects))
        return decoded.octets


class _Uuencode(_Lines):
    """Lines between `begin` and `end`, each by itself; what stands before and after is left out."""

    def __init__(self) -> None:
        super().__init__("uuencode")
        self._begun = self._ended = False

    @override
    def finish(self) -> bytes:
        octets = super().finish()
        if not (self._begun and self._ended):
            self.defects[BROKEN_UUENCODE] = None
        return octets

    @override
    def _decode(self, lines: bytes) -> bytes:
        decoded: list[bytes] = []
        for line in lines.splitlines(keepends=True):
            if not self._begun:
                self._begun = _UU_BEGIN.match(line) is not None
            elif not self._ended:
                decoded.append(self._decode_line(line))
        return b"".join(decoded)

    def _decode_line(self, line: bytes) -> bytes:
        content = line.rstrip(b"\r\n")
        if content == b"end":
            self._ended = True
            return b""
        try:
            octets = binascii.a2b_uu(content)
        except binascii.Error:
            self._ended = True
            self.defects[BROKEN_UUENCODE] = None
            return b""
        # What a line lacks counts as zeros, since mailers strip spaces; but one without an end was cut.
        return octets if line.endswith(b"\n") else octets[: (len(content) - 1) * 3 // 4]


def _before_escape(line: bytes) -> int:
    """Find where a line can be cut: not within an escape of quoted-printable."""
    escape = line.rfind(b"=", len(line) - 2)
    return escape if escape >= 0 else len(line)
