import pytest

from mailmcp.mail.mime.structure import Part
from mailmcp.mail.protection import protection_note

TEXT = Part(part_id="1", content_type="text/plain")
SMIME = Part(part_id="2", content_type="application/x-pkcs7-signature")
KEY = Part(part_id="2", content_type="application/pgp-signature")
ARMOUR = "-----BEGIN PGP MESSAGE-----\n\nabc\n-----END PGP MESSAGE-----\n"

ENCRYPTED_PGP = "The message is encrypted (OpenPGP); its text can't be read here."
ENCRYPTED_SMIME = "The message is encrypted (S/MIME); its text can't be read here."
PARTLY = "Part of the message is encrypted (OpenPGP) and can't be read here."
SIGNED_PGP = "The message is signed (OpenPGP); the signature was not checked."
SIGNED_SMIME = "The message is signed (S/MIME); the signature was not checked."
WRAPPED = (
    "The message is signed (S/MIME) in one piece with its text and attachments; "
    "the signature was not checked."
)


def _multipart(kind: str, *parts: Part, protocol: str = "") -> Part:
    return Part(part_id="TEXT", content_type=f"multipart/{kind}", params={"protocol": protocol}, parts=parts)


def _pkcs7(kind: str = "", filename: str = "") -> Part:
    params = {"smime-type": kind}
    return Part(part_id="1", content_type="application/pkcs7-mime", params=params, filename=filename)


@pytest.mark.parametrize(
    ("root", "note"),
    [
        (None, ""),
        (TEXT, ""),
        (_multipart("mixed"), ""),
        (_multipart("encrypted", protocol="application/pgp-encrypted"), ENCRYPTED_PGP),
        (_multipart("encrypted", protocol="application/pkcs7-mime"), ENCRYPTED_SMIME),
        (_multipart("signed", TEXT, KEY, protocol="application/pgp-signature"), SIGNED_PGP),
        (_multipart("signed", TEXT, SMIME), SIGNED_SMIME),
        (_multipart("signed"), SIGNED_PGP),
        (_multipart("mixed", _multipart("signed", TEXT, KEY)), SIGNED_PGP),
        (_multipart("signed", _multipart("encrypted"), KEY), ENCRYPTED_PGP),
        (_pkcs7("signed-data"), WRAPPED),
        (_pkcs7("Enveloped-Data"), ENCRYPTED_SMIME),
        (_pkcs7("authEnveloped-data"), ENCRYPTED_SMIME),
        (_pkcs7(filename="smime.P7C"), ""),
        (_pkcs7("certs-only"), ""),
    ],
)
def test_protection_is_found_in_the_structure(root: Part | None, note: str) -> None:
    assert protection_note(root, "") == note


@pytest.mark.parametrize(
    ("text", "clear_signed", "note"),
    [
        ("plain", False, ""),
        ("plain", True, SIGNED_PGP),
        (ARMOUR, False, ENCRYPTED_PGP),
        (f"The key:\n{ARMOUR}", False, PARTLY),
    ],
)
def test_protection_is_found_in_the_text(text: str, note: str, *, clear_signed: bool) -> None:
    assert protection_note(TEXT, text, clear_signed=clear_signed) == note
