"""winmail.dat."""

import struct

from documents import tnef_file
from documents.ole_file import file_time
from documents.reading import file_inside, read_with
from documents.tnef_file import attribute, packed_rtf, tnef
from mailmcp.documents.extraction import Cause
from mailmcp.documents.formats.outlook_winmail import files, read

_BODY = packed_rtf(b"{\\rtf1\\ansi Hello\\par from Outlook}")


def test_a_message_is_its_fields_its_files_and_its_text() -> None:
    content = tnef(
        attribute(0x00069007, struct.pack("<Q", 1252)),
        tnef_file.message(
            {
                0x0037: "Minutes",
                0x8001: 5,
                0x0042: "Ann",
                0x5D02: "ann@example.org",
                0x0039: file_time(1_700_000_000),
                0x1009: _BODY,
                0x3A05: ["several", "values"],
            }
        ),
        tnef_file.recipients({0x3001: "Bob", 0x39FE: "bob@example.org", 0x0C15: 1}),
        tnef_file.file("SHORTN~1.TXT", b"one", {0x3707: "Long name ä.txt"}),
        tnef_file.file("a.txt", b"three"),
    )
    reading = read_with(read, content)
    assert reading.text == (
        "Subject: Minutes\nFrom: Ann <ann@example.org>\nTo: Bob <bob@example.org>\n"
        "Date: 2023-11-14T22:13:20Z\n"
        "Files: 2\n3 octets: Long name ä.txt\n5 octets: a.txt\n\nHello\nfrom Outlook\n\n"
        "[File Long name ä.txt]\none\n\n[File a.txt]\nthree"
    )
    assert reading.notes == []
    assert file_inside(files, content, "Long name ä.txt") == b"one"
    assert file_inside(files, content, "a.txt") == b"three"
    assert file_inside(files, content, "SHORTN~1.TXT") is Cause.NO_MEMBER


def test_old_attributes_say_the_same() -> None:
    word = "Привет"
    content = tnef(
        attribute(0x00069007, struct.pack("<Q", 1251)),
        attribute(0x00018004, f"{word}\0".encode("cp1251")),
        attribute(0x0002800C, f"{word}\0".encode("cp1251")),
    )
    assert read_with(read, content).text == f"Subject: {word}\n\n{word}"


def test_a_wrong_checksum_and_a_missing_end_are_told() -> None:
    subject = attribute(0x00018004, b"Subject\0", damage=1)
    reading = read_with(read, tnef(subject))
    assert reading.text == "Subject: Subject"
    assert reading.notes == ["A checksum in the file is wrong: it may be damaged."]
    cut = read_with(read, tnef(tnef_file.file("a.bin", b"a" * 100))[:-50])
    assert cut.text == "Files: 1\n52 octets: a.bin"
    assert cut.notes == ["The file is incomplete: its end is missing."]
