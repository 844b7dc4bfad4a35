import pytest

from mailmcp.mail.text.plain import holds_encrypted, read_clear_signed

BEGIN = "-----BEGIN PGP SIGNED MESSAGE-----"
SIGNATURE = "-----BEGIN PGP SIGNATURE-----\n\nabc\n=def\n-----END PGP SIGNATURE-----"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"{BEGIN}\nHash: SHA256\nCharset: utf-8\n\nText.\n{SIGNATURE}", "Text."),
        (f"{BEGIN}\n\n- -- \n- - x\n-y\n{SIGNATURE}", "-- \n- x\n-y"),
        (f"before\n{BEGIN}\n\nText.\n{SIGNATURE}\nafter", "before\nText.\nafter"),
        (f"{BEGIN}\nHash: SHA256\n\nnever closed", "never closed"),
        (f"{BEGIN}\nHash: SHA256", ""),
        (f"{BEGIN}\n" + "Hash: x\n" * 30 + "\nText.", "Hash: x\n" * 10 + "\nText."),
    ],
)
def test_signed_text_reads_through(text: str, read: str) -> None:
    assert read_clear_signed(text) == (read, True)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("-----BEGIN PGP MESSAGE-----\n\nabc", True),
        ("first\n-----BEGIN PGP MESSAGE-----  \nabc", True),
    ],
)
def test_encrypted_text_is_recognised(text: str, *, found: bool) -> None:
    assert holds_encrypted(text) is found
