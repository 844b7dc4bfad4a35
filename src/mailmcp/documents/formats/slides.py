"""Reads PPTX (PresentationML, ECMA-376 part 1, clause 19) as slides with their notes."""

from collections.abc import Iterable, Mapping
from typing import BinaryIO, Final

from mailmcp.documents.archive import Archive
from mailmcp.documents.blocks import BlockWriter, picture_mark
from mailmcp.documents.formulas import FORMULAS, FormulaReader
from mailmcp.documents.writer import Writer
from mailmcp.documents.xml_stream import Event, Start, without

_TITLES: Final = frozenset({"title", "ctrTitle"})
_REPEATED: Final = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
"""Placeholders that are the same on every slide."""

_SKIPPED: Final = frozenset({"Fallback"})
"""Second copies of shapes, for old readers."""

_SHAPES: Final = frozenset({"sp", "graphicFrame", "cxnSp", "pic", "grpSp"})


def read(content: BinaryIO, out: Writer) -> None:
    """Write the slides in the order of the show; the titles of hidden ones say so.

    Raises:
        UnreadableError: It is not a PPTX, or is too large.
        StopReading: A limit is reached.
    """
    archive = Archive(content, out)
    main = archive.main_part()
    relations = archive.relations(main)
    order = [
        relations.get(event.attributes.get("r:id", ""), ("", ""))[1]
        for event in archive.events(main)
        if isinstance(event, Start) and event.name == "sldId"
    ]
    for number, path in enumerate(order, start=1):
        _read_slide(archive, path, number, out)


def _read_slide(archive: Archive, path: str, number: int, out: Writer) -> None:
    events = archive.events(path)
    root = next((event for event in events if isinstance(event, Start)), None)
    hidden = root is not None and root.attributes.get("show") in {"0", "false"}
    out.begin_section(f"Slide {number}{' (hidden)' if hidden else ''}")
    _Shapes(out).read(events)
    parts = dict(archive.relations(path).values())
    _Shapes(out).read(archive.events(parts.get("diagramData", "")))
    notes = _Shapes(out, mark="Notes: ")
    notes.read(archive.events(parts.get("notesSlide", "")))


class _Shapes:
    """Reads the text of the shapes of one part."""

    def __init__(self, out: Writer, *, mark: str = "") -> None:
        self._blocks = BlockWriter(out.write_line, out.count_hidden)
        self._hide = out.count_hidden
        self._mark = mark
        self._role = self._shape = ""
        self._shape_hidden: list[bool] = []
        self._level = 0
        self._bulleted = False
        self._pieces: list[str] = []
        self._in_text = False
        self._formula: FormulaReader | None = None

    def read(self, events: Iterable[Event]) -> None:
        for event in without(events, _SKIPPED):
            if self._formula is not None:
                written = self._formula.take(event)
                if written is not None:
                    self._text(written)
                    self._formula = None
            elif isinstance(event, str):
                if self._in_text:
                    self._text(event)
            elif isinstance(event, Start):
                self._start(event.name, event.attributes)
            else:
                self._end(event.name)

    def _text(self, text: str) -> None:
        if any(self._shape_hidden):
            self._hide(text)
        elif self._role not in _REPEATED:
            self._pieces.append(text)

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in _SHAPES:
            self._role, self._shape = "", name
            self._shape_hidden.append(False)
        elif name == "cNvPr" and self._shape_hidden:
            self._shape_hidden[-1] = attributes.get("hidden") in {"1", "true"}
            if self._shape == "pic":
                self._text(picture_mark(attributes.get("descr", "")))
                self._end_paragraph()
        elif name == "ph":
            self._role = attributes.get("type", "")
        else:
            self._within(name, attributes)

    def _within(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in FORMULAS:
            self._formula = FormulaReader(self._hide)
            self._formula.take(Start(name, attributes))
        elif name == "t":
            self._in_text = True
        elif name == "br":
            self._pieces.append("\n")
        elif name == "pPr":
            level = attributes.get("lvl", "0")
            self._level = int(level) if level in set("012345678") else 0
        elif name in {"buChar", "buAutoNum"}:
            self._bulleted = True
        elif name == "tr":
            self._blocks.begin_row()
        elif name == "tc":
            self._blocks.begin_cell()

    def _end(self, name: str) -> None:
        if name == "t":
            self._in_text = False
        elif name == "p":
            self._end_paragraph()
        elif name == "tr":
            self._blocks.end_row()
        elif name in _SHAPES:
            self._shape_hidden.pop()
            self._role = ""

    def _end_paragraph(self) -> None:
        text = "".join(self._pieces)
        self._pieces.clear()
        if self._mark and text.strip():
            text, self._mark = self._mark + text, ""
        if self._role in _TITLES:
            self._blocks.heading(text, 1)
        elif self._bulleted or self._level:
            self._blocks.item(text, self._level)
        else:
            self._blocks.paragraph(text)
        self._level, self._bulleted = 0, False
