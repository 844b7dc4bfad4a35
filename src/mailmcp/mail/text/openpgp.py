"""OpenPGP inside plain text: clear-signed text is read through, encrypted text is recognised.

The cleartext signature framework of RFC 9580 section 7, and the armour of section
6.2. Signatures are not checked.
"""

import re
from dataclasses import dataclass
from typing import Final

_SIGNED: Final = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE: Final = "-----BEGIN PGP SIGNATURE-----"
_END: Final = "-----END PGP SIGNATURE-----"
_ENCRYPTED: Final = re.compile(
    r"^-----BEGIN PGP MESSAGE(?:, PART \d{1,4}(?:/\d{1,4})?)?-----[ \t\r]*$", re.MULTILINE
)
_ARMOUR_HEADER: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,40}: ")
_ARMOUR_HEADERS_MAX: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearSigned:
    """Text out of its cleartext signatures."""

    text: str
    """Without armour lines and signatures, dash-escapes undone."""

    signed: bool
    """Whether any of it was clear-signed; if not, `text` is what was given."""


def read_clear_signed(text: str) -> ClearSigned:
    """Take clear-signed text out of its armour; what stands before and after it stays.

    Args:
        text: Lines parted by newlines.
    """
    if _SIGNED not in text:
        return ClearSigned(text=text, signed=False)
    lines = text.split("\n")
    kept: list[str] = []
    signed = False
    at = 0
    while at < len(lines):
        if lines[at].rstrip() != _SIGNED:
            kept.append(lines[at])
            at += 1
            continue
        signed = True
        at = _after_headers(lines, at + 1)
        while at < len(lines) and lines[at].rstrip() != _SIGNATURE:
            kept.append(lines[at].removeprefix("- "))
            at += 1
        while at < len(lines) and lines[at].rstrip() != _END:
            at += 1
        at += 1
    return ClearSigned(text="\n".join(kept), signed=signed)


def holds_encrypted(text: str) -> bool:
    """Tell whether there is an encrypted OpenPGP message in the text."""
    return "-----BEGIN PGP MESSAGE" in text and _ENCRYPTED.search(text) is not None


def _after_headers(lines: list[str], at: int) -> int:
    """Skip the armour headers (``Hash: SHA512``) and the empty line that ends them."""
    for _ in range(_ARMOUR_HEADERS_MAX):
        if at >= len(lines) or _ARMOUR_HEADER.match(lines[at]) is None:
            break
        at += 1
    return at + 1 if at < len(lines) and not lines[at].strip() else at
