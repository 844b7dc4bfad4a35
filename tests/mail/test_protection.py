import pytest

from mailmcp.mail.mime.structure import Part
from mailmcp.mail.protection import Protection, read_protection

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
    ("root", "encrypted", "signed", "note"),
    [
        (None, False, False, ""),
        (TEXT, False, False, ""),
        (_multipart("mixed"), False, False, ""),
        (_multipart("mixed", TEXT, _pkcs7("enveloped-data")), False, False, ""),
        (_multipart("encrypted", protocol="application/pgp-encrypted"), True, False, ENCRYPTED_PGP),
        (_multipart("encrypted", protocol="application/pkcs7-mime"), True, False, ENCRYPTED_SMIME),
        (_multipart("signed", TEXT, KEY, protocol="application/pgp-signature"), False, True, SIGNED_PGP),
        (_multipart("signed", TEXT, SMIME), False, True, SIGNED_SMIME),
        (_multipart("signed", TEXT, protocol="application/pkcs7-signature"), False, True, SIGNED_SMIME),
        (_multipart("signed"), False, True, SIGNED_PGP),
        (_multipart("mixed", _multipart("signed", TEXT, KEY)), False, True, SIGNED_PGP),
        (_multipart("signed", _multipart("encrypted"), KEY), True, True, ENCRYPTED_PGP),
        (_multipart("signed", _multipart("signed", TEXT, SMIME), KEY), False, True, SIGNED_PGP),
        (_pkcs7("signed-data"), False, True, WRAPPED),
        (_pkcs7("Enveloped-Data"), True, False, ENCRYPTED_SMIME),
        (_pkcs7("authEnveloped-data"), True, False, ENCRYPTED_SMIME),
        (_pkcs7(filename="smime.p7m"), True, False, ENCRYPTED_SMIME),
        (_pkcs7(filename="smime.P7C"), False, False, ""),
        (_pkcs7("certs-only"), False, False, ""),
    ],
)
def test_protection_is_seen_in_the_structure(
    root: Part | None, *, encrypted: bool, signed: bool, note: str
) -> None:
    assert read_protection(root, "") == Protection(encrypted=encrypted, signed=signed, note=note)


@pytest.mark.parametrize(
    ("text", "clear_signed", "encrypted", "note"),
    [
        ("plain", False, False, ""),
        ("plain", True, False, SIGNED_PGP),
        (ARMOUR, False, True, ENCRYPTED_PGP),
        (f"The key:\n{ARMOUR}", False, True, PARTLY),
        (f"{ARMOUR}Bye", False, True, PARTLY),
        ("-----BEGIN PGP MESSAGE-----\n\ncut", False, True, ENCRYPTED_PGP),
        (ARMOUR, True, True, ENCRYPTED_PGP),
    ],
)
def test_protection_is_seen_in_the_text(text: str, *, clear_signed: bool, encrypted: bool, note: str) -> None:
    found = read_protection(TEXT, text, clear_signed=clear_signed)
    assert found == Protection(encrypted=encrypted, signed=clear_signed, note=note)
