"""Transfer encodings of parts that are too large to hold at once: piece by piece, in memory of one piece.

What comes out is what `mailmcp.mail.mime.transfer` makes of the whole; but a text without a uuencoded
file in it is nothing here, and there stays as it is.
"""

import binascii
import re
from abc import ABC, abstractmethod
from typing import Final

from typing_extensions import override

from mailmcp.mail.mime.base64_lines import BROKEN_BASE64, Base64Decoder
from mailmcp.mail.mime.transfer import BROKEN_UUENCODE, UUENCODE_NAMES, decode_transfer

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
    """Up to the first line that is not base64; what follows is no part of a file."""

    def __init__(self) -> None:
        super().__init__()
        self._decoder = Base64Decoder()

    @override
    def feed(self, octets: bytes) -> bytes:
        return self._decoder.feed(octets)

    @override
    def finish(self) -> bytes:
        decoded = self._decoder.finish()
        if self._decoder.damaged:
            self.defects[BROKEN_BASE64] = None
        return decoded


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
