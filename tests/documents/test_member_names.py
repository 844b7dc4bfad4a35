"""Names of archived files in the charsets of the systems that wrote them."""

import pytest

from mailmcp.documents.member_names import decode_names

NAMES = [
    ("utf-8", "Größe 報價單.txt"),
    ("gbk", "请款单2026年.txt"),
    ("cp932", "請求書2026年.pdf"),
    ("cp866", "Счёт на оплату.txt"),
    ("cp1251", "Отчёт.txt"),
    ("cp737", "Τιμολόγιο.txt"),
    ("cp862", "חשבונית.txt"),
    ("cp850", "Årsmøte Ærø.txt"),
    ("cp857", "Sipariş Özeti.txt"),
    ("cp1250", "Zażółć gęślą.txt"),
]


@pytest.mark.parametrize(("charset", "name"), NAMES)
def test_a_name_is_read_in_the_charset_that_makes_words(charset: str, name: str) -> None:
    assert decode_names([name.encode(charset)]) == [name]


def test_all_names_of_an_archive_are_in_one_charset() -> None:
    names = ["Счета/Июнь.txt", "Счета/Ё.txt", "a.txt"]
    assert decode_names([each.encode("cp866") for each in names]) == names
    assert decode_names([]) == []


def test_what_makes_no_words_is_read_as_zips_are() -> None:
    assert decode_names([b"\xb0\xb1\xb2"]) == ["░▒▓"]
