"""What HTML itself says of how elements look: attributes of old, and the style sheet of browsers.

Reckoned as declarations below all others (HTML standard, sections 2.4.6 and 15.3), as far as
they bear on what is seen.
"""

from functools import lru_cache
from typing import Final

from mailmcp.mail.html.hidden.colour import parse_legacy_colour
from mailmcp.mail.html.hidden.selector import Element
from mailmcp.mail.html.hidden.style import Declaration, parse_style

_PAINTED: Final = frozenset({"body", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "marquee"})
_COLOURS: Final = {"font": "color", "body": "text"}
_SHUT: Final = frozenset({"dialog", "datalist"})
"""Elements that are not displayed unless something opens them."""

_FONT_SIZES: Final = ("x-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large")
STYLED: Final = {
    tag: parse_style(style)
    for style, tags in {
        "font-size:smaller": ("small", "sub", "sup"),
        "font-size:larger": ("big",),
        "font-size:50%": ("rt",),
        "font-size:small;color:#000;background:#efefef": ("button",),
        "font-size:small;color:#000;background:#fff": ("select",),
        "color:#000;background:#ff0": ("mark",),
    }.items()
    for tag in tags
}
_LINK: Final = parse_style("color:#0000ee")
_NOT_DISPLAYED: Final = parse_style("display:none")
_PICTURE: Final = parse_style("background-image:url(x)")
_ATTRIBUTES: Final = frozenset(
    {"bgcolor", "background", "color", "text", "size", "hidden", "popover", "href"}
)


def presentation(element: Element) -> tuple[Declaration, ...]:
    """Give what an element's name and attributes say of how it looks."""
    tag, attributes = element.tag, element.attributes
    found = STYLED.get(tag, ())
    if (tag in _SHUT and "open" not in attributes) or "hidden" in attributes or "popover" in attributes:
        found += _NOT_DISPLAYED
    if attributes.keys().isdisjoint(_ATTRIBUTES):
        return found
    if tag == "a" and "href" in attributes:
        found += _LINK
    if tag in _PAINTED and "bgcolor" in attributes:
        found += _painted("background-color", attributes["bgcolor"])
    if tag in _PAINTED and attributes.get("background", "").strip():
        found += _PICTURE
    if tag in _COLOURS and _COLOURS[tag] in attributes:
        found += _painted("color", attributes[_COLOURS[tag]])
    if tag == "font" and "size" in attributes:
        found += _sized(attributes["size"].strip())
    return found


@lru_cache(maxsize=256)
def _painted(name: str, value: str) -> tuple[Declaration, ...]:
    colour = parse_legacy_colour(value)
    if colour is None:
        return ()
    return (Declaration(name, "#" + "".join(f"{round(255 * part):02x}" for part in colour[:3])),)


def _sized(value: str) -> tuple[Declaration, ...]:
    """Read the size of a `font`: 1 to 7, or a step from 3 (HTML standard, section 15.3.4)."""
    digits = value.lstrip("+-")[:2]
    if not (digits.isascii() and digits.isdigit()):
        return ()
    step = {"+": 3, "-": 3}.get(value[0], 0)
    size = step - int(digits) if value[0] == "-" else step + int(digits)
    return (Declaration("font-size", _FONT_SIZES[min(max(size, 1), 7)]),)
