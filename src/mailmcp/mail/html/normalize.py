"""Hostile or sloppy HTML to HTML that any parser reads in linear time.

HTML parsers are quadratic in nesting and worse in unclosed formatting elements
(the standard has them copied into each later paragraph): one megabyte of
``<div>`` costs Lexbor 90 seconds. This pass reads the tags with the tokenizer
rules of the HTML standard (section 13.2.5) and writes them back well nested, no
deeper than HTML_DEPTH_MAX; comments and scripts are dropped, and style sheets
are set aside. No character is dropped, or tags and attributes would become others:
NUL, which counts in tags but not in text, is left to the parser.
"""

import re
from dataclasses import dataclass
from html import escape
from typing import Final

from mailmcp.mail.html.attributes import read_attributes, write_tag
from mailmcp.mail.html.style_elements import STANDS_FOR, StyleElement, StyleSheet
from mailmcp.mail.html.tags import DROPPED, SPACES, WRITTEN_AS, to_lower
from mailmcp.mail.html.tree_builder import TreeBuilder

TOKEN: Final = re.compile(
    r"""<(?:
      !--(?:-?>|.*?(?:--!?>|\Z))
    | (?P<close>/?)(?P<name>[a-zA-Z][^\t\n\f\r\x20/>]*+)
      (?: [\t\n\f\r\x20/]++
        | [^\t\n\f\r\x20/>][^\t\n\f\r\x20/>=]*+
          (?: [\t\n\f\r\x20]*+ = [\t\n\f\r\x20]*+
            (?: "[^"]*+(?:"|\Z) | '[^']*+(?:'|\Z) | [^\t\n\f\r\x20"'>][^\t\n\f\r\x20>]*+ )?+
          )?+
      )*+
      (?P<end>>|\Z)
    | [!?/][^>]*+(?:>|\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
"""A comment or a tag; a tag has a name, and an end unless the document ends in it."""

_DOCTYPE: Final = re.compile(
    rf"(?>[{SPACES}]|<!--(?:-?>|.*?--!?>)|<\?[^>]*>)*+<!doctype",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalizedHtml:
    """HTML that any parser reads in linear time, and what was set aside."""

    html: str
    sheets: tuple[StyleSheet, ...]
    ambiguous: bool
    """Whether browsers may see other elements: some were left out, or the markup is read in several ways."""


def normalize_html(html: str) -> NormalizedHtml:
    """Rewrite HTML, well nested and bounded in depth; visible text and links are the same.

    One thing stays nested wrongly: the end of a formatting element around an open block (`tree_builder`).

    Beyond the bounds, block elements become line breaks and others vanish; the
    text in them always stays. A tag that the end cuts in two is dropped.
    """
    builder = TreeBuilder(is_quirky=_DOCTYPE.match(html) is None)
    sheets: list[StyleSheet] = []
    page: dict[str, dict[str, str]] = {"html": {}, "body": {}}
    position = 0
    while (match := TOKEN.search(html, position)) is not None:
        builder.text(html[position : match.start()])
        position = match.end()
        name = to_lower(match["name"] or "")
        if not name or not match["end"]:
            # In SVG and MathML this is text, which may contain what looks like tags.
            builder.ambiguous |= match.group().startswith("<![CDATA[") and builder.foreign()
            continue
        if match["close"]:
            builder.end(name)
            continue
        builder.notice(name)
        if name in page:  # of several tags the first one with an attribute counts
            tag = builder.own(name, match.group())
            page[name] = read_attributes(tag[1 + len(name) :]) | page[name]
        elif name in DROPPED or name in STANDS_FOR:
            end = end_of(name, html, position) if name in DROPPED else position
            attributes = read_attributes(match.group()[len(f"<{name}") :])
            element = StyleElement(name, match.group(), attributes, html[position:end])
            sheets += element.sheets()
            if element.is_odd(inside_foreign=builder.foreign()):
                builder.ambiguous = True
            if name == "script" and "<!--" in html[position:end] and "<script" in html[position:end].lower():
                builder.ambiguous = True
            if name in WRITTEN_AS:
                builder.start(name, match.group())
                if name == "xmp":  # shown, and its tags as text
                    builder.text(escape(html[position:end], quote=False))
                builder.end(name)
            position = end
        else:
            builder.start(name, match.group())
    builder.text(html[position:])
    tags = "".join(write_tag(name, attributes) for name, attributes in page.items() if attributes)
    return NormalizedHtml(
        html=tags + "".join(builder.out),
        sheets=tuple(sheets),
        ambiguous=builder.ambiguous,
    )


def end_of(name: str, html: str, position: int) -> int:
    """Return where the content of an element ends that has no elements in it."""
    end = re.compile(rf"</{name}(?=[{SPACES}/>])", re.ASCII | re.IGNORECASE).search(html, position)
    return end.start() if end is not None else len(html)
