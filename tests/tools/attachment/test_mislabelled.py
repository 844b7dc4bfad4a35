# ruff: noqa: RUF001 - Cyrillic letters are meant as such
"""Text that is sent under a type that says otherwise, in whatever charset, and data that is no text."""

import pytest

from tools.conftest import DeskFactory
from tools.files import attached, get, refused
from tools.stores import Store

GERMAN = "Name;Größe\nMüller;3\n"
RUSSIAN = "Название;Размер\nКоролёв;3\n"
CHINESE = "姓名;尺寸\n李小龙;三十五\n"
TABLE = "<html><body><table><tr><td>Größe</td><td>drei</td></tr></table></body></html>"
EXCEL, UNKNOWN = "application/vnd.ms-excel", "application/octet-stream"

TEXTS = [
    ("l.csv", EXCEL, GERMAN.encode("cp1252"), GERMAN),
    ("l.csv", EXCEL, RUSSIAN.encode("cp1251"), RUSSIAN),
    ("l.csv", "application/x-msexcel", CHINESE.encode("gb18030"), CHINESE),
    ("l.CSV", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", GERMAN.encode(), GERMAN),
    ("l.txt", EXCEL, GERMAN.encode("utf-16"), GERMAN),
    ("l.tsv", EXCEL, GERMAN.encode("utf-16-le"), GERMAN),
    ("l.txt", UNKNOWN, GERMAN.encode("utf-16-be"), GERMAN),
    ("l.log", "application/x-unknown-content-type", GERMAN.encode("latin-1"), GERMAN),
    ("l.xml", "application/msword", b"<a>1</a>", "<a>1</a>"),
    ("l.py", UNKNOWN, b"# Gr\xf6\xdfe\n", "# Größe"),
    # Without a name that says so, the content must.
    ("l.xls", EXCEL, TABLE.encode("cp1252"), "Größe | drei"),
    ("l.dat", UNKNOWN, RUSSIAN.encode("koi8-r"), RUSSIAN),
    ("l.xls", EXCEL, (GERMAN * 3).encode("cp1252"), GERMAN * 3),
    ("l", "application/x-a", GERMAN.encode("utf-16"), GERMAN),
]
DATA = [
    ("l.csv", EXCEL, b"a;b\x00\x01\x02\x00\x00\xff" * 9),
    ("l.txt", "image/png", b"\x89PNG and no more"),
    ("l.dat", UNKNOWN, bytes(range(1, 256)) * 2),
    ("l.bin", UNKNOWN, b"caf\xe9 au lait"),
]


def test_text_is_read_whatever_its_type(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    letters = [attached((name, content, kind)) for name, kind, content, _ in TEXTS]
    dovecot_mail.fill("INBOX", [each.as_bytes() for each in letters])
    desk = open_desk(dovecot_mail.account)
    read = [get(desk, each).data["text"] for each in desk.message_ids()]
    assert read == [text.rstrip("\n") for *_, text in TEXTS]


@pytest.mark.parametrize(("name", "kind", "content"), DATA)
def test_data_is_no_text(
    dovecot_mail: Store, open_desk: DeskFactory, name: str, kind: str, content: bytes
) -> None:
    dovecot_mail.fill("INBOX", [attached((name, content, kind)).as_bytes()])
    desk = open_desk(dovecot_mail.account)
    [message_id] = desk.message_ids()
    assert "no readable text" in refused(desk, message_id).message
