"""One part of a DOCX: the body, notes, comments, a header."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from mailmcp import limits
from mailmcp.documents.flow import Flow
from mailmcp.documents.formats.word_styles import Style, is_on, outline_level
from mailmcp.documents.xml_stream import Event, Start

_LEFT_OUT: Final = frozenset(
    {"del", "moveFrom", "Fallback", "rPrChange", "pPrChange", "tblPrChange", "trPrChange", "tcPrChange"}
)
"""Deleted text, text boxes told a second time for old readers, and how things looked before a change."""

_CHARACTERS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_REFERENCES: Final = {"footnoteReference": "[^{}]", "endnoteReference": "[^e{}]"}
_NOTES: Final = {"footnote": "[^{}] ", "endnote": "[^e{}] ", "comment": "[Comment] "}
_INVISIBLE_HALF_POINTS: Final = 2
"""Type of one point and less is for machines."""


@dataclass(slots=True)
class _Paragraph:
    """A paragraph being read, and the run that it is in."""

    pieces: list[str] = field(default_factory=list)
    style: Style = field(default_factory=Style)
    heading: int = 0
    is_list: bool = False
    level: int = 0
    in_run: bool = False
    run_hidden: bool = False
    link: tuple[str, int] = ("", 0)
    """Where a link leads, and how many pieces stood before it."""


class PartReader:
    """Reads the events of one part to lines."""

    def __init__(
        self,
        line: Callable[[str], None],
        hide: Callable[[str], None],
        styles: Mapping[str, Style],
        *,
        links: Mapping[str, str] | None = None,
    ) -> None:
        """Write by `line`, and give hidden text to `hide`; `links` lead from ids to targets."""
        self._flow = Flow(line, hide)
        self._hide = hide
        self._styles = styles
        self._links = links or {}
        self._left_out = 0
        self._in_text = False
        self._mark = ""
        self._row_gone: list[bool] = []
        self._open: list[_Paragraph] = []

    def read(self, events: Iterable[Event]) -> None:
        """Read all of the part."""
        for event in events:
            if isinstance(event, str):
                self._text(event)
            elif isinstance(event, Start):
                self._start(event.name, event.attributes)
            else:
                self._end(event.name)

    def _text(self, text: str) -> None:
        if not self._in_text or not self._open or self._left_out:
            return
        paragraph = self._open[-1]
        if paragraph.run_hidden or paragraph.style.hidden:
            self._hide(text)
        else:
            paragraph.pieces.append(text)

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._left_out or name in _LEFT_OUT:
            if name == "del" and self._row_gone and not self._open:
                # A deletion outside paragraphs is in the properties of a row, and is the whole row's.
                self._row_gone[-1] = True
            self._left_out += 1
        elif name == "t":
            self._in_text = True
        elif name == "p":
            self._open.append(_Paragraph())
        elif name == "tr":
            self._row_gone.append(False)
            self._flow.begin_row()
        elif name == "tc":
            self._flow.begin_cell()
        elif self._open:
            self._within(self._open[-1], name, attributes)
        else:
            self._between(name, attributes)

    def _between(self, name: str, attributes: Mapping[str, str]) -> None:
        """Read what stands outside paragraphs: properties of rows, and the notes of a part of notes."""
        if name == "hidden" and self._row_gone:
            self._row_gone[-1] = is_on(attributes)
        elif name in _NOTES and "separator" in attributes.get("type", "").lower():
            self._left_out = 1
        elif name in _NOTES:
            self._mark = _NOTES[name].format(attributes.get("id", ""))

    def _within(self, paragraph: _Paragraph, name: str, attributes: Mapping[str, str]) -> None:
        """Read what stands in a paragraph: its properties, runs and characters."""
        if name in _CHARACTERS:
            # Tab stops, in the properties, have the name of the character.
            if paragraph.in_run:
                paragraph.pieces.append(_CHARACTERS[name])
        elif name in _REFERENCES:
            paragraph.pieces.append(_REFERENCES[name].format(attributes.get("id", "")))
        elif name == "hyperlink":
            paragraph.link = (self._links.get(attributes.get("r:id", ""), ""), len(paragraph.pieces))
        elif name == "r":
            paragraph.in_run, paragraph.run_hidden = True, False
        elif paragraph.in_run:
            paragraph.run_hidden = paragraph.run_hidden or self._hides(name, attributes)
        else:
            self._property(paragraph, name, attributes.get("val", ""))

    def _hides(self, name: str, attributes: Mapping[str, str]) -> bool:
        """Say whether a property of a run makes it invisible."""
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
        if self._left_out:
            self._left_out -= 1
        elif name == "t":
            self._in_text = False
        elif name == "tr":
            self._flow.end_row(hidden=self._row_gone.pop())
        elif self._open:
            self._end_within(self._open[-1], name)

    def _end_within(self, paragraph: _Paragraph, name: str) -> None:
        if name == "r":
            paragraph.in_run = paragraph.run_hidden = False
        elif name == "hyperlink":
            target, before = paragraph.link
            if target and target not in "".join(paragraph.pieces[before:]):
                short = target[: limits.LINK_CHARS_MAX]
                paragraph.pieces.append(f" <{short}>" if short == target else f" <{short}…>")
        elif name == "p":
            self._open.pop()
            self._put(paragraph)

    def _put(self, paragraph: _Paragraph) -> None:
        text = "".join(paragraph.pieces)
        mark, self._mark = (self._mark, "") if text.strip() else ("", self._mark)
        if mark:
            self._flow.paragraph(mark + text.lstrip())
        elif paragraph.heading:
            self._flow.heading(text, paragraph.heading)
        elif paragraph.is_list:
            self._flow.item(text, paragraph.level)
        else:
            self._flow.paragraph(text)
