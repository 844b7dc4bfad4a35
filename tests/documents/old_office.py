"""DOC and PPT files written by hand ([MS-DOC], [MS-PPT]), and XLS by xlwt."""

import io
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

import xlwt

from documents.ole_file import ole_file

HIDDEN: Final = struct.pack("<HB", 0x083C, 1)
DELETED: Final = struct.pack("<HB", 0x0800, 1)
TINY: Final = struct.pack("<HH", 0x4A43, 2)
CELL: Final = struct.pack("<HB", 0x2416, 1)
ROW_END: Final = CELL + struct.pack("<HB", 0x2417, 1)
ITEM: Final = struct.pack("<HHHB", 0x460B, 1, 0x260A, 1)

Run = tuple[str, bytes]
Paragraph = tuple[Sequence[Run], int, bytes]
"""Runs with their properties, the number of a style, and properties."""


def plain(text: str, style: int = 0, properties: bytes = b"") -> Paragraph:
    """A paragraph of one run; `text` has its end."""
    return [(text, b"")], style, properties


def doc(
    *stories: Sequence[Paragraph], flags: int = 0, version: int = 0xC1, compressed: bool = False
) -> bytes:
    """Write stories, as Word orders them: the body, footnotes, headers and so on."""
    paragraphs = [each for story in stories for each in story]
    runs = [run for each in paragraphs for run in each[0]]
    texts = ["".join(text for text, _ in each[0]) for each in paragraphs]
    width, codec = (1, "cp1252") if compressed else (2, "utf-16-le")
    start, data = 0x800, "".join(texts).encode(codec)
    end = start + len(data)
    first = -(-end // 512)
    pages = _page([text for text, _ in runs], [bytes([len(each)]) + each for _, each in runs], start, width)
    papx = [struct.pack("<H", style) + properties for _, style, properties in paragraphs]
    packed = [bytes([0, -(-len(each) // 2)]) + each for each in papx]
    pages += _page(texts, packed, start, width, entry_octets=13)
    bins = [struct.pack("<III", start, end, first + number) for number in range(2)]
    place = start * 2 | 0x4000_0000 if compressed else start
    characters = len(data) // width
    pieces = struct.pack("<IIHIH", 0, characters, 0, place, 0)
    clx = b"\x01\x02\0ab\x02" + struct.pack("<I", len(pieces)) + pieces
    pairs = [(0, 0)] * 93
    pairs[12], pairs[13], pairs[33] = (0, 12), (12, 12), (24, len(clx))
    lengths = [sum(len(text) for each in story for text, _ in each[0]) for story in stories]
    fib = struct.pack("<6H20x", 0xA5EC, version, 0, 0x409, 0, 0x0200 | flags)
    fib += struct.pack("<H28xH12x", 14, 22) + struct.pack(f"<{len(lengths)}i", *lengths).ljust(76, b"\0")
    fib += struct.pack("<H", 93) + b"".join(struct.pack("<II", *each) for each in pairs)
    main = (fib.ljust(start, b"\0") + data).ljust(first * 512, b"\0") + pages
    return ole_file({"WordDocument": main, "1Table": b"".join(bins) + clx})


def _page(
    texts: Sequence[str], entries: Sequence[bytes], start: int, width: int, *, entry_octets: int = 1
) -> bytes:
    """Write one page of properties, which begin with their length."""
    places = [start]
    for each in texts:
        places.append(places[-1] + len(each.encode("utf-16-le")) // 2 * width)
    page, at = bytearray(512), 511
    page[511] = len(entries)
    struct.pack_into(f"<{len(places)}I", page, 0, *places)
    for number, entry in enumerate(entries):
        at = (at - len(entry)) // 2 * 2
        page[at : at + len(entry)] = entry
        page[4 * len(places) + number * entry_octets] = at // 2
    return bytes(page)


def record(kind: int, content: bytes, *, instance: int = 0, container: bool = False) -> bytes:
    """Write a record of PowerPoint's."""
    return struct.pack("<HHI", instance << 4 | (0xF if container else 0), kind, len(content)) + content


def text(content: str, kind: int = 4) -> bytes:
    """Write a text of a type; 0 is a title, 1 a body."""
    octets = content.encode("utf-16-le")
    return record(0x0F9F, struct.pack("<I", kind)) + record(0x0FA0, octets)


def shape(content: bytes, *, hidden: bool = False) -> bytes:
    """Write a shape with records of text."""
    properties = record(0xF00B, struct.pack("<HI", 0x03BF, 0x20002 if hidden else 0x20000), instance=1)
    inner = properties + record(0xF00D, content, container=True)
    return record(0xF004, inner, container=True)


def slide(*shapes: bytes, notes_id: int = 0, hidden: bool = False, kind: int = 0x03EE) -> bytes:
    """Write a slide, or notes as kind 0x03F0."""
    atom = record(0x03EF, bytes(16) + struct.pack("<II", notes_id, 0)) if kind == 0x03EE else b""
    show = record(0x03F9, bytes(10) + struct.pack("<H4x", 4 if hidden else 0))
    return record(kind, atom + show + record(0x040C, b"".join(shapes), container=True), container=True)


def ppt(
    slides: Sequence[bytes],
    *,
    outlines: Mapping[int, bytes] | None = None,
    notes: Sequence[bytes] = (),
    token: int = 0xE391C05F,
) -> bytes:
    """Write a presentation; `outlines` are texts by the index of their slide, notes have ids from 1."""
    listed = [b"", b""]
    for which, (pages, number) in enumerate(((slides, 2), (notes, 2 + len(slides)))):
        for index, _ in enumerate(pages):
            ids = struct.pack("<IIiII", number + index, 0, 0, index + 1, 0)
            outline = (outlines or {}).get(index, b"") if which == 0 else b""
            listed[which] += record(0x03F3, ids) + outline
    lists = record(0x0FF0, listed[0], container=True) + record(0x0FF0, listed[1], instance=2, container=True)
    objects = [record(0x03E8, lists, container=True), *slides, *notes]
    stale = slide(shape(text("Of an earlier save")))
    octets, places = stale, []
    for each in objects:
        places.append(len(octets))
        octets += each
    directory = len(octets)
    packed = struct.pack(f"<{len(places) + 1}I", len(places) << 20 | 1, *places)
    octets += record(0x1772, packed)
    edit = len(octets)
    octets += record(0x0FF5, struct.pack("<IIIIII4x", 0, 0, 0, directory, 1, 0))
    user = record(0x0FF6, struct.pack("<III", 20, token, edit) + bytes(20))
    return ole_file({"PowerPoint Document": octets, "Current User": user})


def xls(sheets: Mapping[str, Mapping[tuple[int, int], Any]]) -> xlwt.Workbook:
    """Make a workbook of cells by row and column; a value may come with a number format."""
    book = xlwt.Workbook()
    for name, cells in sheets.items():
        sheet = book.add_sheet(name)
        for (row, column), value in cells.items():
            if isinstance(value, tuple):
                sheet.write(row, column, value[0], xlwt.easyxf(num_format_str=value[1]))
            else:
                sheet.write(row, column, value)
    return book


def saved(book: xlwt.Workbook) -> bytes:
    """Write a workbook."""
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
