"""Presentational hints: what HTML attributes and the style sheet of browsers say of how elements look.

They are declarations below all others (HTML standard, section 15.3), as far as they bear on what
people see.
"""

import re
from collections.abc import Mapping
from typing import Final

from mailmcp.mail.html.hidden.colour import parse_colour
from mailmcp.mail.html.hidden.declarations import Declaration, parse_style
from mailmcp.mail.html.hidden.selector import Element
from mailmcp.mail.html.hidden.values import UNKNOWN

_PAINTED: Final = frozenset({"body", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "marquee", "col"})
_CLOSED: Final = frozenset({"dialog", "datalist"})
"""Elements that aren't displayed unless something opens them."""

_FONT_SIZES: Final = ("x-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large")
STYLED: Final = {
    tag: parse_style(style)
    for style, tags in {
        "font-size:smaller": ("small", "sub", "sup"),
        "font-size:larger": ("big",),
        "font-size:50%": ("rt",),
        "white-space:pre": ("pre",),
        "font-size:small;color:#000;background:#efefef": ("button",),
        "font-size:small;color:#000;background:#fff": ("select",),
        "color:#000;background:#ff0": ("mark",),
        "display:contents": ("slot",),
        "unicode-bidi:bidi-override": ("bdo",),
        "position:absolute;color:#000;background:#fff": ("dialog",),
    }.items()
    for tag in tags
}
_MARGINS: Final = {
    **dict.fromkeys(("leftmargin", "marginwidth"), "margin-left"),
    **dict.fromkeys(("topmargin", "marginheight"), "margin-top"),
}
_GREY: Final = (Declaration("color", "rgba(16,16,16,0.3)", certain=False),)
"""Some browsers draw the text of a button in it that can't be pressed."""

_ATTRIBUTES: Final = _MARGINS.keys() | frozenset(
    {"bgcolor", "background", "color", "text", "size", "href", "width", "disabled"}
    | {"align", "border", "cellpadding", "cellspacing"}
)


def presentation(element: Element) -> tuple[Declaration, ...]:
    """Return the declarations that an element's name and attributes stand for."""
    tag, attributes = element.tag, element.attributes
    found = STYLED.get(tag, ())
    if (tag in _CLOSED and "open" not in attributes) or "popover" in attributes:
        found += parse_style("display:none")
    if "hidden" in attributes:
        is_found = attributes["hidden"].lower() == "until-found"
        found += parse_style("content-visibility:hidden" if is_found else "display:none")
    if attributes.keys().isdisjoint(_ATTRIBUTES):
        return found
    if tag == "a" and "href" in attributes:
        found += parse_style("color:#0000ee")
    if tag in _PAINTED:
        found += _colour("background-color", attributes.get("bgcolor", ""))
        if picture := attributes.get("background", "").strip().lower():
            scheme = picture.partition(":")[0]
            found += parse_style(f"background-image:url({scheme if scheme in ('cid', 'data') else 'x'}:)")
    if tag == "button" and "disabled" in attributes:
        found += _GREY
    if tag == "body":
        found += _margins(attributes)
    if tag in ("font", "body"):
        found += _colour("color", attributes.get("color" if tag == "font" else "text", ""))
    if tag == "font" and (
        match := re.fullmatch(r"\s*([+-]?)(\d\d?).*", attributes.get("size", ""), re.DOTALL)
    ):
        # 1 to 7, or a step from 3 (HTML standard, section 15.3.4)
        size = int(match[1] + match[2]) + (3 if match[1] else 0)
        found += parse_style(f"font-size:{_FONT_SIZES[min(max(size, 1), 7)]}")
    if re.fullmatch(r"\d{3,9}", width := attributes.get("width", "")):
        found += parse_style(f"width:{width}px")
    return found + _layout(tag, attributes)


def _layout(tag: str, attributes: Mapping[str, str]) -> tuple[Declaration, ...]:
    """Read what moves a table, or what follows it."""
    found: tuple[Declaration, ...] = ()
    if tag == "table" and (side := attributes.get("align", "").lower()) in ("left", "right"):
        found += parse_style(f"float:{side}")
    edges = ("size",) if tag == "hr" else ("border", "cellpadding", "cellspacing")
    if any(re.match(r"\s*\+?\d{3}", attributes.get(name, "")) for name in edges):
        found += parse_style("border-width:999px")  # broad enough to push or cover
    return found


def _margins(attributes: Mapping[str, str]) -> tuple[Declaration, ...]:
    """Read the margins of a page, as far as they move it visibly."""
    found: tuple[Declaration, ...] = ()
    for name in sorted(_MARGINS.keys() & attributes.keys()):
        if match := re.match(r"\s*\+?(\d{3,9})", attributes[name]):
            found += parse_style(f"{_MARGINS[name]}:{match[1]}px")
    return found


def _colour(name: str, value: str) -> tuple[Declaration, ...]:
    """Read a colour of an attribute, where browsers make one of any text (HTML standard, section 2.4.6)."""
    value = value.strip().lower()
    if value in ("", "transparent"):
        return ()
    if re.fullmatch(r"[0-9a-f]{3}", value):  # without "#", each digit is a channel of its own
        value = f"#0{value[0]}0{value[1]}0{value[2]}"
    is_plain = (value.isalpha() and not value.startswith("window")) or re.fullmatch(
        r"#?(?:[0-9a-f]{3}){1,2}", value
    )
    return (Declaration(name, value if is_plain and parse_colour(value) else UNKNOWN),)
