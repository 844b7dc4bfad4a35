"""A parsed HTML document to lines of text: what each element means to a reader.

Owns lists, quotes, images and headings; links are for `html.link_note`, tables for
`html.table`, white space and prefixes for `html.writer`. Walks without recursion.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborNode

from mailmcp.mail.clean import clean_line, clean_text
from mailmcp.mail.html.hidden.remove import LINE_ATTRIBUTE
from mailmcp.mail.html.marks import ROUND, leaves_mark_open, mark_lines
from mailmcp.mail.html.render.link_note import RAISED, LinkBook
from mailmcp.mail.html.render.table import Cell, Table
from mailmcp.mail.html.render.target import SUBMITS, marked_targets
from mailmcp.mail.html.render.writer import TextWriter
from mailmcp.mail.html.tags import TAG_ATTRIBUTE

_CELL_DEPTH_MAX: Final = 16  # each level copies its lines once more; deeper tables are layout for certain
_PARAGRAPHS: Final = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table", "pre", "blockquote", "figure"}
)
_LINES: Final = frozenset(
    {"address", "article", "aside", "center", "dd", "details", "dialog", "div", "dt", "figcaption", "footer"}
    | {"header", "hgroup", "li", "main", "menu", "nav", "section", "summary", "tr", "caption", "dir"}
)
_ENDS_LINE: Final = _PARAGRAPHS | _LINES | {"br", "hr", "td", "th"}
_NUMBER: Final = re.compile(r"\s*(\d{1,6})")
_MARKS: Final = re.compile(
    r"\W*+(?:may be hidden|goes to|\d[\d,]*+ quoted line|(?:button|field|(?:area of a )?picture)\W*+$)",
    re.IGNORECASE,
)
_EMBEDDED: Final = re.compile(r"\s*data:(?!image/gif;base64,R0lGODlhAQABA)", re.IGNORECASE)
"""A picture within the HTML (RFC 2397): a letter that was scanned, say. A GIF of one pixel keeps room."""

_QUOTED: Final = re.compile(r"^[^\S\n]*+>", re.MULTILINE)
_STRUCK: Final = "~~"
_INDENT: Final = re.compile(r"(?is)(?!.*border-left)(?:.*;)?\s*border\s*:\s*(?:none|medium|0)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """Text made of a document."""

    text: str
    """Lines separated by newlines, with at most one blank line between."""

    invisible_removed: int
    """Invisible and bidirectional control characters that were removed."""

    misleading_links: int
    """Links that say one thing and do another, from 0 (see `html.link_note`)."""


def render_text(root: LexborNode | None) -> Rendered:
    """Write what a person would read of an element; links are those that `html.target` has marked in it."""
    renderer = _Renderer({} if root is None else marked_targets(root))
    if root is not None:
        renderer.lines = {
            node.mem_id: node.attributes[LINE_ATTRIBUTE] == "yes" for node in root.css(f"[{LINE_ATTRIBUTE}]")
        }
        renderer.render(root)
    return Rendered(
        text="\n".join(mark_lines(renderer.writer.finish())),
        invisible_removed=renderer.invisible,
        misleading_links=renderer.book.misleading,
    )


class _Renderer:
    """Walks a document and writes each element."""

    __slots__ = (
        "book",
        "invisible",
        "lines",
        "links",
        "lists",
        "marked",
        "preformatted",
        "quotes",
        "spans",
        "struck",
        "tables",
        "targets",
        "typed_quotes",
        "writer",
        "writers",
    )

    def __init__(self, targets: Mapping[int, str]) -> None:
        self.targets = targets
        self.lines: dict[int, bool] = {}  # whether an element has lines of its own, by its style
        self.writer = TextWriter()
        self.writers: list[TextWriter] = []
        self.tables: list[Table] = []
        self.spans: list[tuple[int, int]] = []  # columns and rows of each open cell
        self.lists: list[int] = []  # next number of each open list, 0 without numbers
        self.links: list[tuple[str, list[str]]] = []  # where each open one leads, and its text so far
        self.typed_quotes = False  # whether a text before marks lines as quoted by itself
        self.book = LinkBook()
        self.marked = False  # whether the text so far ends in a mark that is open
        self.preformatted = self.struck = self.quotes = 0
        self.invisible = 0

    def render(self, root: LexborNode) -> None:
        """Visit every node in order, without recursion."""
        node: LexborNode | None = root
        depth = 0
        while node is not None:
            child = node.first_child if self.enter(node) else None
            if child is not None:
                node, depth = child, depth + 1
                continue
            self.leave(node)
            while depth and node.next is None and node.parent is not None:
                node, depth = node.parent, depth - 1
                self.leave(node)
            node = node.next if depth else None

    def enter(self, node: LexborNode) -> bool:
        """Begin a node; return whether to visit its children."""
        if node.is_text_node:
            text = node.text_content or ""
            self._write(text, is_seen=not self.links or node.parent is None or node.parent.tag != "rp")
            self.marked = leaves_mark_open(text, was_open=self.marked)
            return False
        tag = node.tag or ""
        self._break(tag)
        if self.links and self.lines.get(node.mem_id, tag in _ENDS_LINE):
            self.links[-1][1].append("\n")
        if (target := self.targets.get(node.mem_id)) is not None:
            self.links.append((target, []))
        opener = _OPENERS.get(tag)
        if opener is not None:
            opener(self, node)
        return True

    def leave(self, node: LexborNode) -> None:
        """End a node that was begun."""
        tag = node.tag or ""
        closer = _CLOSERS.get(tag)
        if closer is not None:
            closer(self)
        if node.mem_id in self.targets:
            self._close_link(node)
        if self.links and self.lines.get(node.mem_id, tag in _ENDS_LINE):
            self.links[-1][1].append("\n")
        self._break(tag)

    def _break(self, tag: str) -> None:
        if tag in _PARAGRAPHS:
            self.writer.break_line(2)
            if tag in ("ul", "ol") and self.lists:
                self.writer.tighten()
        elif tag in _LINES:
            self.writer.break_line()

    def _write(self, text: str, *, is_seen: bool = True) -> None:
        cleaned = clean_text(text)
        self.invisible += cleaned.removed
        self.book.chars_since += len(cleaned.text)
        begins = self.preformatted or self.writer.is_line_empty()
        if begins and ">" in cleaned.text and _QUOTED.search(cleaned.text):
            self.typed_quotes = True
        if self.links and is_seen:  # a form may hold links: each text is that of the innermost
            self.links[-1][1].append(cleaned.text)
        if self.preformatted:
            self.writer.write_preformatted(cleaned.text)
        else:
            self.writer.write(cleaned.text)

    def _note(self, text: str) -> str:
        """Return what is written of an element, without brackets that would close a mark around it."""
        return text.translate(ROUND) if self.marked else text

    def open_heading(self, node: LexborNode) -> None:
        self.writer.push_prefix("#" * int((node.tag or "h1")[1]) + " ", "")

    def close_prefix(self) -> None:
        self.writer.pop_prefix()

    def close_item(self) -> None:
        self.writer.pop_prefix()
        self.writer.tighten()

    def open_quote(self, node: LexborNode) -> None:
        mark = "  " if _INDENT.match(node.attributes.get("style") or "") else "> "
        self.writer.push_prefix(mark, mark)
        self.quotes += 1

    def close_quote(self) -> None:
        self.quotes -= 1
        self.book.forget()
        self.close_prefix()

    def open_list(self, node: LexborNode) -> None:
        start = _NUMBER.match(node.attributes.get("start") or "1") if node.tag == "ol" else None
        self.lists.append(int(start[1]) if start else int(node.tag == "ol"))

    def close_list(self) -> None:
        self.lists.pop()

    def open_item(self, _node: LexborNode) -> None:
        number = self.lists[-1] if self.lists else 0
        mark = f"{number}. " if number else "- "
        if number:
            self.lists[-1] = number + 1
        self.writer.push_prefix(mark, " " * len(mark))

    def open_pre(self, _node: LexborNode) -> None:
        self.preformatted += 1

    def close_pre(self) -> None:
        self.preformatted -= 1

    def line_feed(self, _node: LexborNode) -> None:
        self.writer.line_feed()

    def rule(self, _node: LexborNode) -> None:
        self.writer.break_line()
        self.writer.write("---")
        self.writer.break_line()

    def image(self, node: LexborNode) -> None:
        attributes = node.attributes
        alternative = clean_line(attributes.get("alt") or "").text
        if alternative:
            of = "picture: " if _MARKS.match(alternative) else ""  # not to pass for a mark of ours
            self._write(self._note(f"[{of}{alternative.translate(ROUND)}]"))
        elif _EMBEDDED.match(attributes.get("src") or ""):
            self._write(self._note("[picture]"))

    def name_control(self, node: LexborNode) -> None:
        """Name a link that has no text."""
        if node.mem_id in self.targets:
            kind = (node.attributes.get("type") or "").lower()
            name = "button" if kind in SUBMITS else "field" if node.tag == "input" else "area of a picture"
            self._write(self._note(f"[{name}]"))
            self.links[-1][1].append(f"[{clean_line(node.attributes.get('alt') or '').text}]")

    def _close_link(self, node: LexborNode) -> None:
        href, texts = self.links[-1]
        if node.attributes.get(TAG_ATTRIBUTE) == "button" and not "".join(texts).strip():
            self._write(self._note("[button]"))
        self.links.pop()
        if self.quotes or self.typed_quotes:
            self.book.forget()
        if node.attributes.get(TAG_ATTRIBUTE) == "form" and href in self.book.sent:
            return  # a button has shown it
        if node.tag in ("input", "label") or node.attributes.get(TAG_ATTRIBUTE) == "button":
            self.book.sent.add(href)
        if target := self.book.describe("".join(texts), href):
            last = next((text for text in reversed(texts) if text not in ("\n", RAISED)), "")
            self.writer.write(f" {self._note(target)}{' ' if last[-1:].isspace() else ''}")

    def open_struck(self, _node: LexborNode) -> None:
        """Mark struck text, such as an old price; `close_struck` drops the mark if there is none."""
        self.struck += 1
        if self.struck == 1:
            self.writer.write(_STRUCK)

    def close_struck(self) -> None:
        self.struck -= 1
        if not self.struck:
            self.writer.close_mark(_STRUCK)

    def raise_digits(self, node: LexborNode) -> None:
        """Separate raised digits from those before them: 12 with a raised 99 isn't 1299."""
        self.part_word(node)
        first = node.first_child
        if (
            first is not None
            and (first.text_content or "").strip()[:1].isdigit()
            and self.writer.ends_with_digit()
        ):
            self.writer.write("^")

    def part_word(self, _node: LexborNode) -> None:
        """Note in the text of a link that what follows may be a word of its own."""
        if self.links:
            self.links[-1][1].append(RAISED)

    def indent(self, _node: LexborNode) -> None:
        self.writer.push_prefix("  ", "  ")

    def open_table(self, _node: LexborNode) -> None:
        self.tables.append(Table())

    def close_table(self) -> None:
        for lines in self.tables.pop().blocks():
            breaks = 2 if len(lines) > 1 else 1
            self.writer.break_line(breaks)
            self.writer.append_lines(lines)
            self.writer.break_line(breaks)

    def open_row(self, _node: LexborNode) -> None:
        self.tables[-1].rows.append([])

    def open_cell(self, node: LexborNode) -> None:
        self.writers.append(self.writer)
        self.spans.append((_span(node, "colspan"), _span(node, "rowspan")))
        if len(self.writers) <= _CELL_DEPTH_MAX:
            self.writer = TextWriter()
        else:
            self.writer.break_line()

    def close_cell(self) -> None:
        lines = self.writer.finish()
        outer, (columns, rows) = self.writers.pop(), self.spans.pop()
        if self.writer is not outer:
            self.writer = outer
            self.tables[-1].rows[-1].append(Cell(lines, columns, rows))


_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_OPENERS: Final[dict[str, Callable[[_Renderer, LexborNode], None]]] = {
    **dict.fromkeys(_HEADINGS, _Renderer.open_heading),
    **dict.fromkeys(("td", "th"), _Renderer.open_cell),
    **dict.fromkeys(("ul", "ol"), _Renderer.open_list),
    **dict.fromkeys(("del", "s", "strike"), _Renderer.open_struck),
    "area": _Renderer.name_control,
    "blockquote": _Renderer.open_quote,
    "br": _Renderer.line_feed,
    "dd": _Renderer.indent,
    "hr": _Renderer.rule,
    "img": _Renderer.image,
    "input": _Renderer.name_control,
    "li": _Renderer.open_item,
    "pre": _Renderer.open_pre,
    "sup": _Renderer.raise_digits,
    **dict.fromkeys(("sub", "rt"), _Renderer.part_word),
    "table": _Renderer.open_table,
    "tr": _Renderer.open_row,
}
_CLOSERS: Final[dict[str, Callable[[_Renderer], None]]] = {
    **dict.fromkeys((*_HEADINGS, "dd"), _Renderer.close_prefix),
    **dict.fromkeys(("del", "s", "strike"), _Renderer.close_struck),
    **dict.fromkeys(("td", "th"), _Renderer.close_cell),
    **dict.fromkeys(("ul", "ol"), _Renderer.close_list),
    "blockquote": _Renderer.close_quote,
    "li": _Renderer.close_item,
    "pre": _Renderer.close_pre,
    "table": _Renderer.close_table,
}


def _span(node: LexborNode, name: str) -> int:
    number = _NUMBER.match(node.attributes.get(name) or "")
    return max(int(number[1]), 1) if number else 1
