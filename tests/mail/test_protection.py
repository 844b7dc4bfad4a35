import pytest

from mailmcp.mail.mime.structure import Part
from mailmcp.mail.protection import protection_note

TEXT = Part(part_id="1", content_type="text/plain")


def _pkcs7(kind: str = "", filename: str = "") -> Part:
    params = {"smime-type": kind}
    return Part(part_id="1", content_type="application/pkcs7-mime", params=params, filename=filename)


@pytest.mark.parametrize(
    ("root", "says"),
    [
        (None, ""),
        (TEXT, ""),
        (Part(part_id="TEXT", content_type="multipart/signed"), "signed (OpenPGP)"),
        (_pkcs7("Enveloped-Data"), "encrypted (S/MIME)"),
        (_pkcs7("authEnveloped-data"), "encrypted (S/MIME)"),
        (_pkcs7(filename="smime.P7C"), ""),
        (_pkcs7("certs-only"), ""),
    ],
)
def test_protection_is_found_in_the_structure(root: Part | None, says: str) -> None:
    """The corpus has the others."""
    note = protection_note(root, "")
    assert note.partition(" is ")[2].startswith(says)
    assert bool(note) is bool(says)
