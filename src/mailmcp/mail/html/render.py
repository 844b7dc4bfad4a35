"""What people see of a page to lines of text: what each element means to a reader.

Owns lists, quotes, images and headings; `links` describes targets, `table` has the rule for tables,
`writer` owns white space and prefixes.
"""

import re
from typing import Final

from mailmcp.mail.clean import clean_line
from mailmcp.mail.html.links import LinkBook
from mailmcp.mail.html.marks import ROUND
from mailmcp.mail.html.style import MAYBE, Style
from mailmcp.mail.html.table import Cell, write_table
from mailmcp.mail.html.writer import TextWriter
from mailmcp.mail.trust.link import resolve_link

_CELL_DEPTH_MAX: Final = 16  # each level copies its lines once more; deeper tables are layout for certain
_READ_PX_MIN: Final = 6.0  # text of a link that is smaller may not be read as a part of it
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_PARAGRAPHS: Final = _HEADINGS | {"p", "ul", "ol", "dl", "table", "pre", "xmp", "blockquote", "figure"}
_LINES: Final = frozenset(
    {"address", "article", "aside", "caption", "center", "dd", "details", "dialog", "dir", "div", "dt"}
    | {"fieldset", "figcaption", "footer", "form", "header", "hgroup", "legend", "li", "main", "menu", "nav"}
    | {"section", "summary", "tr"}
)
_PARTS_LINK: Final = _PARAGRAPHS | _LINES | {"br", "hr", "td", "th", "sup", "sub", "rt"}
"""Elements before and after which a link may name a site of its own."""

_CELLS: Final = frozenset({"td", "th"})
_LISTS: Final = frozenset({"ul", "ol"})
_PREFORMATTED: Final = frozenset({"pre", "xmp"})
_STRUCK: Final = frozenset({"del", "s", "strike"})
_STRIKE: Final = "~~"
_NUMBER: Final = re.compile(r"\s*(\d{1,6})")
_OURS: Final = re.compile(
    r"\W*+(?:may be hidden|goes to|\d[\d,]*+ quoted line|\d++(?:: |\W*+$)"
    r"|(?:area of a )?picture\W*+$)",
    re.IGNORECASE,
)
"""How what we write in brackets begins: an alternative text must not pass for it."""

_EMBEDDED: Final = re.compile(r"\s*data:(?!image/gif;base64,R0lGODlhAQABA)", re.IGNORECASE)
"""A picture within the HTML (RFC 2397): a letter that was scanned, say. A GIF of one pixel keeps room."""

_INDENT: Final = re.compile(r"(?is)(?!.*border-left)(?:.*;)?\s*border\s*:\s*(?:none|medium|0)\b")
"""The style of quotations that editors indent with."""


class Renderer:
    """A sink of `hidden.walk` that writes text."""

    def __init__(self, base: str, book: LinkBook) -> None:
        self.writer = TextWriter()
        self._base, self._book = base, book
        self._open: list[tuple[bool, bool]] = []  # whether each open element is a link, and in doubt
        self._links: list[tuple[str, list[str]]] = []  # the target and the text of each open link
        self._tables: list[list[list[Cell]]] = []
        self._cells: list[tuple[TextWriter, int, int]] = []  # the writer around each open cell, and its spans
        self._lists: list[int] = []  # next number of each open list, 0 without numbers
        self._preformatted = self._struck = self._quotes = 0
        self._raised = False

    def open(self, tag: str, attributes: dict[str, str], style: Style) -> None:
        """Begin an element."""
        maybe = style.hides == MAYBE
        self._break(tag)
        href = attributes.get("href", attributes.get("xlink:href")) if tag in ("a", "area") else None
        if href is not None:
            self._links.append((href, []))
        self._open.append((href is not None, maybe))
        if tag == "area" and href is not None:
            self._put("[area of a picture]", maybe=maybe)
            self._say(f"[{clean_line(attributes.get('alt', '')).text}]")
        elif tag == "img" and style.visible:
            self._write_picture(attributes, maybe=maybe)
        self._begin_line(tag)
        self._begin_block(tag, attributes)
        self._begin_table(tag, attributes)

    def close(self, tag: str) -> None:
        """End the innermost element."""
        is_link, maybe = self._open.pop()
        self._end(tag)
        self._end_table(tag)
        if is_link:
            self._close_link(maybe=maybe)
        self._break(tag)

    def text(self, text: str, style: Style) -> None:
        """Write text."""
        self._book.chars_since += len(text)
        maybe = style.hides == MAYBE
        self._say(f"\n{text}\n" if maybe or style.font_px < _READ_PX_MIN else text)
        if self._raised and text.strip():
            if text.lstrip()[0].isdigit() and self.writer.ends_with_digit():
                self._put("^")  # 12 with a raised 99 isn't 1299
            self._raised = False
        self._put(text, maybe=maybe)

    def _put(self, text: str, *, maybe: bool = False) -> None:
        (self.writer.write_preformatted if self._preformatted else self.writer.write)(text, maybe=maybe)

    def _say(self, text: str) -> None:
        """Add to the text of the open link, if there is one."""
        if self._links:
            self._links[-1][1].append(text)

    def _break(self, tag: str) -> None:
        if tag in _PARAGRAPHS:
            self.writer.break_line(2)
            if tag in _LISTS and self._lists:
                self.writer.tighten()
        elif tag in _LINES:
            self.writer.break_line()
        if tag in _PARTS_LINK:
            self._say("\n")

    def _write_picture(self, attributes: dict[str, str], *, maybe: bool) -> None:
        alternative = clean_line(attributes.get("alt", "")).text
        if not alternative and not _EMBEDDED.match(attributes.get("src", "")):
            return
        text = f"{'picture: ' if _OURS.match(alternative) else ''}{alternative.translate(ROUND)}" or "picture"
        self._say(f"[{text}]")
        self._put(f"[{text}]", maybe=maybe)

    def _close_link(self, *, maybe: bool) -> None:
        href, pieces = self._links.pop()
        said = "".join(pieces)
        if self._quotes:
            self._book.forget()
        if note := self._book.describe(said, resolve_link(href, self._base)):
            self.writer.write(f" {note}{' ' if said.rstrip(chr(10))[-1:].isspace() else ''}", maybe=maybe)

    def _begin_line(self, tag: str) -> None:
        if tag == "br":
            self.writer.line_feed()
        elif tag == "hr":
            self.writer.break_line()
            self.writer.write("---")
            self.writer.break_line()
        elif tag == "sup":
            self._raised = True
        elif tag in _STRUCK:  # such as an old price
            self._struck += 1
            if self._struck == 1:
                self._put(_STRIKE)

    def _begin_block(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _HEADINGS:
            self.writer.push_prefix("#" * int(tag[1]) + " ", "")
        elif tag == "blockquote":
            sign = "  " if _INDENT.match(attributes.get("style", "")) else "> "
            self.writer.push_prefix(sign, sign)
            self._quotes += 1
        elif tag in _LISTS:
            self._lists.append(_number(attributes, "start") if tag == "ol" else 0)
        elif tag == "li":
            number = self._lists[-1] if self._lists else 0
            sign = f"{number}. " if number else "- "
            if number:
                self._lists[-1] = number + 1
            self.writer.push_prefix(sign, " " * len(sign))
        elif tag == "dd":
            self.writer.push_prefix("  ", "  ")
        elif tag in _PREFORMATTED:
            self._preformatted += 1

    def _end(self, tag: str) -> None:
        if tag in _STRUCK:
            self._struck -= 1
            if not self._struck:
                self.writer.close_strike(_STRIKE)
        elif tag == "sup":
            self._raised = False
        elif tag in _HEADINGS or tag in ("blockquote", "li", "dd"):
            self.writer.pop_prefix()
            if tag == "li":
                self.writer.tighten()
            elif tag == "blockquote":
                self._quotes -= 1
                self._book.forget()
        elif tag in _LISTS:
            self._lists.pop()
        elif tag in _PREFORMATTED:
            self._preformatted -= 1

    def _begin_table(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "table":
            self._tables.append([])
        elif tag == "tr" and self._tables:  # SVG may have one without
            self._tables[-1].append([])
        elif tag in _CELLS:
            self._cells.append((self.writer, _number(attributes, "colspan"), _number(attributes, "rowspan")))
            if self._tables and len(self._cells) <= _CELL_DEPTH_MAX:
                self.writer = TextWriter()
            else:
                self.writer.break_line()

    def _end_table(self, tag: str) -> None:
        if tag == "table":
            for lines in write_table(self._tables.pop()):
                breaks = 2 if len(lines) > 1 else 1
                self.writer.break_line(breaks)
                self.writer.append_lines(lines)
                self.writer.break_line(breaks)
        elif tag in _CELLS:
            outer, columns, rows = self._cells.pop()
            lines = self.writer.finish()
            if self.writer is not outer:
                self.writer = outer
                table = self._tables[-1]
                if not table:
                    table.append([])
                table[-1].append(Cell(lines, columns, rows))


def _number(attributes: dict[str, str], name: str) -> int:
    """Return a number of at least 1 from an attribute."""
    match = _NUMBER.match(attributes.get(name, ""))
    return max(int(match[1]), 1) if match else 1
