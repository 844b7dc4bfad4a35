"""Files within archives are found by their names in any form and charset, and small texts are shown."""

import io
import struct
import tarfile
import unicodedata
import zipfile

import pytest

from documents import tnef_file
from documents.documents import zipped
from documents.tnef_file import tnef
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.files import attached, get
from tools.stores import Store

NAME = "Übersicht Größe.txt"
CONTENT = b"Die Zahl ist 42\n"


def zip_of(name: bytes, *, extra: bytes = b"") -> bytes:
    """Make a zip whose directory doesn't say in which charset names are."""
    out, placeholder = io.BytesIO(), "x" * len(name)
    with zipfile.ZipFile(out, "w") as archive:
        entry = zipfile.ZipInfo(placeholder)
        entry.extra = extra
        archive.writestr(entry, CONTENT)
    return out.getvalue().replace(placeholder.encode(), name)


def tar_of(name: str, charset: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT, encoding=charset) as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(CONTENT)
        archive.addfile(entry, io.BytesIO(CONTENT))
    return out.getvalue()


def unicode_path(name: str) -> bytes:
    data = b"\x01\0\0\0\0" + name.encode()
    return struct.pack("<HH", 0x7075, len(data)) + data


DECOMPOSED = unicodedata.normalize("NFD", NAME)
ARCHIVES = [
    ("a.zip", zipped({DECOMPOSED: CONTENT}), NAME),
    ("a.zip", zip_of(DECOMPOSED.encode()), NAME),
    ("a.zip", zip_of("请款单2026年.txt".encode("gbk")), "请款单2026年.txt"),
    ("a.zip", zip_of("Договор.txt".encode("cp866")), "Договор.txt"),
    ("a.zip", zip_of(NAME.encode("cp1252")), NAME),
    ("a.zip", zip_of(b"?.txt", extra=unicode_path(NAME)), NAME),
    ("a.tar", tar_of(DECOMPOSED, "utf-8"), NAME),
    ("a.tar", tar_of("请款单2026年.txt", "gbk"), "请款单2026年.txt"),
    ("winmail.dat", tnef(tnef_file.file("x", CONTENT, {0x3707: DECOMPOSED})), NAME),
]


@pytest.fixture
def desk(dovecot_mail: Store, open_desk: DeskFactory) -> Desk:
    return open_desk(dovecot_mail.account)


def put(store: Store, desk: Desk, name: str, content: bytes) -> str:
    store.fill("INBOX", [attached((name, content, "application/octet-stream")).as_bytes()])
    return desk.message_ids()[0]


@pytest.mark.parametrize(("archive", "content", "name"), ARCHIVES)
def test_a_file_is_listed_and_found_by_either_form_of_its_name(
    dovecot_mail: Store, desk: Desk, archive: str, content: bytes, name: str
) -> None:
    message_id = put(dovecot_mail, desk, archive, content)
    assert f"octets: {name}" in get(desk, message_id).data["text"]
    for form in ("NFC", "NFD"):
        found = get(desk, message_id, member=unicodedata.normalize(form, name))
        assert found.data["text"] == CONTENT.decode().strip()


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        (
            "report.xml",
            "<?xml version='1.0' encoding='iso-8859-1'?><a>Größe</a>".encode("latin-1"),
            "<a>Größe</a>",
        ),
        ("report.xml", "<a>Größe</a>".encode("utf-16"), "<a>Größe</a>"),
        ("report.json", b'{"sum": 42}', '{"sum": 42}'),
        ("settings.yaml", b"sum: 42", "sum: 42"),
    ],
)
def test_small_files_of_text_are_shown(
    dovecot_mail: Store, desk: Desk, name: str, content: bytes, text: str
) -> None:
    message_id = put(dovecot_mail, desk, "a.zip", zipped({name: content}))
    assert text in get(desk, message_id).data["text"]
