"""Reads the body of an OpenDocument text or presentation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from mailmcp.documents.archive import Archive
from mailmcp.documents.blocks import BlockWriter, picture_mark
from mailmcp.documents.formulas import FORMULAS, FormulaReader
from mailmcp.documents.writer import Writer
from mailmcp.documents.xml_stream import Event, Start, without

_SKIPPED: Final = frozenset(
    {"tracked-changes", "annotation", "note-citation", "hidden-text", "ruby-text", "forms", "binary-data"}
)
_SPACES_MAX: Final = 100
"""The longest run of spaces that an element can stand for."""


@dataclass(slots=True)
class _Paragraph:
    heading: int = 0
    pieces: list[str] = field(default_factory=list)


class TextReader:
    """Writes paragraphs, lists and tables; slides become sections."""

    def __init__(self, out: Writer, hidden_styles: frozenset[str], archive: Archive) -> None:
        """Write to `out`; text in one of the `hidden_styles` is hidden, and `archive` has the formulas."""
        self._out = out
        self._archive = archive
        self._formula: FormulaReader | None = None
        self._described: list[str] | None = None
        self._blocks = BlockWriter(out.write_line, out.count_hidden)
        self._hidden_styles = hidden_styles
        self._hiding: list[bool] = []
        self._slides = 0
        self._lists = 0
        self._item_begins = False
        self._frames = 0
        self._title_frame = False
        self._mark = ""
        self._open: list[_Paragraph] = []

    def read(self, events: Iterable[Event]) -> None:
        """Read to the end."""
        for event in without(events, _SKIPPED):
            if self._formula is not None:
                written = self._formula.take(event)
                if written is not None:
                    self._formula = None
                    self._text(written)
            elif isinstance(event, str):
                self._text(event)
            elif isinstance(event, Start) and event.name in FORMULAS:
                self._formula = FormulaReader(self._out.count_hidden)
                self._formula.take(event)
            elif isinstance(event, Start):
                self._hiding.append(self._is_hidden_by(event))
                self._start(event.name, event.attributes)
            elif self._hiding:
                self._hiding.pop()
                self._end(event.name)

    def _is_hidden_by(self, event: Start) -> bool:
        """Return whether an element, or one around it, is hidden."""
        attributes = event.attributes
        return (
            (bool(self._hiding) and self._hiding[-1])
            or attributes.get("style-name") in self._hidden_styles
            or (event.name == "section" and attributes.get("display", "true") != "true")
            or (event.name == "hidden-paragraph" and attributes.get("is-hidden") == "true")
            or (event.name == "table-row" and attributes.get("visibility", "visible") != "visible")
        )

    def _text(self, text: str) -> None:
        if self._described is not None:
            self._described.append(text)
            return
        if not self._open:
            return
        if self._hiding[-1] and not self._slides:
            self._out.count_hidden(text)
        else:
            self._open[-1].pieces.append(text)

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in {"p", "h"}:
            level = attributes.get("outline-level", "1")
            heading = int(level) if level in set("123456789") else 1
            self._open.append(_Paragraph(heading if name == "h" or self._title_frame else 0))
        elif name == "list":
            self._lists += 1
        elif name == "list-item":
            self._item_begins = True
        elif name == "page":
            self._slides += 1
            self._lists = 0
            self._out.begin_section(f"Slide {self._slides}{' (hidden)' if self._hiding[-1] else ''}")
        elif name == "desc" or (name == "title" and self._frames):
            self._described = []
        elif name == "object":
            self._object(attributes.get("href", "").removeprefix("./"))
        elif self._open and name in {"s", "tab", "line-break", "note", "note-body"}:
            self._character(name, attributes)
        else:
            self._block(name, attributes)

    def _character(self, name: str, attributes: Mapping[str, str]) -> None:
        pieces = self._open[-1].pieces
        if name == "s":
            count = attributes.get("c", "1")
            pieces.append(" " * min(int(count[:4]) if count.isdecimal() else 1, _SPACES_MAX))
        else:
            pieces.append({"tab": "\t", "line-break": "\n"}.get(name, ""))

    def _block(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "table-row":
            self._blocks.begin_row()
        elif name == "table-cell":
            self._blocks.begin_cell()
        elif name == "frame":
            self._frames += 1
            self._title_frame = attributes.get("class") == "title"
        elif name == "notes":
            self._mark = "Notes: "

    def _object(self, path: str) -> None:
        """Write a formula that is a document of its own; other objects have pictures."""
        events = self._archive.events(f"{path}/content.xml")
        root = next((event for event in events if isinstance(event, Start)), None)
        if root is None or root.name not in FORMULAS:
            return
        reader = FormulaReader(self._out.count_hidden)
        reader.take(root)
        self._beside("".join(filter(None, map(reader.take, events))))

    def _beside(self, text: str) -> None:
        """Write what a frame has instead of text, where the frame is."""
        if self._open:
            self._text(text)
        elif not self._hiding[-1]:
            self._blocks.paragraph(text)

    def _end(self, name: str) -> None:
        if name in {"title", "desc"} and self._described is not None:
            described, self._described = "".join(self._described), None
            self._beside(picture_mark(described))
        elif name in {"p", "h"} and self._open:
            self._put(self._open.pop())
        elif name == "list":
            self._lists = max(0, self._lists - 1)
        elif name == "table-row":
            self._blocks.end_row()
        elif name == "frame":
            self._frames -= 1
            self._title_frame = False
        elif name == "notes":
            self._mark = ""

    def _put(self, paragraph: _Paragraph) -> None:
        text = "".join(paragraph.pieces)
        if not text.strip():
            return
        if self._open:
            # A note, or a frame anchored in the text: write it where it is anchored.
            self._open[-1].pieces.append(f" [{text.strip()}] ")
        elif self._mark:
            self._blocks.paragraph(self._mark + text)
            self._mark = ""
        elif paragraph.heading:
            self._blocks.heading(text, paragraph.heading)
        elif self._lists and self._item_begins:
            self._blocks.item(text, self._lists - 1)
        else:
            self._blocks.paragraph(text)
        self._item_begins = False
