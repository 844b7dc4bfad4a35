"""Unpacks the RTF of Outlook's messages ([MS-OXRTFCP])."""

import struct
from typing import Final

from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError

_HEADER: Final = struct.Struct("<IIII")
_COMPRESSED: Final = b"LZFu"
_STORED: Final = b"MELA"
_WINDOW_OCTETS: Final = 4_096
_DICTIONARY: Final = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript "
    b"\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
"""What the window begins with (section 2.1.2.1)."""


def decompress_rtf(packed: bytes) -> bytes:
    """Return the RTF, as far as it goes: a stream that is cut ends early. Checksums aren't checked.

    Raises:
        UnreadableError: It is not compressed RTF, or too large.
    """
    if len(packed) < _HEADER.size or packed[8:12] not in {_COMPRESSED, _STORED}:
        raise UnreadableError(Cause.MALFORMED)
    _, size, _, _ = _HEADER.unpack_from(packed)
    if size > limits.EXTRACT_OCTETS_MAX:
        raise UnreadableError(Cause.TOO_LARGE)
    body = packed[_HEADER.size :]
    return body[:size] if packed[8:12] == _STORED else _unpack(body, size)


def _unpack(body: bytes, size: int) -> bytes:
    """Undo the compression: each bit of a control octet says whether an octet or a reference follows."""
    out = bytearray(_DICTIONARY)
    start = len(out)
    at = 0
    while at < len(body) and len(out) - start < size:
        control, at = body[at], at + 1
        for bit in range(8):
            if not control >> bit & 1:
                out += body[at : at + 1]
                at += 1
                continue
            if at + 2 > len(body):
                return bytes(out[start : start + size])
            reference = body[at] << 8 | body[at + 1]
            at += 2
            distance = (len(out) - (reference >> 4)) % _WINDOW_OCTETS
            if distance == 0:  # the end
                return bytes(out[start : start + size])
            for _ in range((reference & 0xF) + 2):
                out.append(out[-distance] if distance <= len(out) else 0x20)
    return bytes(out[start : start + size])
