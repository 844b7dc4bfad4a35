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
from mailmcp.mail.html.tags import SPACES, to_lower

_DIMENSION: Final = re.compile(r"[ \t\n\f\r]*\+?([0-9]+(?:\.[0-9]+)?)(%?)")
"""A number, whatever follows it (HTML standard, section 2.4.4.4)."""

_COLOUR: Final = re.compile("#[0-9a-f]{3}|(?!window|[a-f]+$)[a-z]+")
_PAINTED: Final = frozenset(
    {"body", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "marquee", "col", "colgroup"}
)
_FONT_SIZES: Final = ("x-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large")
_OVER: Final = parse_style("display:none;position:fixed;overflow:auto;color:#000;background:#fff")
"""Of a `popover`: a style may display it."""

STYLED: Final = {
    tag: parse_style(style)
    for style, tags in {
        "font-size:2em": ("h1",),
        "font-size:1.5em": ("h2",),
        "font-size:1.17em": ("h3",),
        "font-size:.83em": ("h5",),
        "font-size:.67em": ("h6",),
        "font-size:smaller": ("small", "sub", "sup"),
        "font-size:larger": ("big",),
        "font-size:50%": ("rt",),
        "white-space:pre": ("pre", "listing", "xmp"),
        "white-space:nowrap": ("nobr",),
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
_SPACED: Final = frozenset({"embed", "img", "input", "marquee", "object"})
_SPACING: Final = {"hspace": ("margin-left", "margin-right"), "vspace": ("margin-top", "margin-bottom")}
_SIZED: Final = {
    "width": frozenset(
        {"table", "td", "th"}
        | {"marquee", "hr", "img", "object", "iframe", "input", "video", "canvas", "svg"}
    ),
    "height": frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th", "img"}),
}
"""The elements that have a size (HTML standard, section 15.3); on others it means nothing."""

_NO_ZERO: Final = {"width": frozenset({"table", "td", "th"}), "height": frozenset({"td", "th"})}
"""Those for which 0 is no size."""

_CHARS: Final = {"input": "size", "textarea": "cols"}
"""What gives the width of a field in characters."""

_NO_FLOAT: Final = frozenset(
    {"", "center", "none", "middle", "absmiddle", "justify", "top", "bottom", "char"}
)
"""Values of a table's `align` that aren't read as its `float`."""

_BROAD: Final = ("border", "cellpadding", "cellspacing")
_BROAD_PX: Final = 100.0  # pushes or covers what is around
_GREY: Final = (
    Declaration("color", "rgba(16,16,16,0.3)", doubt="disabled"),
    Declaration("background-color", "rgba(239,239,239,0.3)", doubt="disabled"),
)
"""What some browsers draw a button in that can't be pressed."""

_UNBOUNDED: Final = (Declaration("visibility", "hidden", doubt="unbounded"),)
"""Of an attribute that only Chromium knows: it hides an element until a script opens it."""

_ATTRIBUTES: Final = (
    _MARGINS.keys()
    | _SPACING.keys()
    | frozenset(
        {"bgcolor", "background", "color", "text", "size", "href", "width", "height", "disabled", "cols"}
        | {"align", "nowrap", "contenteditable", *_BROAD}
    )
)


def presentation(element: Element) -> tuple[Declaration, ...]:
    """Return the declarations that an element's name and attributes stand for."""
    tag, attributes = element.tag, element.attributes
    found = STYLED.get(tag, ())
    if tag == "datalist" or (tag == "dialog" and "open" not in attributes):
        found += parse_style("display:none")
    if "popover" in attributes:
        found += _OVER
    if "hidden" in attributes:
        is_found = to_lower(attributes["hidden"]) == "until-found"
        found += parse_style("content-visibility:hidden" if is_found else "display:none")
    if "unbounded" in attributes:
        found += _UNBOUNDED
    if attributes.keys().isdisjoint(_ATTRIBUTES):
        return found
    if tag == "a" and "href" in attributes:
        found += parse_style("color:#0000ee")
    if tag in _PAINTED:
        found += parse_legacy_colour("background-color", attributes.get("bgcolor", ""))
        if picture := re.sub(r"[\t\n\r]", "", attributes.get("background", "")).strip().lower():
            scheme = picture.partition(":")[0]
            found += parse_style(f"background-image:url({scheme if scheme in ('cid', 'data') else 'x'}:)")
    if tag == "button" and "disabled" in attributes:
        found += _GREY
    if tag in ("font", "body"):
        found += parse_legacy_colour("color", attributes.get("color" if tag == "font" else "text", ""))
    if tag == "font" and (
        match := re.fullmatch(rf"[{SPACES}]*([+-]?)0*([0-9]{{1,2}}).*", attributes.get("size", ""), re.DOTALL)
    ):
        # 1 to 7, or a step from 3 (HTML standard, section 15.3.4)
        size = int(match[1] + match[2]) + (3 if match[1] else 0)
        found += parse_style(f"font-size:{_FONT_SIZES[min(max(size, 1), 7)]}")
    return found + _layout(tag, attributes)


def _layout(tag: str, attributes: Mapping[str, str]) -> tuple[Declaration, ...]:
    """Read sizes, how lines break, and what moves an element or what follows it."""
    sizes = tuple(name for name, tags in _SIZED.items() if tag in tags)
    found = _dimension("width", attributes.get(_CHARS.get(tag, ""), ""), unit="em")
    for name in sizes:
        value = attributes.get(name, "")
        if tag not in _NO_ZERO[name] or value.strip(SPACES) not in ("0", "0%"):
            found += _dimension(name, value)
    if tag in ("td", "th") and "nowrap" in attributes:
        found += parse_style("white-space:nowrap")
    if to_lower(attributes.get("contenteditable", "")) == "plaintext-only":
        found += parse_style("white-space-collapse:preserve")
    if tag == "table" and (side := to_lower(attributes.get("align", ""))) not in _NO_FLOAT:
        found += (Declaration("float", side if side in ("left", "right") else UNKNOWN),)
    for name in ("size",) if tag == "hr" else _BROAD:
        match = _DIMENSION.match(attributes.get(name, ""))
        if match is not None and float(match[1]) >= _BROAD_PX:
            found += parse_style("border-width:999px")
    for name in _MARGINS.keys() & attributes.keys() if tag == "body" else ():
        found += _dimension(_MARGINS[name], attributes[name])
    for name in _SPACING.keys() & attributes.keys() if tag in _SPACED else ():
        for margin in _SPACING[name]:
            found += _dimension(margin, attributes[name])
    return found


def _dimension(name: str, value: str, *, unit: str = "px") -> tuple[Declaration, ...]:
    """Read a length in a unit or percent."""
    match = _DIMENSION.match(value)
    return parse_style(f"{name}:{match[1]}{match[2] or unit}") if match else ()


def parse_legacy_colour(name: str, value: str) -> tuple[Declaration, ...]:
    """Read a colour of an attribute, where browsers make one of any text (HTML standard, section 2.4.6)."""
    if not value:  # white space alone is black
        return ()
    if not value.isascii() or len(value) > 128:  # browsers ignore other white space, and count the `#` or not
        return (Declaration(name, UNKNOWN),)
    word = value.strip(f"{SPACES}\v").lower()
    if word == "transparent":
        return ()
    if _COLOUR.fullmatch(word) and parse_colour(word):
        return (Declaration(name, word),)
    digits = re.sub("[^0-9a-f]", "0", word.removeprefix("#"))
    size = max(-(-len(digits) // 3), 1)
    channels = [digits.ljust(3 * size, "0")[at : at + size][-8:] for at in (0, size, 2 * size)]
    while len(channels[0]) > 2 and all(channel.startswith("0") for channel in channels):
        channels = [channel[1:] for channel in channels]
    return (Declaration(name, "#" + "".join(f"{channel[:2]:>02}" for channel in channels)),)
