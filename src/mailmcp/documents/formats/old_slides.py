"""Reads PPT, the format of PowerPoint 97 to 2003 ([MS-PPT]), as slides with their notes.

A file keeps what earlier saves wrote. Only what the directory of objects leads to is in the presentation.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

import olefile

from mailmcp.documents.blocks import BlockWriter
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.writer import Writer

_HEADER: Final = struct.Struct("<HHI")
_CONTAINER: Final = 0xF
_DEPTH_MAX: Final = 32
_EDITS_MAX: Final = 10_000
"""Saves that one file remembers."""

_ENCRYPTED_TOKEN: Final = 0xF3D1C4DF
_PERSIST_DIRECTORY, _EDIT = 0x1772, 0x0FF5
_SLIDE_LIST, _SLIDE_PERSIST, _SLIDE_ATOM, _SLIDE_SHOW = 0x0FF0, 0x03F3, 0x03EF, 0x03F9
_TEXT_HEADER, _TEXT_CHARACTERS, _TEXT_OCTETS, _TEXT_OUTLINE = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E
_SHAPE, _SHAPE_PROPERTIES = 0xF004, 0xF00B
_SLIDES, _NOTES = 0, 2
"""Instances of a slide list."""

_TITLES: Final = frozenset({0, 6})
_HIDDEN_SLIDE: Final = 0x0004
_SHAPE_FLAGS: Final = 0x03BF
_HIDDEN_SHAPE: Final = 0x0002_0002
"""That the shape is hidden, and that this is set ([MS-ODRAW] 2.3.4.44)."""


@dataclass(frozen=True, slots=True)
class _Record:
    kind: int
    instance: int
    is_container: bool
    data: memoryview


@dataclass(slots=True)
class _Page:
    """A slide or its notes, as the document lists it."""

    number: int
    """Of its object."""

    id: int
    outline: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Text:
    """The texts of a page that can be seen, with their types."""

    found: list[tuple[int, str]] = field(default_factory=list)
    hidden: str = ""
    notes_id: int = 0
    is_hidden: bool = False


def read(content: BinaryIO, out: Writer) -> None:
    """Write the slides in the order of the show; the titles of hidden ones say so."""
    file = olefile.OleFileIO(content)
    user = file.openstream("Current User").read()
    _, token, latest = struct.unpack_from("<III", user, _HEADER.size)
    if token == _ENCRYPTED_TOKEN:
        raise UnreadableError(Cause.ENCRYPTED)
    octets = memoryview(file.openstream("PowerPoint Document").read())
    objects, document = _read_directory(octets, latest, out)
    pages = _read_lists(_record_at(octets, objects[document]))
    notes = {each.id: each for each in pages[_NOTES]}
    for number, page in enumerate(pages[_SLIDES], start=1):
        out.check_time()
        slide = _read_page(octets, objects, page)
        out.begin_section(f"Slide {number}{' (hidden)' if slide.is_hidden else ''}")
        _write(slide, out)
        if slide.notes_id in notes:
            _write(_read_page(octets, objects, notes[slide.notes_id]), out, mark="Notes: ")


def _record_at(octets: memoryview, place: int) -> _Record:
    head, kind, length = _HEADER.unpack_from(octets, place)
    start = place + _HEADER.size
    return _Record(kind, head >> 4, head & 0xF == _CONTAINER, octets[start : start + length])


def _records(octets: memoryview) -> Iterator[_Record]:
    """Yield the records side by side; one that is cut is the last."""
    place = 0
    while place + _HEADER.size <= len(octets):
        record = _record_at(octets, place)
        place += _HEADER.size + len(record.data)
        yield record


def _read_directory(octets: memoryview, latest: int, out: Writer) -> tuple[dict[int, int], int]:
    """Return the places of the objects by number, and the number of the document (section 2.1.2)."""
    objects: dict[int, int] = {}
    document, at = 0, latest
    for _ in range(_EDITS_MAX):
        out.check_time()
        edit = _record_at(octets, at)
        if edit.kind != _EDIT:
            raise UnreadableError(Cause.MALFORMED)
        at, directory, number = struct.unpack_from("<III", edit.data, 8)
        document = document or number
        entries = _record_at(octets, directory)
        place = 0
        while entries.kind == _PERSIST_DIRECTORY and place + 4 <= len(entries.data):
            (head,) = struct.unpack_from("<I", entries.data, place)
            first, count = head & 0xFFFFF, head >> 20
            for each, where in enumerate(struct.unpack_from(f"<{count}I", entries.data, place + 4)):
                objects.setdefault(first + each, where)
            place += 4 + 4 * count
        if not at:
            break
    return objects, document


def _read_lists(document: _Record) -> dict[int, list[_Page]]:
    """Return the slides and the notes, with the texts that an outline shows (section 2.4.14.3)."""
    pages: dict[int, list[_Page]] = {_SLIDES: [], _NOTES: []}
    for each in _records(document.data):
        if each.kind != _SLIDE_LIST or each.instance not in pages:
            continue
        listed = pages[each.instance]
        kind = 0
        for record in _records(each.data):
            if record.kind == _SLIDE_PERSIST:
                number, _, _, id_ = struct.unpack_from("<IIiI", record.data)
                listed.append(_Page(number, id_))
            elif record.kind == _TEXT_HEADER:
                kind = int.from_bytes(record.data[:4], "little")
            elif listed and (text := _text_of(record)) is not None:
                listed[-1].outline.append((kind, text))
    return pages


def _text_of(record: _Record) -> str | None:
    """Return the text of a record; None if it is something else."""
    if record.kind == _TEXT_CHARACTERS:
        return bytes(record.data).decode("utf-16-le", "replace")
    return bytes(record.data).decode("latin-1") if record.kind == _TEXT_OCTETS else None


def _read_page(octets: memoryview, objects: dict[int, int], page: _Page) -> _Text:
    text = _Text()
    if page.number in objects:
        _walk(_record_at(octets, objects[page.number]), page, text)
    if not text.found and not text.hidden:
        text.found = page.outline
    return text


def _walk(around: _Record, page: _Page, text: _Text, depth: int = 0, *, hidden: bool = False) -> None:
    """Collect the texts of the shapes, in order."""
    kind = 0
    for record in _records(around.data):
        if record.is_container and depth < _DEPTH_MAX:
            _walk(record, page, text, depth + 1, hidden=hidden)
            continue
        found: list[tuple[int, str]] = []
        if record.kind == _SLIDE_ATOM:
            text.notes_id = int.from_bytes(record.data[16:20], "little")
        elif record.kind == _SLIDE_SHOW:
            text.is_hidden = bool(int.from_bytes(record.data[10:12], "little") & _HIDDEN_SLIDE)
        elif record.kind == _SHAPE_PROPERTIES and around.kind == _SHAPE:
            hidden = hidden or _hides(record)
        elif record.kind == _TEXT_HEADER:
            kind = int.from_bytes(record.data[:4], "little")
        elif record.kind == _TEXT_OUTLINE:
            index = int.from_bytes(record.data[:4], "little")
            found = page.outline[index : index + 1]
        elif (own := _text_of(record)) is not None:
            found = [(kind, own)]
        if hidden:
            text.hidden += "".join(each for _, each in found)
        else:
            text.found += found


def _hides(properties: _Record) -> bool:
    for number in range(min(properties.instance, len(properties.data) // 6)):
        name, value = struct.unpack_from("<HI", properties.data, 6 * number)
        if name & 0x3FFF == _SHAPE_FLAGS:
            return bool(value & _HIDDEN_SHAPE == _HIDDEN_SHAPE)
    return False


def _write(text: _Text, out: Writer, mark: str = "") -> None:
    blocks = BlockWriter(out.write_line, out.count_hidden)
    out.count_hidden(text.hidden)
    for kind, each in text.found:
        for line in each.replace("\x0b", "\n").split("\r"):
            if kind in _TITLES and not mark:
                blocks.heading(line, 1)
            else:
                blocks.paragraph(mark + line if line.strip() else "")
                mark = mark if not line.strip() else ""
