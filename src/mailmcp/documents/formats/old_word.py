"""Reads DOC, the format of Word 97 to 2003 ([MS-DOC]), as paragraphs, lists and rows.

Not with a library: those tried print hidden and deleted text. Properties are found by the place of a text in
the file (FC), and pieces say which places follow each other in the document.
"""

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Final

import olefile

from mailmcp.documents.blocks import BlockWriter
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats.word import link_suffix
from mailmcp.documents.writer import Writer

_MAGIC: Final = 0xA5EC
_VERSION_MIN: Final = 0xC1
"""Word 97."""

_ENCRYPTED: Final = 0x0100
_TABLE_1: Final = 0x0200
_LENGTHS_AT: Final = 0x4C
"""Of the characters in the body and in each story that follows (section 2.5.4)."""

_CHARACTERS_AT, _PARAGRAPHS_AT, _PIECES_AT = 0xFA, 0x102, 0x1A2
_PAGE_OCTETS: Final = 512
_COMPRESSED: Final = 0x4000_0000

_OPERAND_OCTETS: Final = (1, 1, 2, 4, 2, 2, 0, 3)
"""By the three highest bits of a property; 0 if its first octet says (section 2.2.5.1)."""

_VANISH, _DELETED, _SIZE = 0x083C, 0x0800, 0x4A43
_LIST, _LEVEL, _IN_TABLE, _ROW_END = 0x460B, 0x260A, 0x2416, 0x2417
_INVISIBLE_HALF_POINTS: Final = 2
_ON: Final = frozenset({1, 0x81})
"""On, and the opposite of the style's (section 2.2.5.1)."""

_HEADINGS: Final = range(1, 10)
"""The styles whose numbers never change (section 2.4.6.5)."""

_CHARACTERS: Final = {"\t": "\t", "\x0b": "\n", "\x1e": "-", "\x1f": "", "\xa0": "\xa0"}
_FIELD_BEGINS, _FIELD_SEPARATES, _FIELD_ENDS = "\x13", "\x14", "\x15"
_CELL_ENDS, _PARAGRAPH_ENDS = "\x07", "\r\x0c"
_LINK: Final = re.compile(r'\s*HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]*)"', re.IGNORECASE)
"""The code of a field that is a link (section 2.9.90)."""

_HEADERS, _COMMENTS = 2, 4


def read(content: BinaryIO, out: Writer) -> None:
    """Write the body, then notes, each distinct line of headers once, comments and text boxes."""
    file = olefile.OleFileIO(content)
    octets: bytes = file.openstream("WordDocument").read()
    magic, version, _, _, _, flags = struct.unpack_from("<6H", octets)
    if magic != _MAGIC or version < _VERSION_MIN:
        raise UnreadableError(Cause.UNSUPPORTED)
    if flags & _ENCRYPTED:
        raise UnreadableError(Cause.ENCRYPTED)
    table: bytes = file.openstream("1Table" if flags & _TABLE_1 else "0Table").read()
    _Document(octets, table, out).write()


class _Properties:
    """The properties of characters or of paragraphs, by place (sections 2.9.33 and 2.9.175)."""

    def __init__(self, octets: bytes, table: bytes, at: int, entry_octets: int, out: Writer) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._found: list[tuple[int, Mapping[int, int]]] = []
        start, length = struct.unpack_from("<II", octets, at)
        count = max(0, length - 4) // 8
        pages = struct.unpack_from(f"<{count}I", table, start + 4 * (count + 1))
        for number in pages:
            out.check_time()
            first = (number & 0x3FFFFF) * _PAGE_OCTETS
            page = octets[first : first + _PAGE_OCTETS]
            if len(page) == _PAGE_OCTETS:
                self._read_page(page, entry_octets)

    def at(self, place: int) -> tuple[int, Mapping[int, int]]:
        """Return the number of the style and the properties at a place."""
        index = bisect_right(self._starts, place) - 1
        return (0, {}) if index < 0 or place >= self._ends[index] else self._found[index]

    def _read_page(self, page: bytes, entry_octets: int) -> None:
        count = page[-1]
        places = struct.unpack_from(f"<{count + 1}I", page)
        for number in range(count):
            at = 2 * page[4 * (count + 1) + number * entry_octets]
            style, properties = 0, b""
            if at and entry_octets == 1:
                properties = page[at + 1 : at + 1 + page[at]]
            elif at:
                length, at = (2 * page[at] - 1, at + 1) if page[at] else (2 * page[at + 1], at + 2)
                style = int.from_bytes(page[at : at + 2], "little")
                properties = page[at + 2 : at + length]
            if not self._starts or places[number] >= self._starts[-1]:
                self._starts.append(places[number])
                self._ends.append(places[number + 1])
                self._found.append((style, dict(_modifiers(properties))))


def _modifiers(octets: bytes) -> Iterator[tuple[int, int]]:
    """Yield properties and their values, as far as they can be read."""
    at = 0
    while at + 2 < len(octets):
        name = int.from_bytes(octets[at : at + 2], "little")
        at += 2
        length = _OPERAND_OCTETS[name >> 13] or octets[at] + 1
        yield name, int.from_bytes(octets[at : at + length], "little")
        at += length


class _Document:
    """Writes the stories one after the other."""

    def __init__(self, octets: bytes, table: bytes, out: Writer) -> None:
        self._octets = octets
        self._table = table
        self._out = out
        self._characters = _Properties(octets, table, _CHARACTERS_AT, 1, out)
        self._paragraphs = _Properties(octets, table, _PARAGRAPHS_AT, 13, out)
        self._seen: set[str] = set()
        self._in_headers = False
        self._mark = ""
        self._blocks = BlockWriter(self._line, out.count_hidden)
        self._in_row = self._in_cell = False
        self._pieces: list[str] = []
        # Of the open fields: their codes, and how many pieces came before their results; -1 within a code.
        self._fields: list[tuple[list[str], int]] = []

    def write(self) -> None:
        lengths = struct.unpack_from("<7i", self._octets, _LENGTHS_AT)
        story, left = 0, lengths[0]
        for character, place in self._text():
            while left <= 0 and story + 1 < len(lengths):
                self._end_row()
                story += 1
                left = lengths[story]
                self._in_headers, self._mark = story == _HEADERS, "[Comment] " if story == _COMMENTS else ""
            left -= 1
            self._character(character, place)
        self._end_paragraph(0)
        self._end_row()

    def _line(self, text: str) -> None:
        if self._in_headers and text in self._seen:
            return
        self._seen.add(text)
        self._out.write_line(self._mark + text)

    def _text(self) -> Iterator[tuple[str, int]]:
        """Yield the characters of all pieces with their places (section 2.4.1)."""
        start, length = struct.unpack_from("<II", self._octets, _PIECES_AT)
        pieces = self._table[start : start + length]
        at = 0
        while pieces[at : at + 1] == b"\x01":
            at += 3 + int.from_bytes(pieces[at + 1 : at + 3], "little")
        if pieces[at : at + 1] != b"\x02":
            raise UnreadableError(Cause.MALFORMED)
        count = max(0, int.from_bytes(pieces[at + 1 : at + 5], "little") - 4) // 12
        at += 5
        ends = struct.unpack_from(f"<{count + 1}I", pieces, at)
        for number in range(count):
            self._out.check_time()
            (place,) = struct.unpack_from("<I", pieces, at + 4 * (count + 1) + 8 * number + 2)
            width, codec = (1, "cp1252") if place & _COMPRESSED else (2, "utf-16-le")
            place = place % _COMPRESSED // (3 - width)
            size = max(0, ends[number + 1] - ends[number]) * width
            for character in self._octets[place : place + size].decode(codec, "replace"):
                yield character, place
                place += width * (2 if character > "\uffff" else 1)

    def _character(self, character: str, place: int) -> None:
        if character in _PARAGRAPH_ENDS or character == _CELL_ENDS:
            self._end_paragraph(place, is_cell=character == _CELL_ENDS)
            return
        _, properties = self._characters.at(place)
        size = properties.get(_SIZE, _INVISIBLE_HALF_POINTS + 1)
        if properties.get(_VANISH) in _ON or properties.get(_DELETED) == 1 or size <= _INVISIBLE_HALF_POINTS:
            if character >= " ":
                self._out.count_hidden(character)
            return
        fields = self._fields
        if character == _FIELD_BEGINS:
            fields.append(([], -1))
        elif character == _FIELD_SEPARATES and fields:
            fields[-1] = (fields[-1][0], len(self._pieces))
        elif character == _FIELD_ENDS and fields:
            code, before = fields.pop()
            if before >= 0:
                link = _LINK.match("".join(code))
                self._pieces.append(link_suffix(link[1] if link else "", "".join(self._pieces[before:])))
        elif fields and fields[-1][1] < 0:
            fields[-1][0].append(character)
        elif character >= " " or character in _CHARACTERS:
            self._pieces.append(_CHARACTERS.get(character, character))

    def _end_paragraph(self, place: int, *, is_cell: bool = False) -> None:
        text = "".join(self._pieces)
        self._pieces, self._fields = [], []
        style, properties = self._paragraphs.at(place)
        if properties.get(_ROW_END) == 1 or not (is_cell or properties.get(_IN_TABLE) == 1):
            self._end_row()
        elif not self._in_row:
            self._in_row = True
            self._blocks.begin_row()
        if self._in_row and not self._in_cell:
            self._in_cell = True
            self._blocks.begin_cell()
        if style in _HEADINGS:
            self._blocks.heading(text, style)
        elif properties.get(_LIST):
            self._blocks.item(text, properties.get(_LEVEL, 0))
        else:
            self._blocks.paragraph(text)
        self._in_cell = self._in_cell and not is_cell

    def _end_row(self) -> None:
        if self._in_row:
            self._blocks.end_row()
        self._in_row = self._in_cell = False
