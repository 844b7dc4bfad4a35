import pytest

from mailmcp.mail.charset.decode import guess_charset


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("您好 会议改到明天下午三点。", "gb18030"),
        ("测试邮件", "gb18030"),
    ],
)
def test_other_scripts_differ(text: str, charset: str) -> None:
    octets = b"Long ASCII text before it. " * 1_000 + text.encode(charset)
    assert octets.decode(guess_charset(octets)).endswith(text)


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"plain",
        "Müller".encode("latin-1"),
        "Der Müller wohnt in der Straße für Gäste.".encode("cp1252"),
        "L\u2019été à la plage — très agréable, déjà".encode("cp1252"),
    ],
)
def test_where_it_is_not_sure_there_is_no_guess(octets: bytes) -> None:
    assert guess_charset(octets) == ""
