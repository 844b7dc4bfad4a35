"""What HTML says of its own charset."""

import pytest

from mailmcp.mail.html.declared_charset import find_declared_charset


@pytest.mark.parametrize(
    ("html", "charset"),
    [
        ("", ""),
        ("<p>charset=koi8-r", ""),
        ("<meta charset=koi8-r>", "koi8-r"),
        ("<META CharSet = 'KOI8-R'>", "KOI8-R"),
        ("<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>", "koi8-r"),
        ("<meta content='text/html; charset=koi8-r' http-equiv=content-type>", "koi8-r"),
        ("<meta charset=x-none><meta charset=shift_jis>", "shift_jis"),
        ("<meta charset=x-none><meta charset=x-other>", "x-none"),
        ("<meta name=description content='charset=shift_jis'><meta charset=utf-8>", "utf-8"),
        ("<meta data-charset=shift_jis><meta charset=utf-8>", "utf-8"),
    ],
)
def test_only_what_chromium_takes_for_a_declaration_counts(html: str, charset: str) -> None:
    assert find_declared_charset(html.encode()) == charset
