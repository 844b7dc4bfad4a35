"""Rules of style sheets that are not followed: whether one of them may hide text that is shown here.

Only said, never acted upon. A selector matters if the message has every type, class and id that it
names; those for what a reader does (`:hover`) hide nothing at first.
"""

from collections.abc import Iterable
from typing import Any, Final

from mailmcp.mail.html.box import OPACITY_MIN, hidden_by, opacity_of
from mailmcp.mail.html.colour import parse_colour
from mailmcp.mail.html.font import FONT_MIN_PX, FONT_PX, font_px, is_squeezed
from mailmcp.mail.html.selector import Element
from mailmcp.mail.html.style import Declaration, own_values

_NOT_AT_FIRST: Final = frozenset(
    {"hover", "active", "focus", "focus-within", "focus-visible", "visited", "target", "autofill", "open"}
    | {"fullscreen", "user-valid", "user-invalid", "before", "after", "selection", "placeholder", "marker"}
    | {"backdrop", "cue"}
)
"""Pseudo-classes that hold of nothing before the reader does something, and pseudo-elements without text
of the message."""


def hides(declarations: Iterable[Declaration]) -> bool:
    """Tell whether a block alone hides the text of its elements, whatever stands around them."""
    values = own_values(declarations)
    size_px = font_px(values.get("font-size", ""), FONT_PX)
    colour = parse_colour(values.get("-webkit-text-fill-color") or values.get("color", ""))
    return bool(
        hidden_by(values, "", FONT_PX)
        or opacity_of(values) < OPACITY_MIN
        or values.get("visibility") in ("hidden", "collapse")
        or size_px < FONT_MIN_PX
        or is_squeezed(values.get("letter-spacing", ""), size_px)
        or (colour is not None and colour.alpha < OPACITY_MIN)
    )


def names_needed(selector: list[Any]) -> frozenset[str] | None:
    """Name what a message must have for a selector to match: `p`, `.class`, `#id`; None if it never does."""
    found: set[str] = set()
    before = ""
    for node in selector:
        if node.type == "ident" and before == ":":
            if node.lower_value in _NOT_AT_FIRST or node.value.startswith("-"):
                return None
        elif node.type == "ident":
            found.add(f".{node.value}" if before == "." else node.lower_value)
        elif node.type == "hash":
            found.add(f"#{node.value}")
        before = node.value if node.type == "literal" else ""
    return frozenset(found)


def names_of(element: Element) -> set[str]:
    """Give the names that selectors may call an element by."""
    names = {f".{each}" for each in element.attributes.get("class", "").split()}
    return names | {element.tag, f"#{element.attributes.get('id', '')}"}
