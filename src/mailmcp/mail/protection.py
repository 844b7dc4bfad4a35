"""Whether a message is signed or encrypted, by its structure and text.

S/MIME (RFC 8551), OpenPGP in MIME (RFC 3156) and in plain text. Nothing is verified or decrypted:
a signature that is found here need not be good.
"""

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


def protection_note(root: Part | None, text: str, *, clear_signed: bool = False) -> str:
    """Describe in one sentence how a message is protected; "" for an ordinary message.

    Args:
        root: Its structure.
        text: Its text, as `body.BodyText.text`.
        clear_signed: Whether a cleartext signature was removed from the text (`body.BodyText.clear_signed`).
    """
    part = root
    while part is not None:
        if note := _note_of(part, text):
            return note
        # Mailing lists wrap a signed message in multipart/mixed.
        part = part.parts[0] if part.content_type == "multipart/mixed" and part.parts else None
    if holds_encrypted(text):
        return _PARTLY if _around_armour(text) else _ENCRYPTED.format("OpenPGP")
    return _SIGNED.format("OpenPGP") if clear_signed else ""


def _note_of(part: Part, text: str) -> str:
    if part.content_type == "multipart/encrypted":
        smime = part.params.get("protocol", "").lower() in PKCS7_TYPES
        return _ENCRYPTED.format("S/MIME" if smime else "OpenPGP")
    if part.content_type == "multipart/signed":
        inner = _note_of(part.parts[0], text) if part.parts else ""
        if inner in (_ENCRYPTED.format("S/MIME"), _ENCRYPTED.format("OpenPGP")):
            return inner
        types = {part.params.get("protocol", "").lower(), *(child.content_type for child in part.parts[1:])}
        return _SIGNED.format("OpenPGP" if types.isdisjoint(_SMIME_PROTOCOLS) else "S/MIME")
    # By its smime-type, else by its content, else by its file name (RFC 8551 section 3.2).
    if part.is_declared_signed or (part.is_named_signed and text):
        return _WRAPPED
    if part.content_type not in PKCS7_TYPES and not part.is_named_signed:
        return ""
    kind = part.params.get("smime-type", "").lower()
    neither = kind in _NEITHER or part.filename.lower().endswith((".p7c", ".p7z"))
    return "" if neither else _ENCRYPTED.format("S/MIME")


def _around_armour(text: str) -> str:
    """Return the text outside of the armour."""
    before, _, rest = text.partition("-----BEGIN PGP MESSAGE")
    _, end, after = rest.rpartition("-----END PGP MESSAGE-----")
    return (before + (after if end else "")).strip()
