"""ODT, ODS and ODP: the content of OpenDocument files (ODF 1.3 part 3).

Deleted text (`text:tracked-changes`) and comments are left out. So is what styles or sections hide, which is
counted.
"""

from collections.abc import Iterable
from typing import BinaryIO, Final

from mailmcp.documents.archive import Archive
from mailmcp.documents.blocks import BlockWriter, picture_mark
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats import open_sheet
from mailmcp.documents.formulas import FORMULAS, write_formula
from mailmcp.documents.writer import Writer
from mailmcp.documents.xml_elements import Element

_CONTENT = "content.xml"
_BODIES: Final = frozenset({"text", "presentation", "spreadsheet"})
_SKIPPED: Final = frozenset(
    {"tracked-changes", "annotation", "note-citation", "hidden-text", "ruby-text", "forms", "binary-data"}
)
_WHOLE: Final = _SKIPPED | {"p", "h", "list", "table", "section", "page", "frame"}
"""The elements of a text or a presentation to read as a whole."""

_SPACES_MAX: Final = 100
"""The longest run of spaces that an element can stand for."""


def read(content: BinaryIO, out: Writer) -> None:
    """Write the body."""
    archive = Archive(content, out)
    if any(each.name == "encryption-data" for each in archive.elements("META-INF/manifest.xml")):
        raise UnreadableError(Cause.ENCRYPTED)
    shared, _ = _read_styles(archive.elements("styles.xml", {"style"}))
    own, body = _read_styles(archive.elements(_CONTENT, {"style"}))
    if body not in _BODIES:
        raise UnreadableError(Cause.MALFORMED)
    if body == "spreadsheet":
        open_sheet.SheetReader(out, shared | own).read(archive.elements(_CONTENT, open_sheet.WHOLE))
    else:
        _TextReader(out, shared | own, archive).read(archive.elements(_CONTENT, _WHOLE))


def _read_styles(elements: Iterable[Element]) -> tuple[frozenset[str], str]:
    """Return the names of styles that hide text, tables or slides, and of the first element in the body."""
    hidden: set[str] = set()
    in_body = False
    for each in elements:
        if in_body:
            return frozenset(hidden), each.name
        in_body = each.name == "body"
        if each.name == "style" and any(map(_hides, each.elements)):
            hidden.add(each.get("name"))
    return frozenset(hidden), ""


def _hides(properties: Element) -> bool:
    return properties.get("display") in {"none", "false"} or properties.get("visibility") == "hidden"


class _TextReader:
    """Writes paragraphs, lists and tables; slides become sections."""

    def __init__(self, out: Writer, hidden_styles: frozenset[str], archive: Archive) -> None:
        """Write to `out`; text in one of the `hidden_styles` is hidden, and `archive` has the formulas."""
        self._out = out
        self._archive = archive
        self._blocks = BlockWriter(out.write_line, out.count_hidden)
        self._hidden_styles = hidden_styles
        self._slides = self._lists = 0
        self._item_begins = False
        self._mark = ""

    def read(self, elements: Iterable[Element], *, title: bool = False, hidden: bool = False) -> None:
        """Write blocks, wherever they are; in a frame for a title they are headings."""
        for each in elements:
            if each.name in _SKIPPED:
                continue
            gone = hidden or self._hides(each)
            if each.name in {"p", "h"}:
                self._paragraph(each, title=title, hidden=gone)
            elif each.name == "frame":
                self._frame(each, hidden=gone)
            elif each.name == "page":
                self._slides += 1
                self._out.begin_section(f"Slide {self._slides}{' (hidden)' if gone else ''}")
                self.read(each.elements)
            elif each.name == "list":
                self._lists += 1
                self.read(each.elements, title=title, hidden=gone)
                self._lists -= 1
            elif each.name == "table-row":
                self._blocks.begin_row()
                self.read(each.elements, hidden=gone)
                self._blocks.end_row()
            else:
                self._item_begins |= each.name == "list-item"
                if each.name == "table-cell":
                    self._blocks.begin_cell()
                self._mark = "Notes: " if each.name == "notes" else self._mark
                self.read(each.elements, title=title, hidden=gone)
                self._mark = "" if each.name == "notes" else self._mark

    def _hides(self, element: Element) -> bool:
        """Return whether an element is hidden by itself."""
        return (
            element.get("style-name") in self._hidden_styles
            or (element.name == "section" and element.get("display", "true") != "true")
            or (element.name == "hidden-paragraph" and element.get("is-hidden") == "true")
            or (element.name == "table-row" and element.get("visibility", "visible") != "visible")
        )

    def _frame(self, frame: Element, *, hidden: bool) -> None:
        if beside := self._beside(frame):
            if hidden:
                self._out.count_hidden(beside)
            else:
                self._blocks.paragraph(beside)
        self.read(frame.elements, title=frame.get("class") == "title", hidden=hidden)

    def _beside(self, frame: Element) -> str:
        """Return what a frame has instead of text: the description of a picture, or a formula."""
        described = "".join(each.text() for each in frame.elements if each.name in {"title", "desc"})
        return picture_mark(described) + "".join(map(self._formula, frame.find("object", skipped=_WHOLE)))

    def _formula(self, holder: Element) -> str:
        """Write a formula that is a document of its own; other objects have pictures."""
        path = holder.get("href").removeprefix("./")
        root = next(self._archive.elements(f"{path}/content.xml", FORMULAS), Element("", {}))
        return write_formula(root, self._out.count_hidden) if root.name in FORMULAS else ""

    def _paragraph(self, paragraph: Element, *, title: bool, hidden: bool) -> None:
        text = self._text(paragraph, hidden=hidden)
        if not text.strip():
            return
        if self._mark:
            self._blocks.paragraph(self._mark + text)
            self._mark = ""
        elif title or paragraph.name == "h":
            self._blocks.heading(text, paragraph.number("outline-level") or 1)
        elif self._lists and self._item_begins:
            self._blocks.item(text, self._lists - 1)
        else:
            self._blocks.paragraph(text)
        self._item_begins = False

    def _text(self, around: Element, *, hidden: bool) -> str:
        """Collect the text in a paragraph, with the notes and frames that are anchored in it."""
        pieces: list[str] = []
        for each in around.children:
            if isinstance(each, str):
                pieces.append("" if hidden else each)
                if hidden:
                    self._out.count_hidden(each)
            elif each.name == "s":
                pieces.append(" " * min(each.number("c", 1), _SPACES_MAX))
            elif each.name in {"tab", "line-break"}:
                pieces.append("\t" if each.name == "tab" else "\n")
            elif each.name in FORMULAS:
                pieces.append(write_formula(each, self._out.count_hidden))
            elif each.name not in _SKIPPED | {"desc"} and (each.name != "title" or around.name != "frame"):
                gone = hidden or self._hides(each)
                inner = self._text(each, hidden=gone)
                beside = self._beside(each) if each.name == "frame" else ""
                if gone:
                    self._out.count_hidden(beside)
                    beside = ""
                is_own = each.name in {"p", "h"} and inner.strip()
                pieces.append(beside + (f" [{inner.strip()}] " if is_own else inner))
        return "".join(pieces)
