"""Zips: what they list, and one file of them."""

import io
import stat
import zipfile

import pytest

from documents.documents import zipped
from documents.reading import file_inside, read_with
from mailmcp.documents.extraction import Cause
from mailmcp.documents.formats.zip_archive import files, read


def _with_mode(name: str, mode: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        archive.writestr(entry, "/etc/passwd")
    return out.getvalue()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_files_are_listed_by_name_and_read_by_it() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in [
            ("a.txt", "one"),
            ("folder/", ""),
            ("folder/a.txt", "three"),
            ("a.txt", "another"),
            ("../../etc/cron.d/x", "y"),
            ("/absolute", "z"),
            ("C:\\temp\\b.txt", "w"),
            ("x\u202ey", "v"),
        ]:
            archive.writestr(name, content)
    listing = read_with(read, out.getvalue()).text.partition("\n\n")[0]
    assert listing.splitlines() == [
        "Files: 7",
        "3 octets: a.txt",
        "5 octets: folder/a.txt",
        "7 octets: a.txt (2)",
        "1 octet: ../../etc/cron.d/x",
        "1 octet: /absolute",
        "1 octet: C:/temp/b.txt" if "C:/temp" in listing else "1 octet: C:\\temp\\b.txt",
        "1 octet: xy",
    ]
    contents = [
        file_inside(files, out.getvalue(), line.partition(": ")[2]) for line in listing.splitlines()[1:]
    ]
    assert contents == [b"one", b"three", b"another", b"y", b"z", b"w", b"v"]
    assert file_inside(files, out.getvalue(), "folder/") is Cause.NO_MEMBER
    assert file_inside(files, out.getvalue(), "A.txt") is Cause.NO_MEMBER


def test_small_texts_come_with_the_list() -> None:
    files = {"a.csv": "mast;14.86", "b.TXT": "Grüße", "c.bin": "no text", "d.txt": "\0", "e.log": " "}
    listing, *texts = read_with(read, zipped(files)).text.split("\n\n")
    assert len(listing.splitlines()) == 1 + len(files)
    assert [each.strip() for each in texts] == ["[File a.csv]\nmast;14.86", "[File b.TXT]\nGrüße"]


def test_what_is_encrypted_is_listed_and_not_read() -> None:
    locked = bytearray(zipped({"a": "b"}))
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    reading = read_with(read, bytes(locked))
    assert reading.text.endswith("1 octet, encrypted: a")
    assert "password" in reading.notes[0]
    assert file_inside(files, bytes(locked), "a") is Cause.ENCRYPTED


@pytest.mark.parametrize("mode", [stat.S_IFLNK | 0o777, stat.S_IFCHR])
def test_links_and_devices_are_not_read(mode: int) -> None:
    content = _with_mode("a", mode)
    assert read_with(read, content).text.endswith("11 octets, not a file: a")
    assert file_inside(files, content, "a") is Cause.NOT_A_FILE
    assert file_inside(files, _with_mode("a", stat.S_IFREG | 0o644), "a") == b"/etc/passwd"
