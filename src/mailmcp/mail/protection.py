"""Whether a message is signed or encrypted, by its structure and text.

S/MIME (RFC 8551), OpenPGP in MIME (RFC 3156) and in plain text. Nothing is verified or decrypted:
a signature that is found here need not be good.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.mime.structure import PKCS7_TYPES, Part
from mailmcp.mail.text.plain import holds_encrypted

_SMIME_PROTOCOLS: Final = frozenset({"application/pkcs7-signature", "application/x-pkcs7-signature"})
_NEITHER: Final = frozenset({"certs-only", "compressed-data"})

_ENCRYPTED: Final = "The message is encrypted ({}); its text can't be read here."
_PARTLY: Final = "Part of the message is encrypted (OpenPGP) and can't be read here."
_SIGNED: Final = "The message is signed ({}); the signature was not checked."
_WRAPPED: Final = (
    "The message is signed (S/MIME) in one piece with its text and attachments; "
    "the signature was not checked."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """How a message is protected."""

    encrypted: bool = False
    """Whether its text, or a part of it, is encrypted."""

    signed: bool = False
    """Whether it carries a visible signature; an encrypted message may hold another."""

    note: str = ""
    """One sentence for the reader, in our own words alone; "" for an ordinary message."""


def read_protection(root: Part | None, text: str, *, clear_signed: bool = False) -> Protection:
    """Find out how a message is protected.

    Args:
        root: Its structure.
        text: Its text, as `body.BodyText.text`.
        clear_signed: Whether a cleartext signature was removed from the text (`body.BodyText.clear_signed`).
    """
    parts = tuple(_outer(root))
    for part in parts:
        found = _from_part(part)
        if found is not None:
            return found
    if holds_encrypted(text):
        alone = not _around_armour(text)
        note = _ENCRYPTED.format("OpenPGP") if alone else _PARTLY
        return Protection(encrypted=True, signed=clear_signed, note=note)
    if clear_signed:
        return Protection(signed=True, note=_SIGNED.format("OpenPGP"))
    return Protection()


def _outer(root: Part | None) -> Iterator[Part]:
    """Yield the root, then its first part, and so on: lists put a signed message in multipart/mixed."""
    while root is not None:
        yield root
        mixed = root.content_type == "multipart/mixed" and bool(root.parts)
        root = root.parts[0] if mixed else None


def _from_part(part: Part) -> Protection | None:
    if part.content_type == "multipart/encrypted":
        smime = part.params.get("protocol", "").lower() in PKCS7_TYPES
        return Protection(encrypted=True, note=_ENCRYPTED.format("S/MIME" if smime else "OpenPGP"))
    if part.content_type == "multipart/signed":
        return _signed(part)
    if part.content_type in PKCS7_TYPES:
        return _from_pkcs7(part)
    return None


def _signed(part: Part) -> Protection:
    protocol = part.params.get("protocol", "").lower()
    smime = protocol in _SMIME_PROTOCOLS or any(
        child.content_type in _SMIME_PROTOCOLS for child in part.parts[1:]
    )
    inner = next((found for child in part.parts[:1] if (found := _from_part(child)) is not None), None)
    if inner is not None and inner.encrypted:
        return Protection(encrypted=True, signed=True, note=inner.note)
    return Protection(signed=True, note=_SIGNED.format("S/MIME" if smime else "OpenPGP"))


def _from_pkcs7(part: Part) -> Protection | None:
    """Classify an S/MIME part by its smime-type, else by its file name (RFC 8551 section 3.2)."""
    kind = part.params.get("smime-type", "").lower()
    if kind in _NEITHER or part.filename.lower().endswith((".p7c", ".p7z")):
        return None
    if kind == "signed-data":
        return Protection(signed=True, note=_WRAPPED)
    return Protection(encrypted=True, note=_ENCRYPTED.format("S/MIME"))


def _around_armour(text: str) -> str:
    """Return the text outside of the armour."""
    before, _, rest = text.partition("-----BEGIN PGP MESSAGE")
    _, end, after = rest.rpartition("-----END PGP MESSAGE-----")
    return (before + (after if end else "")).strip()
