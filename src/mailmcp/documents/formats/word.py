"""Reads DOCX (WordprocessingML, ECMA-376 part 1, clause 17) as paragraphs, lists and rows.

The text is that with all changes accepted: without deletions and the sources of moves. Hidden text is left
out and counted.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Final

from mailmcp import limits
from mailmcp.documents.archive import Archive
from mailmcp.documents.blocks import BlockWriter, picture_mark
from mailmcp.documents.formulas import FORMULAS, FormulaReader
from mailmcp.documents.writer import Writer
from mailmcp.documents.xml_stream import Event, Start

_NOTE_PARTS: Final = ("footnotes", "endnotes", "comments")
_REPEATED: Final = frozenset({"header", "footer"})


def read(content: BinaryIO, out: Writer) -> None:
    """Write the body, then notes and comments, then each distinct line of headers and footers once.

    Raises:
        UnreadableError: It is not a DOCX, or is too large.
        StopReading: A limit is reached.
    """
    archive = Archive(content, out)
    main = archive.main_part()
    relations = archive.relations(main)
    parts = dict(relations.values())
    styles = read_styles(archive.events(parts.get("styles", "")))
    links = {id_: path for id_, (_, path) in relations.items()}
    body = PartReader(out.write_line, out.count_hidden, styles, links=links)
    body.read(archive.events(main))
    for kind in _NOTE_PARTS:
        PartReader(out.write_line, out.count_hidden, styles).read(archive.events(parts.get(kind, "")))
    distinct = _distinct(out.write_line)
    for kind, path in relations.values():
        if kind in _REPEATED:
            PartReader(distinct, out.count_hidden, styles).read(archive.events(path))


def _distinct(line: Callable[[str], None]) -> Callable[[str], None]:
    """Write each line once: every section has its own headers, which are mostly the same."""
    seen: set[str] = set()

    def once(text: str) -> None:
        if text not in seen:
            seen.add(text)
            line(text)

    return once


_HEADING: Final = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_HEADING_LEVELS: Final = frozenset("012345678")
_OFF: Final = frozenset({"0", "false", "off", "none"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """What one style sets. Inherited properties are ignored, apart from the names of headings."""

    heading: int = 0
    """Level from 1; 0 for text."""

    is_list: bool = False
    hidden: bool = False


def read_styles(events: Iterable[Event]) -> dict[str, Style]:
    """Return the styles that set something, by id."""
    styles: dict[str, Style] = {}
    current = ""
    for event in events:
        if not isinstance(event, Start):
            continue
        if event.name == "style":
            current = event.attributes.get("styleId", "")
        elif current:
            style = _apply_property(styles.get(current, Style()), event)
            if style is not None:
                styles[current] = style
    return styles


def _apply_property(style: Style, event: Start) -> Style | None:
    """Apply one property to a style; None if it sets nothing here."""
    value = event.attributes.get("val", "")
    if event.name == "name":
        named = _HEADING.match(value)
        level = int(named[1]) if named else int(value.lower() == "title")
        return replace(style, heading=level) if level else None
    if event.name == "outlineLvl":
        return replace(style, heading=outline_level(value))
    if event.name == "numId":
        return replace(style, is_list=value != "0")
    if event.name == "vanish":
        return replace(style, hidden=is_on(event.attributes))
    return None


def outline_level(value: str) -> int:
    """Parse an outline level: 0 to 8 are headings, 9 is body text."""
    return int(value) + 1 if value in _HEADING_LEVELS else 0


def is_on(attributes: Mapping[str, str]) -> bool:
    """Parse a toggle property, which is on if it is present (ECMA-376 part 1, 17.17.4)."""
    return attributes.get("val", "true").lower() not in _OFF


_SKIPPED: Final = frozenset(
    {"del", "moveFrom", "Fallback", "rPrChange", "pPrChange", "tblPrChange", "trPrChange", "tcPrChange"}
)
"""Deleted text, second copies of text boxes for old readers, and formats before a change."""


def _is_skipped(event: Event) -> bool:
    return isinstance(event, Start) and event.name in _SKIPPED


_CHARACTERS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_REFERENCES: Final = {"footnoteReference": "[^{}]", "endnoteReference": "[^e{}]"}
_NOTES: Final = {"footnote": "[^{}] ", "endnote": "[^e{}] ", "comment": "[Comment] "}
_INVISIBLE_HALF_POINTS: Final = 2
"""Type of one point or less is invisible."""


@dataclass(slots=True)
class _Paragraph:
    """A paragraph being read, and its current run."""

    pieces: list[str] = field(default_factory=list)
    style: Style = field(default_factory=Style)
    heading: int = 0
    is_list: bool = False
    level: int = 0
    in_run: bool = False
    run_hidden: bool = False
    link: tuple[str, int] = ("", 0)
    """The target of a link, and the number of pieces before it."""


class PartReader:
    """Writes one part as lines: the body, notes, comments, a header."""

    def __init__(
        self,
        line: Callable[[str], None],
        hide: Callable[[str], None],
        styles: Mapping[str, Style],
        *,
        links: Mapping[str, str] | None = None,
    ) -> None:
        """Write with `line`; `hide` gets hidden text, and `links` are targets by id."""
        self._blocks = BlockWriter(line, hide)
        self._hide = hide
        self._styles = styles
        self._links = links or {}
        self._skipped_depth = 0
        self._in_text = False
        self._formula: FormulaReader | None = None
        self._mark = ""
        self._row_deleted: list[bool] = []
        self._open: list[_Paragraph] = []

    def read(self, events: Iterable[Event]) -> None:
        """Read the whole part."""
        for event in events:
            if self._formula is not None and not self._skipped_depth and not _is_skipped(event):
                written = self._formula.take(event)
                if written is not None:
                    self._open[-1].pieces.append(written)
                    self._formula = None
            elif isinstance(event, str):
                self._text(event)
            elif isinstance(event, Start):
                self._start(event.name, event.attributes)
            else:
                self._end(event.name)

    def _text(self, text: str) -> None:
        if not self._in_text or not self._open or self._skipped_depth:
            return
        paragraph = self._open[-1]
        if paragraph.run_hidden or paragraph.style.hidden:
            self._hide(text)
        else:
            paragraph.pieces.append(text)

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._skipped_depth or name in _SKIPPED:
            if name == "del" and self._row_deleted and not self._open:
                # A deletion outside of paragraphs is a property of a row, and deletes the row.
                self._row_deleted[-1] = True
            self._skipped_depth += 1
        elif name == "t":
            self._in_text = True
        elif name == "p":
            self._open.append(_Paragraph())
        elif name == "tr":
            self._row_deleted.append(False)
            self._blocks.begin_row()
        elif name == "tc":
            self._blocks.begin_cell()
        elif self._open:
            if name in FORMULAS:
                self._formula = FormulaReader(self._hide)
                self._formula.take(Start(name, attributes))
            else:
                self._within(self._open[-1], name, attributes)
        else:
            self._between(name, attributes)

    def _between(self, name: str, attributes: Mapping[str, str]) -> None:
        """Read what is outside of paragraphs: properties of rows, and the starts of notes."""
        if name == "hidden" and self._row_deleted:
            self._row_deleted[-1] = is_on(attributes)
        elif name in _NOTES and "separator" in attributes.get("type", "").lower():
            self._skipped_depth = 1
        elif name in _NOTES:
            self._mark = _NOTES[name].format(attributes.get("id", ""))

    def _within(self, paragraph: _Paragraph, name: str, attributes: Mapping[str, str]) -> None:
        """Read what is in a paragraph: properties, runs and characters."""
        if name in _CHARACTERS:
            # Tab stops, in the properties, have the same name as tab characters.
            if paragraph.in_run:
                paragraph.pieces.append(_CHARACTERS[name])
        elif name in _REFERENCES:
            paragraph.pieces.append(_REFERENCES[name].format(attributes.get("id", "")))
        elif name == "docPr":
            self._picture(paragraph, attributes.get("descr", "") or attributes.get("title", ""))
        elif name == "hyperlink":
            paragraph.link = (self._links.get(attributes.get("r:id", ""), ""), len(paragraph.pieces))
        elif name == "r":
            paragraph.in_run, paragraph.run_hidden = True, False
        elif paragraph.in_run:
            paragraph.run_hidden = paragraph.run_hidden or self._is_hidden_by(name, attributes)
        else:
            self._property(paragraph, name, attributes.get("val", ""))

    def _picture(self, paragraph: _Paragraph, described: str) -> None:
        mark = picture_mark(described)
        if paragraph.run_hidden or paragraph.style.hidden:
            self._hide(mark)
        else:
            paragraph.pieces.append(mark)

    def _is_hidden_by(self, name: str, attributes: Mapping[str, str]) -> bool:
        """Return whether a property of a run hides it."""
        value = attributes.get("val", "")
        if name == "vanish":
            return is_on(attributes)
        if name == "sz":
            return value.isdecimal() and int(value[:6]) <= _INVISIBLE_HALF_POINTS
        return name == "rStyle" and self._styles.get(value, Style()).hidden

    def _property(self, paragraph: _Paragraph, name: str, value: str) -> None:
        if name == "pStyle":
            paragraph.style = self._styles.get(value, Style())
            paragraph.heading = paragraph.heading or paragraph.style.heading
            paragraph.is_list = paragraph.is_list or paragraph.style.is_list
        elif name == "outlineLvl":
            paragraph.heading = outline_level(value)
        elif name == "numId":
            paragraph.is_list = value != "0"
        elif name == "ilvl":
            paragraph.level = int(value) if value in set("012345678") else 0

    def _end(self, name: str) -> None:
        if self._skipped_depth:
            self._skipped_depth -= 1
        elif name == "t":
            self._in_text = False
        elif name == "tr":
            self._blocks.end_row(hidden=self._row_deleted.pop())
        elif self._open:
            self._end_within(self._open[-1], name)

    def _end_within(self, paragraph: _Paragraph, name: str) -> None:
        if name == "r":
            paragraph.in_run = paragraph.run_hidden = False
        elif name == "hyperlink":
            target, before = paragraph.link
            paragraph.pieces.append(link_suffix(target, "".join(paragraph.pieces[before:])))
        elif name == "p":
            self._open.pop()
            self._put(paragraph)

    def _put(self, paragraph: _Paragraph) -> None:
        text = "".join(paragraph.pieces)
        mark, self._mark = (self._mark, "") if text.strip() else ("", self._mark)
        if mark:
            self._blocks.paragraph(mark + text.lstrip())
        elif paragraph.heading:
            self._blocks.heading(text, paragraph.heading)
        elif paragraph.is_list:
            self._blocks.item(text, paragraph.level)
        else:
            self._blocks.paragraph(text)


def link_suffix(target: str, shown: str) -> str:
    """Return what to write after a link; "" if its text shows where it leads."""
    if not target or target in shown:
        return ""
    short = target[: limits.LINK_CHARS_MAX]
    return f" <{short}>" if short == target else f" <{short}…>"
