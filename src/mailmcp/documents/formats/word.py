"""Reads DOCX (WordprocessingML, ECMA-376 part 1, clause 17) as paragraphs, lists and rows.

The text is that with all changes accepted: without deletions and the sources of moves. Hidden text is left
out and counted.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import BinaryIO, Final, NamedTuple

from mailmcp import limits
from mailmcp.documents.archive import Archive
from mailmcp.documents.blocks import BlockWriter, picture_mark
from mailmcp.documents.formulas import FORMULAS, write_formula
from mailmcp.documents.writer import Writer
from mailmcp.documents.xml_elements import Element

_NOTE_PARTS: Final = ("footnotes", "endnotes", "comments")
_NOTES: Final = {"footnote": "[^{}] ", "endnote": "[^e{}] ", "comment": "[Comment] "}
_REFERENCES: Final = {"footnoteReference": "[^{}]", "endnoteReference": "[^e{}]"}
_REPEATED: Final = frozenset({"header", "footer"})
_BLOCKS: Final = frozenset({"p", "tbl", "sdt", *_NOTES})
_SKIPPED: Final = frozenset(
    {"del", "moveFrom", "Fallback", "rPrChange", "pPrChange", "tblPrChange", "trPrChange", "tcPrChange"}
)
"""Deleted text, second copies of text boxes for old readers, and formats before a change."""

_PROPERTIES: Final = frozenset({"pPr", "rPr"})
_CHARACTERS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_HEADING: Final = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_BODY_LEVEL: Final = 9
_VISIBLE_HALF_POINTS: Final = 3
"""Type of one point or less is invisible."""


class _Style(NamedTuple):
    """What a style sets. Inherited properties are ignored, apart from the names of headings."""

    heading: int = 0
    """Level from 1; 0 for text."""

    is_list: bool = False
    level: int = 0
    hidden: bool = False


def read(content: BinaryIO, out: Writer) -> None:
    """Write the body, then notes and comments, then each distinct line of headers and footers once."""
    archive = Archive(content, out)
    main = archive.main_part()
    relations = archive.relations(main)
    parts = dict(relations.values())
    styles = {
        each.get("styleId"): _apply(_Style(hidden=_is_hidden(each.child("rPr"), {})), each)
        for each in archive.elements(parts.get("styles", ""), {"style"})
        if each.name == "style"
    }
    links = {id_: path for id_, (_, path) in relations.items()}
    reader = _Reader(out.write_line, out.count_hidden, styles, links)
    reader.read(archive.elements(main, _BLOCKS))
    for kind in _NOTE_PARTS:
        reader.read(archive.elements(parts.get(kind, ""), _BLOCKS))
    reader = _Reader(_distinct(out.write_line), out.count_hidden, styles, {})
    for kind, path in relations.values():
        if kind in _REPEATED:
            reader.read(archive.elements(path, _BLOCKS))


def _distinct(line: Callable[[str], None]) -> Callable[[str], None]:
    """Write each line once: every section has its own headers, which are mostly the same."""
    seen: set[str] = set()

    def once(text: str) -> None:
        if text not in seen:
            seen.add(text)
            line(text)

    return once


def _apply(style: _Style, properties: Element) -> _Style:
    """Apply the properties of a paragraph or of a style."""
    for each in properties.find("name", "outlineLvl", "numId", "ilvl", skipped=_SKIPPED | {"rPr"}):
        value = each.get("val")
        if each.name == "name":
            named = _HEADING.match(value)
            style = style._replace(heading=int(named[1]) if named else int(value.lower() == "title"))
        elif each.name == "outlineLvl":
            level = each.number("val", _BODY_LEVEL)
            style = style._replace(heading=level + 1 if level < _BODY_LEVEL else 0)
        elif each.name == "numId":
            style = style._replace(is_list=value != "0")
        else:
            style = style._replace(level=each.number("val"))
    return style


def _is_hidden(properties: Element, styles: Mapping[str, _Style]) -> bool:
    """Return whether properties of a run hide it."""
    for each in properties.elements:
        value = each.get("val")
        if (
            (each.name == "vanish" and each.is_on)
            or (each.name == "sz" and each.number("val", _VISIBLE_HALF_POINTS) < _VISIBLE_HALF_POINTS)
            or (each.name == "rStyle" and styles.get(value, _Style()).hidden)
        ):
            return True
    return False


class _Reader:
    """Writes parts as lines: the body, notes, comments, headers."""

    def __init__(
        self,
        line: Callable[[str], None],
        hide: Callable[[str], None],
        styles: Mapping[str, _Style],
        links: Mapping[str, str],
    ) -> None:
        """Write with `line`; `hide` gets hidden text, and `links` are targets by id."""
        self._blocks = BlockWriter(line, hide)
        self._hide = hide
        self._styles = styles
        self._links = links
        self._mark = ""

    def read(self, elements: Iterable[Element]) -> None:
        """Write paragraphs and tables, wherever they are."""
        for each in elements:
            if each.name == "p":
                self._paragraph(each)
            elif each.name == "tr":
                properties = each.child("trPr")
                deleted = any(mark.name == "del" for mark in properties.elements)
                self._blocks.begin_row()
                self.read(each.elements)
                hidden = properties.child("hidden")
                self._blocks.end_row(hidden=deleted or (hidden.name == "hidden" and hidden.is_on))
            elif each.name in _NOTES and "separator" in each.get("type").lower():
                continue
            elif each.name not in _SKIPPED:
                if each.name == "tc":
                    self._blocks.begin_cell()
                elif each.name in _NOTES:
                    self._mark = _NOTES[each.name].format(each.get("id"))
                self.read(each.elements)

    def _paragraph(self, paragraph: Element) -> None:
        properties = paragraph.child("pPr")
        style = self._styles.get(properties.child("pStyle").get("val"), _Style())
        style = _apply(style, properties)
        pieces: list[str] = []
        self._inline(paragraph, pieces, hidden=style.hidden)
        text = "".join(pieces)
        if self._mark and text.strip():
            self._blocks.paragraph(self._mark + text.lstrip())
            self._mark = ""
        elif style.heading:
            self._blocks.heading(text, style.heading)
        elif style.is_list:
            self._blocks.item(text, style.level)
        else:
            self._blocks.paragraph(text)

    def _inline(self, around: Element, pieces: list[str], *, hidden: bool) -> None:
        """Collect the text in a paragraph; text boxes in it are written at once."""
        for each in around.elements:
            if each.name in _SKIPPED or each.name in _PROPERTIES:
                continue
            written = ""
            if each.name == "txbxContent":
                self.read(each.elements)
            elif each.name == "t":
                written = each.text()
            elif each.name == "docPr":
                written = picture_mark(each.get("descr") or each.get("title"))
            elif each.name in FORMULAS:
                written = write_formula(each, self._hide)
            elif each.name in _REFERENCES:
                written = _REFERENCES[each.name].format(each.get("id"))
            elif each.name in _CHARACTERS:
                written = _CHARACTERS[each.name]
            else:
                before = len(pieces)
                own = each.name == "r" and _is_hidden(each.child("rPr"), self._styles)
                self._inline(each, pieces, hidden=hidden or own)
                if each.name == "hyperlink":
                    target = self._links.get(each.get("r:id"), "")
                    written = link_suffix(target, "".join(pieces[before:]))
            if hidden:
                self._hide(written)
            else:
                pieces.append(written)


def link_suffix(target: str, shown: str) -> str:
    """Return what to write after a link; "" if its text shows where it leads."""
    if not target or target in shown:
        return ""
    short = target[: limits.LINK_CHARS_MAX]
    return f" <{short}>" if short == target else f" <{short}…>"
