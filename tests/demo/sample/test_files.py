"""Attached files are what their type says."""

import csv
import io
import re
import struct
import zlib
from datetime import UTC, datetime

from mailmcp.demo.sample.files import make_csv, make_ics, make_lump, make_pdf, make_png
from mailmcp.demo.sample.people import ELENA


def test_pdf_table_points_at_its_objects() -> None:
    """ISO 32000-1 section 7.5.4: readers find objects by these offsets alone."""
    pdf = make_pdf(["Invoice (copy)", "back\\slash"])
    start = int(re.findall(rb"startxref\n(\d+)\n%%EOF\n$", pdf)[0])
    assert pdf[start:].startswith(b"xref\n0 6\n")
    offsets = [int(offset) for offset in re.findall(rb"(\d{10}) 00000 n \n", pdf[start:])]
    assert [pdf[offset:].partition(b"\n")[0] for offset in offsets] == [b"%d 0 obj" % n for n in range(1, 6)]
    assert rb"(Invoice \(copy\)) Tj" in pdf
    assert rb"(back\\slash) Tj" in pdf


def test_pdf_stream_has_the_length_it_says() -> None:
    match = re.search(rb"/Length (\d+) >>\nstream\n(.*)\nendstream", make_pdf(["Total 8.00"]), re.DOTALL)
    assert match is not None
    assert int(match[1]) == len(match[2])


def test_png_has_sound_chunks_and_the_right_number_of_pixels() -> None:
    png = make_png([10, 20, 30], height=32)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    position, chunks = 8, {}
    while position < len(png):
        size, kind = struct.unpack_from(">I4s", png, position)
        data = png[position + 8 : position + 8 + size]
        (checksum,) = struct.unpack_from(">I", png, position + 8 + size)
        assert checksum == zlib.crc32(kind + data)
        chunks[kind] = data
        position += 12 + size
    assert struct.unpack_from(">II", chunks[b"IHDR"]) == (24, 32)
    assert len(zlib.decompress(chunks[b"IDAT"])) == 32 * (1 + 24)


def test_csv_reads_back() -> None:
    table = make_csv(("name", "note"), [("a", 'says "hi", twice'), ("ü", 3)])
    assert list(csv.reader(io.StringIO(table.decode()))) == [
        ["name", "note"],
        ["a", 'says "hi", twice'],
        ["ü", "3"],
    ]


def test_calendar_gives_times_in_utc() -> None:
    when = datetime(2026, 5, 4, 13, 30, tzinfo=UTC)
    lines = make_ics("Review", when, hours=1.5, organizer=ELENA, place="Room 2").decode()
    assert "LOCATION:Room 2\r\n" in lines
    assert "DTSTART:20260504T133000Z\r\nDTEND:20260504T150000Z\r\n" in lines
    assert lines.startswith("BEGIN:VCALENDAR\r\n")
    assert lines.endswith("END:VCALENDAR\r\n")


def test_lump_depends_on_its_name_alone() -> None:
    assert len(make_lump("a", 1000)) == 1000
    assert make_lump("a", 1000) == make_lump("a", 1000) != make_lump("b", 1000)
