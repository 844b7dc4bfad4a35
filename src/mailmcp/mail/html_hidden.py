"""Text that HTML hides from people: found by its inline styles, and taken out.

Knows the ways that senders use: `hidden`, ``display:none``, ``visibility``,
``opacity:0``, ``font-size:0``, boxes without extent. Style sheets and colours
are not looked at.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from mailmcp.mail.html_tame import tame_html

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_LENGTH: Final = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:e[+-]?\d+)?\s*(%|[a-z]*)")
_RELATIVE_UNITS: Final = frozenset({"%", "em", "ex", "ch"})
_RELATIVE_WORDS: Final = frozenset({"inherit", "larger", "smaller", "unset"})


@dataclass(frozen=True, slots=True)
class _Inherited:
    """What an element hands down to its children."""

    tiny: bool = False
    invisible: bool = False


_SHOWN: Final = _Inherited()


def parse_html(html: str) -> LexborHTMLParser:
    """Parse HTML of any kind in linear time."""
    # Without events: the parser then does not copy content on its own.
    return LexborHTMLParser(tame_html(html), options=LexborDocumentOptions.WO_EVENTS)


def remove_hidden(document: LexborHTMLParser) -> int:
    """Take hidden elements and texts out of a document.

    Returns:
        How many passages were taken out, from 0: an element with text in it is
        one, and so are hidden texts with nothing shown between them.
    """
    search = _Search()
    node, states = document.body, [_SHOWN]
    while node is not None:
        state = search.visit(node, states[-1])
        if state is not None and node.first_child is not None:
            states.append(state)
            node = node.first_child
            continue
        while node is not None and node.next is None and len(states) > 1:
            states.pop()
            node = node.parent
        node = node.next if node is not None and len(states) > 1 else None
    for each in search.hidden:  # only now: removing them changes what is next
        each.decompose()
    return search.passages


class _Search:
    """What was found to be hidden so far."""

    __slots__ = ("goes_on", "hidden", "passages")

    def __init__(self) -> None:
        self.hidden: list[LexborNode] = []
        self.passages = 0
        self.goes_on = False  # the last text was hidden by what it inherits

    def visit(self, node: LexborNode, inherited: _Inherited) -> _Inherited | None:
        """Judge one node, and note it if it is hidden."""
        state = _judge(node, inherited)
        if state is None:
            self.hidden.append(node)
            has_text = node.is_text_node or bool(node.text().strip())
            self.passages += has_text and not (node.is_text_node and self.goes_on)
            self.goes_on = node.is_text_node
        elif node.is_text_node and (node.text_content or "").strip():
            self.goes_on = False
        return state


def parse_style(style: str | None) -> dict[str, str]:
    """Read an inline style: property to value in lower case; of a repeated one the last counts."""
    declarations: dict[str, str] = {}
    for declaration in _COMMENT.sub(" ", style or "").lower().split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            declarations[name.strip()] = value.replace("!important", "").strip()
    return declarations


def is_zero(length: str) -> bool:
    """Tell whether a CSS length or number is zero, whatever its unit."""
    match = _LENGTH.fullmatch(length)
    return match is not None and float(match[1]) == 0


def _judge(node: LexborNode, inherited: _Inherited) -> _Inherited | None:
    """Give what the children of a shown node inherit; None if the node is hidden."""
    if node.is_text_node:
        # Texts that people do not see hide beside elements which they do see.
        text = node.text_content or ""
        return None if (inherited.tiny or inherited.invisible) and text.strip() else inherited
    attributes = node.attributes if node.is_element_node else {}
    if "hidden" in attributes:
        return None
    style = attributes.get("style")
    if not style:
        return inherited
    return _judge_style(parse_style(style), inherited)


def _judge_style(style: Mapping[str, str], inherited: _Inherited) -> _Inherited | None:
    if style.get("display") == "none" or is_zero(style.get("opacity", "")) or _has_no_extent(style):
        return None
    tiny, invisible = inherited.tiny, inherited.invisible
    size = style.get("font-size", "")
    if size:
        tiny = is_zero(size) or (tiny and _is_relative(size))
    visibility = style.get("visibility", "")
    if visibility:
        invisible = visibility in ("hidden", "collapse")
    return _Inherited(tiny, invisible)


def _has_no_extent(style: Mapping[str, str]) -> bool:
    """Tell whether a box of no height or width cuts off its content."""
    if "hidden" not in style.get("overflow", "") and "clip" not in style.get("overflow", ""):
        return False
    return any(is_zero(style.get(name, "")) for name in ("max-height", "height", "max-width", "width"))


def _is_relative(size: str) -> bool:
    match = _LENGTH.fullmatch(size)
    return size in _RELATIVE_WORDS if match is None else match[2] in _RELATIVE_UNITS
