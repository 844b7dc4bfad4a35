"""A parsed HTML document to lines of text: what each element means to a reader.

Owns links, lists, tables, images and headings; white space and prefixes are for
`html_writer`. Walks without recursion.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from selectolax.lexbor import LexborNode

from mailmcp.envelope.limits import LINK_CHARS_MAX
from mailmcp.mail.clean import clean_line, clean_text
from mailmcp.mail.html_hidden import is_zero, parse_style
from mailmcp.mail.html_writer import TextWriter

_CELL_DEPTH_MAX: Final = 16  # each level copies its lines once more; deeper tables are layout for certain
_PARAGRAPHS: Final = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table", "pre", "blockquote", "figure"}
)
_LINES: Final = frozenset(
    {"address", "article", "aside", "center", "dd", "details", "dialog", "div", "dt", "figcaption", "footer"}
    | {"header", "hgroup", "li", "main", "menu", "nav", "section", "summary", "tr", "caption", "dir"}
)
_SHOWN_TARGET: Final = re.compile(r"(?:https?://|mailto:|tel:)[^\s]", re.IGNORECASE)
_BARE_TARGET: Final = re.compile(r"^(?:https?://|mailto:|tel:)|/$", re.IGNORECASE)
_HOST: Final = re.compile(r"[a-z]+:(?://[^/?#]{0,250})?", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\s*(\d{1,6})")
_PIXEL: Final = re.compile(r"\s*[01](?:px)?\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """Text made of a document."""

    text: str
    """Lines parted by newlines, at most one blank line between."""

    invisible_removed: int
    """Invisible and bidirectional control characters taken out, from 0."""


def render_text(root: LexborNode | None) -> Rendered:
    """Write what a person would read of an element and all that is in it."""
    renderer = _Renderer()
    if root is not None:
        renderer.render(root)
    return Rendered(text="\n".join(renderer.writer.finish()), invisible_removed=renderer.invisible)


@dataclass(slots=True)
class _Link:
    """An open link, and the text in it so far."""

    target: str
    texts: list[str] = field(default_factory=list)


class _Renderer:
    """Walks a document and tells a writer what each element means."""

    __slots__ = ("invisible", "link", "lists", "preformatted", "rows", "seen_target", "writer", "writers")

    def __init__(self) -> None:
        self.writer = TextWriter()
        self.writers: list[TextWriter] = []
        self.rows: list[list[list[str]]] = []  # cells of each open row, as lines
        self.lists: list[int] = []  # next number of each open list, 0 without numbers
        self.link: _Link | None = None
        self.seen_target = ""
        self.preformatted = 0
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
        """Begin a node; tell whether to go into it."""
        if node.is_text_node:
            self._write(node.text_content or "")
            return False
        tag = node.tag or ""
        self._break(tag)
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
        self._break(tag)

    def _break(self, tag: str) -> None:
        if tag in _PARAGRAPHS:
            self.writer.break_line(2)
            if tag in ("ul", "ol") and self.lists:
                self.writer.tighten()
        elif tag in _LINES:
            self.writer.break_line()

    def _write(self, text: str) -> None:
        cleaned = clean_text(text)
        self.invisible += cleaned.removed
        if self.link is not None:
            self.link.texts.append(cleaned.text)
        if self.preformatted:
            self.writer.write_preformatted(cleaned.text)
        else:
            self.writer.write(cleaned.text)

    def open_heading(self, node: LexborNode) -> None:
        self.writer.push_prefix("#" * int((node.tag or "h1")[1]) + " ", "")

    def close_prefix(self) -> None:
        self.writer.pop_prefix()

    def close_item(self) -> None:
        self.writer.pop_prefix()
        self.writer.tighten()

    def open_quote(self, _node: LexborNode) -> None:
        self.writer.push_prefix("> ", "> ")

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
        if alternative and not _is_pixel(attributes):
            self._write(f"[{alternative}]")

    def open_link(self, node: LexborNode) -> None:
        self.link = _Link(target=_clean_target(node.attributes.get("href") or ""))

    def close_link(self) -> None:
        """Write the target, unless the text says it, or the link before had the same."""
        link, self.link = self.link, None
        if link is None or not link.target:
            return
        text = " ".join("".join(link.texts).split())
        if not text or (link.target == self.seen_target and not text.startswith("http")):
            return
        if _BARE_TARGET.sub("", text) != _BARE_TARGET.sub("", link.target):
            after = " " if link.texts[-1][-1:].isspace() else ""
            self.writer.write(f" <{_show_target(link.target)}>{after}")
        self.seen_target = link.target

    def open_row(self, _node: LexborNode) -> None:
        self.rows.append([])

    def open_cell(self, _node: LexborNode) -> None:
        self.writers.append(self.writer)
        if len(self.writers) <= _CELL_DEPTH_MAX:
            self.writer = TextWriter()
        else:
            self.writer.break_line()

    def close_cell(self) -> None:
        lines = self.writer.finish()
        outer = self.writers.pop()
        if self.writer is outer:
            return
        self.writer = outer
        if self.rows:
            self.rows[-1].append(lines)
        else:
            self.writer.append_lines(lines)

    def close_row(self) -> None:
        """Write a row: on one line if every cell is one line at most, else cell by cell."""
        cells = self.rows.pop()
        filled = [lines for lines in cells if lines]
        if len(filled) > 1 and all(len(lines) == 1 for lines in filled):
            texts = ["".join(lines) for lines in cells]
            while not texts[-1]:
                texts.pop()
            self.writer.append_lines([" | ".join(texts).strip()])
            return
        for lines in filled:
            self.writer.break_line(2 if len(lines) > 1 else 1)
            self.writer.append_lines(lines)
            self.writer.break_line(2 if len(lines) > 1 else 1)


_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_OPENERS: Final[dict[str, Callable[[_Renderer, LexborNode], None]]] = {
    **dict.fromkeys(_HEADINGS, _Renderer.open_heading),
    **dict.fromkeys(("td", "th"), _Renderer.open_cell),
    **dict.fromkeys(("ul", "ol"), _Renderer.open_list),
    "a": _Renderer.open_link,
    "blockquote": _Renderer.open_quote,
    "br": _Renderer.line_feed,
    "hr": _Renderer.rule,
    "img": _Renderer.image,
    "li": _Renderer.open_item,
    "pre": _Renderer.open_pre,
    "tr": _Renderer.open_row,
}
_CLOSERS: Final[dict[str, Callable[[_Renderer], None]]] = {
    **dict.fromkeys((*_HEADINGS, "blockquote"), _Renderer.close_prefix),
    **dict.fromkeys(("td", "th"), _Renderer.close_cell),
    **dict.fromkeys(("ul", "ol"), _Renderer.close_list),
    "a": _Renderer.close_link,
    "li": _Renderer.close_item,
    "pre": _Renderer.close_pre,
    "tr": _Renderer.close_row,
}


def _is_pixel(attributes: dict[str, str | None]) -> bool:
    """Tell whether an image is too small to be seen: it only tracks who reads."""
    style = parse_style(attributes.get("style"))
    sizes = [attributes.get(name) or style.get(name, "") for name in ("width", "height")]
    return any(_PIXEL.fullmatch(size) is not None or is_zero(size) for size in sizes)


def _clean_target(href: str) -> str:
    """Make a link target one word; "" for targets that lead nowhere outside the message."""
    target = clean_line(href).text.replace(" ", "%20").replace("<", "%3C").replace(">", "%3E")
    if _SHOWN_TARGET.match(target) is None:
        return ""
    return unquote(target.partition("?")[0]) if target[:7].lower() == "mailto:" else target


def _show_target(target: str) -> str:
    if len(target) <= LINK_CHARS_MAX:
        return target
    host = _HOST.match(target)
    return f"{host.group() if host else ''}/…"
