"""Transfer encodings to octets (RFC 2045 section 6), for parts that may be cut or broken.

`decode_transfer` decodes a part that is in memory. `open_decoder` decodes one that is too large for
that, piece by piece, in memory of about one piece. What the octets mean is for
`mailmcp.mail.charset.decode`.
"""

import binascii
import re
from dataclasses import dataclass
from typing import Final, Protocol

from mailmcp.limits import TEXT_PART_OCTETS_MAX
from mailmcp.mail.mime.base64_lines import Base64Decoder

BROKEN_UUENCODE: Final = "broken uuencode"
UNKNOWN_ENCODING: Final = "unknown transfer encoding"

WIDE_CHARSETS: Final = ("utf-16", "utf-32", "ucs-2", "ucs-4", "iso-10646-ucs")
"""Prefixes of the charsets in which most letters contain a NUL."""

_IDENTITY: Final = frozenset({"", "7bit", "8bit", "binary", "7-bit", "8-bit"})
_UUENCODE: Final = frozenset({"x-uuencode", "x-uue", "uuencode", "uue"})

_SOFT_BREAK_SPACE: Final = re.compile(rb"=[ \t]++(?=\r?\n)")  # added by gateways
_UU_BEGIN: Final = re.compile(rb"^begin [0-7]{3,4} ", re.MULTILINE)
_LINE_OCTETS_MAX: Final = 65_536
"""A longer line is decoded in pieces: SMTP allows 998 octets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferDecoded:
    """Content without its transfer encoding."""

    octets: bytes
    defects: tuple[str, ...] = ()

    before: bytes = b""
    """Plain text before the encoded content; not part of a file."""

    after: bytes = b""
    """Plain text after it: the footer of a mailing list."""


class TransferDecoder(Protocol):
    """Decodes one part, fed in order."""

    before: bytes
    """As in `TransferDecoded`, up to TEXT_PART_OCTETS_MAX."""

    after: bytes

    @property
    def defects(self) -> tuple[str, ...]:
        """What was wrong so far."""

    def feed(self, octets: bytes) -> bytes:
        """Take more of the part and return what can be decoded by now."""

    def finish(self) -> bytes:
        """Return the rest; the part ends here."""


def is_identity(encoding: str) -> bool:
    """Return whether a transfer encoding, in any case, leaves octets as they are."""
    return encoding.strip().lower() in _IDENTITY


def complete_lines(octets: bytes) -> bytes:
    """Drop the last line of a part that was cut: no escape of an encoding spans lines."""
    return octets[: octets.rfind(b"\n") + 1] or octets


def decode_transfer(octets: bytes, encoding: str) -> TransferDecoded:
    """Decode a part as far as possible.

    Args:
        octets: As stored; may be cut anywhere.
        encoding: Its name, in any case; "" means none. An unknown one leaves the octets as they
            are, with a defect. So does uuencode without a file in it.
    """
    if is_identity(encoding):
        return TransferDecoded(octets=octets)
    if encoding.strip().lower() == "quoted-printable":
        return TransferDecoded(octets=_decode_quoted_printable(octets))
    decoder = open_decoder(encoding)
    if isinstance(decoder, _Uuencode) and _UU_BEGIN.search(octets) is None:
        return TransferDecoded(octets=octets, defects=(BROKEN_UUENCODE,))
    decoded = decoder.feed(octets) + decoder.finish()
    return TransferDecoded(
        octets=decoded, defects=decoder.defects, before=decoder.before, after=decoder.after
    )


def open_decoder(encoding: str) -> TransferDecoder:
    """Return a decoder for an encoding, named in any case; "" means none."""
    name = encoding.strip().lower()
    if name == "base64":
        return Base64Decoder()
    if name == "quoted-printable":
        return _QuotedPrintable()
    return _Uuencode() if name in _UUENCODE else _Identity(known=name in _IDENTITY)


class _Identity:
    before = after = b""

    def __init__(self, *, known: bool) -> None:
        self.defects = () if known else (UNKNOWN_ENCODING,)

    def feed(self, octets: bytes) -> bytes:
        return octets

    def finish(self) -> bytes:
        return b""


class _QuotedPrintable:
    """Decodes whole lines: no escape crosses the end of a line."""

    before = after = b""
    defects: tuple[str, ...] = ()

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, octets: bytes) -> bytes:
        lines = self._rest + octets
        end = lines.rfind(b"\n") + 1
        if len(lines) - end > _LINE_OCTETS_MAX:
            escape = lines.rfind(b"=", len(lines) - 2)
            end = escape if escape >= 0 else len(lines)
        self._rest = lines[end:]
        return _decode_quoted_printable(lines[:end])

    def finish(self) -> bytes:
        return _decode_quoted_printable(self._rest)


def _decode_quoted_printable(lines: bytes) -> bytes:
    return binascii.a2b_qp(_SOFT_BREAK_SPACE.sub(b"=", lines))


class _Uuencode:
    """Decodes at the end: few parts are uuencoded, and none are large."""

    def __init__(self) -> None:
        self.before = self.after = b""
        self.defects: tuple[str, ...] = (BROKEN_UUENCODE,)
        self._octets: list[bytes] = []

    def feed(self, octets: bytes) -> bytes:
        self._octets.append(octets)
        return b""

    def finish(self) -> bytes:
        """Decode the lines between `begin` and `end`; a line that isn't uuencoded ends them too."""
        octets = b"".join(self._octets)
        begin = _UU_BEGIN.search(octets)
        self.before = octets[: begin.start() if begin else TEXT_PART_OCTETS_MAX]
        lines = octets[begin.start() :].splitlines(keepends=True)[1:] if begin else []
        decoded: list[bytes] = []
        for number, line in enumerate(lines, start=1):
            content, rest = line.rstrip(b"\r\n"), lines[number:]
            if content == b"end":
                self.defects, self.after = (), b"".join(rest)[:TEXT_PART_OCTETS_MAX]
                break
            try:
                piece = binascii.a2b_uu(content)
            except binascii.Error:
                self.after = b"".join([line, *rest])[:TEXT_PART_OCTETS_MAX]
                break
            # What a line lacks counts as zeros, since mailers strip spaces. One without an end was cut.
            decoded.append(piece if line.endswith(b"\n") else piece[: (len(content) - 1) * 3 // 4])
        return b"".join(decoded)
