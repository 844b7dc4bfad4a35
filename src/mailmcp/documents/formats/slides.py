"""Reads PPTX (PresentationML, ECMA-376 part 1, clause 19) as slides with their notes."""

from typing import BinaryIO, Final

from mailmcp.documents.archive import Archive
from mailmcp.documents.blocks import BlockWriter, picture_mark
from mailmcp.documents.formulas import FORMULAS, write_formula
from mailmcp.documents.writer import Writer
from mailmcp.documents.xml_elements import Element

_TITLES: Final = frozenset({"title", "ctrTitle"})
_REPEATED: Final = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
"""Placeholders that are the same on every slide."""

_SHAPES: Final = frozenset({"sp", "graphicFrame", "cxnSp", "pic", "grpSp"})
_WHOLE: Final = frozenset({"spTree", "pt"})
"""The shapes of a slide, and the points of a diagram."""


def read(content: BinaryIO, out: Writer) -> None:
    """Write the slides in the order of the show; the titles of hidden ones say so."""
    archive = Archive(content, out)
    main = archive.main_part()
    relations = archive.relations(main)
    order = [
        relations.get(each.get("r:id"), ("", ""))[1]
        for each in archive.elements(main)
        if each.name == "sldId"
    ]
    for number, path in enumerate(order, start=1):
        slide = archive.elements(path, _WHOLE)
        root = next(slide, Element("", {}))
        hidden = root.get("show") in {"0", "false"}
        out.begin_section(f"Slide {number}{' (hidden)' if hidden else ''}")
        parts = dict(archive.relations(path).values())
        shapes = _Shapes(out)
        for each in (*slide, *archive.elements(parts.get("diagramData", ""), _WHOLE)):
            shapes.write(each)
        notes = _Shapes(out, mark="Notes: ")
        for each in archive.elements(parts.get("notesSlide", ""), _WHOLE):
            notes.write(each)


class _Shapes:
    """Writes the text of shapes."""

    def __init__(self, out: Writer, *, mark: str = "") -> None:
        self._blocks = BlockWriter(out.write_line, out.count_hidden)
        self._hide = out.count_hidden
        self._mark = mark

    def write(self, around: Element, role: str = "", *, hidden: bool = False) -> None:
        """Write what is in an element; `role` is the type of the placeholder that it is in."""
        for each in around.elements:
            if each.name == "p":
                self._paragraph(each, role, hidden=hidden)
            elif each.name in _SHAPES:
                self._shape(each, hidden=hidden)
            elif each.name == "tr":
                self._blocks.begin_row()
                self.write(each, role, hidden=hidden)
                self._blocks.end_row()
            elif each.name != "Fallback":  # second copies of shapes, for old readers
                if each.name == "tc":
                    self._blocks.begin_cell()
                self.write(each, role, hidden=hidden)

    def _shape(self, shape: Element, *, hidden: bool) -> None:
        own = next((each for each in shape.elements if each.name.startswith("nv")), Element("", {}))
        facts = own.child("cNvPr")
        hidden = hidden or facts.get("hidden") in {"1", "true"}
        if shape.name == "pic":
            self._put(picture_mark(facts.get("descr")), hidden=hidden)
        role = own.child("nvPr").child("ph").get("type")
        self.write(shape, role, hidden=hidden)

    def _paragraph(self, paragraph: Element, role: str, *, hidden: bool) -> None:
        properties = paragraph.child("pPr")
        level = properties.number("lvl")
        is_item = bool(level) or any(properties.find("buChar", "buAutoNum"))
        self._put(self._text(paragraph), role, item=level if is_item else None, hidden=hidden)

    def _put(self, text: str, role: str = "", *, item: int | None = None, hidden: bool) -> None:
        if hidden:
            self._hide(text)
        if hidden or role in _REPEATED:
            return
        if self._mark and text.strip():
            text, self._mark = self._mark + text, ""
        if role in _TITLES:
            self._blocks.heading(text, 1)
        elif item is not None:
            self._blocks.item(text, item)
        else:
            self._blocks.paragraph(text)

    def _text(self, around: Element) -> str:
        pieces: list[str] = []
        for each in around.elements:
            if each.name in FORMULAS:
                pieces.append(write_formula(each, self._hide))
            elif each.name == "t":
                pieces.append(each.text())
            elif each.name == "br":
                pieces.append("\n")
            elif each.name != "Fallback":
                pieces.append(self._text(each))
        return "".join(pieces)
