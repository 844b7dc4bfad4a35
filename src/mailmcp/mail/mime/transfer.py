"""Transfer encodings to octets (RFC 2045 section 6), for parts that may be cut or broken.

What the octets mean is for `mailmcp.mail.charset.decode`.
"""

import binascii
import re
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.mime.base64_lines import decode_base64

BROKEN_BASE64: Final = "broken base64"
BROKEN_UUENCODE: Final = "broken uuencode"
UNKNOWN_ENCODING: Final = "unknown transfer encoding"

WIDE_CHARSETS: Final = ("utf-16", "utf-32", "ucs-2", "ucs-4", "iso-10646-ucs")
"""Prefixes of the charsets in which most letters contain a NUL."""

_IDENTITY: Final = frozenset({"", "7bit", "8bit", "binary", "7-bit", "8-bit"})
_UUENCODE: Final = frozenset({"x-uuencode", "x-uue", "uuencode", "uue"})
_AFTER_OCTETS_MAX: Final = 524_288  # of plain text around encoded content
_SOFT_BREAK_SPACE: Final = re.compile(rb"=[ \t]++(?=\r?\n)")  # added by gateways
_UU_BEGIN: Final = re.compile(rb"^begin [0-7]{3,4} ", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferDecoded:
    """Content without its transfer encoding."""

    octets: bytes
    defects: tuple[str, ...] = ()

    before: bytes = b""
    """Plain text before the encoded content; not part of a file."""

    after: bytes = b""
    """Plain text after it: the footer of a mailing list."""


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
    name = encoding.strip().lower()
    if name in _IDENTITY:
        return TransferDecoded(octets=octets)
    if name == "quoted-printable":
        return TransferDecoded(octets=binascii.a2b_qp(_SOFT_BREAK_SPACE.sub(b"=", octets)))
    if name == "base64":
        decoded, after, is_damaged = decode_base64(octets)
        defects = (BROKEN_BASE64,) if is_damaged else ()
        return TransferDecoded(octets=decoded, defects=defects, after=after[:_AFTER_OCTETS_MAX])
    if name in _UUENCODE:
        return _decode_uuencode(octets)
    return TransferDecoded(octets=octets, defects=(UNKNOWN_ENCODING,))


def _decode_uuencode(octets: bytes) -> TransferDecoded:
    """Decode the lines between `begin` and `end`; a line that isn't uuencoded ends them too."""
    begin = _UU_BEGIN.search(octets)
    if begin is None:
        return TransferDecoded(octets=octets, defects=(BROKEN_UUENCODE,))
    decoded: list[bytes] = []
    after, is_whole = b"", False
    lines = octets[begin.start() :].splitlines(keepends=True)[1:]
    for number, line in enumerate(lines):
        content = line.rstrip(b"\r\n")
        if content == b"end":
            is_whole, after = True, b"".join(lines[number + 1 :])
            break
        try:
            piece = binascii.a2b_uu(content)
        except binascii.Error:
            after = b"".join(lines[number:])
            break
        # What a line lacks counts as zeros, since mailers strip spaces. One without an end was cut.
        decoded.append(piece if line.endswith(b"\n") else piece[: (len(content) - 1) * 3 // 4])
    return TransferDecoded(
        octets=b"".join(decoded),
        defects=() if is_whole else (BROKEN_UUENCODE,),
        before=octets[: min(begin.start(), _AFTER_OCTETS_MAX)],
        after=after[:_AFTER_OCTETS_MAX],
    )
