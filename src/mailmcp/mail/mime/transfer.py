"""Transfer encodings to octets (RFC 2045 section 6), for parts that may be cut or broken.

What the octets mean is for `mailmcp.mail.charset`.
"""

import binascii
import re
from dataclasses import dataclass
from typing import Final

BROKEN_BASE64: Final = "broken base64"
BROKEN_UUENCODE: Final = "broken uuencode"
UNKNOWN_ENCODING: Final = "unknown transfer encoding"

_IDENTITY: Final = frozenset({"", "7bit", "8bit", "binary", "7-bit", "8-bit"})
UUENCODE_NAMES: Final = frozenset({"x-uuencode", "x-uue", "uuencode", "uue"})
_BASE64_SPACE: Final = re.compile(rb"\s+")
_WORDS: Final = re.compile(rb"[^\s] +[^\s]")
_BASE64_JUNK: Final = re.compile(rb"[^A-Za-z0-9+/]+")
_SOFT_BREAK_SPACE: Final = re.compile(rb"=[ \t]++(?=\r?\n)")  # added by gateways
# Padding in the middle: two encodings that a gateway has joined, each decoded for itself; or the
# footer of a mailing list, which is no base64.
_PADDING: Final = re.compile(rb"=+")
_UU_BEGIN: Final = re.compile(rb"(?:\A|\n)begin [0-7]{3,4} [^\r\n]*\r?\n")
_LINE_END: Final = re.compile(rb"\r?\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferDecoded:
    """Content with its transfer encoding taken off."""

    octets: bytes
    defects: tuple[str, ...] = ()


def is_identity(encoding: str) -> bool:
    """Tell whether a transfer encoding, in any case, leaves octets as they are."""
    return encoding.strip().lower() in _IDENTITY


def decode_transfer(octets: bytes, encoding: str) -> TransferDecoded:
    """Take off a transfer encoding as far as it goes.

    Args:
        octets: As stored; may be cut anywhere.
        encoding: Its name, in any case; "" means none. An unknown one leaves
            the octets as they are, with a defect.
    """
    name = encoding.strip().lower()
    if is_identity(name):
        return TransferDecoded(octets=octets)
    if name == "quoted-printable":
        return TransferDecoded(octets=binascii.a2b_qp(_SOFT_BREAK_SPACE.sub(b"=", octets)))
    if name == "base64":
        return _decode_base64(octets)
    if name in UUENCODE_NAMES:
        return _decode_uuencode(octets)
    return TransferDecoded(octets=octets, defects=(UNKNOWN_ENCODING,))


def _decode_base64(octets: bytes) -> TransferDecoded:
    pieces = [piece for piece in _PADDING.split(octets) if piece.strip()]
    broken = len(pieces) > 1
    decoded: list[bytes] = []
    for number, piece in enumerate(pieces):
        packed = _BASE64_SPACE.sub(b"", piece)
        digits = _BASE64_JUNK.sub(b"", packed)
        if number and (len(digits) != len(packed) or _WORDS.search(piece.strip()) is not None):
            break
        broken = broken or len(digits) != len(packed)
        if len(digits) % 4 == 1:  # six bits that are no octet: it was cut here
            digits, broken = digits[:-1], True
        decoded.append(binascii.a2b_base64(digits + b"=" * (-len(digits) % 4)))
    return TransferDecoded(octets=b"".join(decoded), defects=(BROKEN_BASE64,) if broken else ())


def _decode_uuencode(octets: bytes) -> TransferDecoded:
    begin = _UU_BEGIN.search(octets)
    if begin is None:
        return TransferDecoded(octets=octets, defects=(BROKEN_UUENCODE,))
    lines = _LINE_END.split(octets[begin.end() :])
    decoded: list[bytes] = []
    for number, line in enumerate(lines, start=1):
        if line == b"end":
            return TransferDecoded(octets=b"".join(decoded))
        try:
            content = binascii.a2b_uu(line)
        except binascii.Error:
            break
        # What a line lacks counts as zeros, since mailers strip spaces; but the last line was cut.
        decoded.append(content if number < len(lines) else content[: (len(line) - 1) * 3 // 4])
    return TransferDecoded(octets=b"".join(decoded), defects=(BROKEN_UUENCODE,))
