"""Transfer encodings to octets (RFC 2045 section 6), for parts that may be cut or broken.

What the octets mean is for `mailmcp.mail.charset.decode`.
"""

import binascii
import re
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.mime.base64_lines import BROKEN_BASE64, Base64Decoder

BROKEN_UUENCODE: Final = "broken uuencode"
UNKNOWN_ENCODING: Final = "unknown transfer encoding"
NULS_LOST: Final = "NUL octets may be lost: the server gives 0x80 in their place"

_IDENTITY: Final = frozenset({"", "7bit", "8bit", "binary", "7-bit", "8-bit"})
WIDE_CHARSETS: Final = ("utf-16", "utf-32", "ucs-2", "ucs-4", "iso-10646-ucs")
"""Beginnings of the names of charsets in which the letters of most languages hold a NUL."""

UUENCODE_NAMES: Final = frozenset({"x-uuencode", "x-uue", "uuencode", "uue"})
_HAS_80: Final = re.compile(r"(?:windows-|cp|ibm|koi8|mac|gb|big5|shift_jis|x-sjis|euc-kr|ks_c_5601)")
_SOFT_BREAK_SPACE: Final = re.compile(rb"=[ \t]++(?=\r?\n)")  # added by gateways
_UU_BEGIN: Final = re.compile(rb"(?:\A|\n)begin [0-7]{3,4} [^\r\n]*\r?\n")
_LINE_END: Final = re.compile(rb"\r?\n")
ENCODED: Final = UUENCODE_NAMES | {"base64", "quoted-printable"}
"""Encodings in ASCII: what is so encoded holds neither NUL nor what a server may put in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferDecoded:
    """Content with its transfer encoding taken off."""

    octets: bytes
    defects: tuple[str, ...] = ()

    before: bytes = b""
    """What stands before the encoded content and is not encoded; no part of a file."""

    after: bytes = b""
    """What stands behind it: the footer of a mailing list."""


def is_identity(encoding: str) -> bool:
    """Tell whether a transfer encoding, in any case, leaves octets as they are."""
    return encoding.strip().lower() in _IDENTITY


def may_lack_nuls(octets: bytes, charset: str = "") -> bool:
    """Whether octets that were not encoded may have had NULs where the server gave 0x80, as Dovecot does.

    Args:
        octets: As the server gave them.
        charset: Of a text, as declared. In UTF-8, and in charsets that have a character of that octet,
            it is believed.
    """
    if b"\x80" not in octets or b"\0" in octets:
        return False
    name = charset.strip().lower()
    if name.startswith(WIDE_CHARSETS):
        return True
    return not any(_reads_as(octets, each) for each in ("utf-8", *([name] if _HAS_80.match(name) else ())))


def _reads_as(octets: bytes, charset: str) -> bool:
    try:
        octets.decode(charset)
    except (UnicodeDecodeError, LookupError):
        return False
    return True


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
    decoder = Base64Decoder()
    decoded = decoder.feed(octets) + decoder.finish()
    return TransferDecoded(
        octets=decoded, after=decoder.after, defects=(BROKEN_BASE64,) if decoder.damaged else ()
    )


def _decode_uuencode(octets: bytes) -> TransferDecoded:
    begin = _UU_BEGIN.search(octets)
    if begin is None:
        return TransferDecoded(octets=octets, defects=(BROKEN_UUENCODE,))
    decoded: list[bytes] = []
    at, ended = begin.end(), False
    while not ended and at < len(octets):
        line_end = _LINE_END.search(octets, at)
        end = line_end.start() if line_end else len(octets)
        line = octets[at:end]
        ended = line == b"end"
        try:
            content = b"" if ended else binascii.a2b_uu(line)
        except binascii.Error:
            break
        # What a line lacks counts as zeros, since mailers strip spaces; but the last line was cut.
        decoded.append(content if line_end else content[: (len(line) - 1) * 3 // 4])
        at = line_end.end() if line_end else len(octets)
    return TransferDecoded(
        octets=b"".join(decoded),
        before=octets[: begin.start()],
        after=octets[at:],
        defects=() if ended else (BROKEN_UUENCODE,),
    )
