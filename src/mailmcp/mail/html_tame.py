"""Hostile or sloppy HTML to HTML that any parser reads in linear time.

HTML parsers are quadratic in nesting and worse in unclosed formatting elements
(the standard has them copied into each later paragraph): one megabyte of
``<div>`` costs Lexbor 90 seconds. This pass reads the tags with the tokenizer
rules of the HTML standard (section 13.2.5) and writes them back well nested, no
deeper than HTML_DEPTH_MAX; comments, scripts and style sheets are dropped.
"""

import re
from collections import Counter
from typing import Final

from mailmcp.envelope.limits import HTML_DEPTH_MAX, HTML_FORMATTING_MAX, HTML_TAG_CHARS_MAX

_TOKEN: Final = re.compile(
    r"""<(?:
      !--(?:-?>|.*?(?:--!?>|\Z))
    | (?P<close>/?)(?P<name>[a-zA-Z][^\t\n\f\r\x20/>]*+)
      (?: [\t\n\f\r\x20/]++
        | [^\t\n\f\r\x20/>][^\t\n\f\r\x20/>=]*+
          (?: [\t\n\f\r\x20]*+ = [\t\n\f\r\x20]*+
            (?: "[^"]*+" | '[^']*+' | [^\t\n\f\r\x20"'>][^\t\n\f\r\x20>]*+ )?+
          )?+
      )*+
      (?P<end>>|\Z)
    | [!?/][^>]*+(?:>|\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_KEPT_ATTRIBUTE: Final = re.compile(
    r"""[\s"'](?:href|style|hidden|alt|width|height|start)(?:\s*=\s*(?:"[^"]{0,2000}"|'[^']{0,2000}'|[^\s"'>]{1,2000}))?
    (?=[\s/>])""",
    re.VERBOSE | re.IGNORECASE,
)

_VOID: Final = frozenset({"area", "br", "col", "hr", "img", "input", "wbr", "image"})
# With their content: never text, or read as text by rules of their own.
_DROPPED: Final = frozenset({"script", "style", "title", "iframe", "noembed", "noframes", "textarea", "xmp"})
# Their tags alone: without content, or without meaning outside of a whole document.
_IGNORED: Final = frozenset(
    {
        "base",
        "basefont",
        "bgsound",
        "colgroup",
        "embed",
        "frame",
        "frameset",
        "head",
        "html",
        "keygen",
        "link",
    }
    | {"meta", "nobr", "param", "plaintext", "selectedcontent", "source", "track"}
)
# Their tags switch parsers to other rules. `template` is never shown, and `hidden` says the same.
_WRITTEN_AS: Final = {
    "template": "div hidden",
    **dict.fromkeys(("body", "fieldset", "form", "marquee"), "div"),
    **dict.fromkeys(
        ("applet", "button", "math", "noscript", "object", "optgroup", "option", "select", "svg"), "span"
    ),
}
_FORMATTING: Final = frozenset(
    {"b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u"}
)
# What closes an open paragraph.
_BLOCKS: Final = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
    }
    | {
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
    }
    | {
        "hgroup",
        "hr",
        "li",
        "main",
        "marquee",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
    }
    | {"template", "ul"}
)
# Parts of a table, each with the open ones that it ends.
_CELLS: Final = ("td", "th", "caption")
_TABLE_PARTS: Final = {
    "td": _CELLS,
    "th": _CELLS,
    "caption": _CELLS,
    "tr": (*_CELLS, "tr"),
    "tbody": (*_CELLS, "tr", "tbody", "thead", "tfoot"),
    "thead": (*_CELLS, "tr", "tbody", "thead", "tfoot"),
    "tfoot": (*_CELLS, "tr", "tbody", "thead", "tfoot"),
}
_SIBLINGS: Final = {"p": ("p",), "li": ("li", "p"), "dd": ("dd", "dt", "p"), "dt": ("dd", "dt", "p")}


def tame_html(html: str) -> str:
    """Rewrite HTML, well nested and bounded in depth; visible text and links are the same.

    Beyond the bounds, block elements become line breaks and others vanish; the
    text in them always stays. A tag that the end cuts in two is dropped.
    """
    tamer = _Tamer()
    position = 0
    while (match := _TOKEN.search(html, position)) is not None:
        tamer.out.append(html[position : match.start()])
        position = match.end()
        name = (match["name"] or "").lower()
        if not name or not match["end"]:
            continue
        if match["close"]:
            tamer.end(name)
        elif name in _DROPPED:
            position = _end_of(name, html, position)
        else:
            tamer.start(name, match.group())
    tamer.out.append(html[position:])
    return "".join(tamer.out).replace("\x00", "")


def _end_of(name: str, html: str, position: int) -> int:
    end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(html, position)
    return end.start() if end is not None else len(html)


class _Tamer:
    """The open elements, and what was written so far."""

    __slots__ = ("blocks", "cells", "formatting", "inline", "out", "stack", "tables")

    def __init__(self) -> None:
        self.out: list[str] = []
        self.stack: list[tuple[str, str]] = []  # name in the source, name written or ""
        self.blocks: list[str] = []  # those of the stack that are no inline elements
        # How many of a name an end tag may close: inline elements within the innermost block, blocks
        # within the innermost table or cell, parts of a table within the innermost table.
        self.inline: list[Counter[str]] = [Counter()]
        self.cells: list[Counter[str]] = [Counter()]
        self.tables: list[Counter[str]] = [Counter()]
        self.formatting = 0

    def start(self, name: str, tag: str) -> None:
        if name in _IGNORED or (name in _TABLE_PARTS and len(self.tables) == 1):
            self.out.append(" ")
            return
        self._close_implied(name)
        if name in _VOID:
            self.out.append(_shorten(name, tag))
        elif len(self.stack) >= HTML_DEPTH_MAX:
            self.out.append("<br>" if name in _BLOCKS or name in _TABLE_PARTS else "")
            self._push(name, "")
        else:
            written = self._written_name(name)
            self.out.append("<" + written + _shorten(name, tag)[1 + len(name) :])
            self._push(name, written)

    def end(self, name: str) -> None:
        if name == "br":
            self.out.append("<br>")
        elif len(self.tables) > 1 if name == "table" else self._scope(name)[name]:
            self._pop_to(name)

    def _close_implied(self, name: str) -> None:
        for part in _TABLE_PARTS.get(name, ()):
            while self.tables[-1][part]:
                self._pop_to(part)
        closed = _SIBLINGS.get(name, ("p",) if name in _BLOCKS else ())
        # Inline elements that are still open in it end with it: the standard would open them all again.
        while self.blocks and self.blocks[-1] in closed:
            self._pop_to(self.blocks[-1])

    def _written_name(self, name: str) -> str:
        if name in _FORMATTING and self.formatting >= HTML_FORMATTING_MAX:
            return "span"
        return _WRITTEN_AS.get(name, name)

    def _scope(self, name: str) -> Counter[str]:
        if name in _TABLE_PARTS:
            return self.tables[-1]
        return self.cells[-1] if name in _BLOCKS else self.inline[-1]

    def _push(self, name: str, written: str) -> None:
        self.stack.append((name, written))
        self.formatting += written in _FORMATTING
        self._scope(name)[name] += 1
        if name in _BLOCKS or name in _TABLE_PARTS:
            self.inline.append(Counter())
            self.blocks.append(name)
        if name == "table" or name in _CELLS:
            self.cells.append(Counter())
        if name == "table":
            self.tables.append(Counter())

    def _pop(self) -> str:
        name, written = self.stack.pop()
        if name == "table":
            self.tables.pop()
        if name == "table" or name in _CELLS:
            self.cells.pop()
        if name in _BLOCKS or name in _TABLE_PARTS:
            self.inline.pop()
            self.blocks.pop()
        self._scope(name)[name] -= 1
        self.formatting -= written in _FORMATTING
        if written:
            self.out.append(f"</{written.split()[0]}>")
        return name

    def _pop_to(self, name: str) -> None:
        while self._pop() != name:
            pass


def _shorten(name: str, tag: str) -> str:
    """Leave a long tag only the attributes that matter: their number is quadratic too."""
    if len(tag) <= HTML_TAG_CHARS_MAX:
        return tag
    kept = dict.fromkeys(match.group()[1:] for match in _KEPT_ATTRIBUTE.finditer(tag))
    return f"<{name} {' '.join(list(kept)[:10])}>"
