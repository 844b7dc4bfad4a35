"""The style of an element, as far as it decides whether people see its text.

No layout is done: one value of one property hides, or it doesn't. A value that isn't understood, of a
property that can hide, may hide. What counts is a window on a desktop, with nothing clicked.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from mailmcp.mail.html.colour import BLACK, CLEAR, WHITE, Colour, legacy_colour, parse_colour
from mailmcp.mail.html.declarations import DEFAULTS, FONT_SIZES_PX, NUMBER, UNREAD

HIDDEN: Final = "hidden"
MAYBE: Final = "?"
"""What surely hides, and what may hide; "" is shown."""

_FONT_MIN_PX: Final = 3.0
_OPACITY_MIN: Final = 0.1
_EXTENT_MAX_PX: Final = 2.0
_AWAY_PX: Final = 500.0  # to the left or up: out of any window
_FAR_PX: Final = 5_000.0  # to the right or down: farther than anybody scrolls
_PIXELS: Final = {
    "px": 1.0, "": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945, "rem": 16.0,
    "vw": 10.24, "vh": 7.68, "vmin": 7.68, "vmax": 10.24,
}  # fmt: skip
_FONT_ATTRIBUTE_PX: Final = {"1": 10, "2": 13, "3": 16, "4": 18, "5": 24, "6": 32, "7": 48}
_SHOWN_BY: Final = {
    "zoom": {"normal", "1", "100%"},
    "contain": {"layout", "style"},
    "mix-blend-mode": {"normal"},
    **{name: set[str]() for name in ("mask", "offset-path", "animation", "clip-path", UNREAD)},
}
"""The values, with `none`, that surely show text; what others do is for a browser to find out."""

_NOT_BOXES: Final = frozenset(
    {"a", "abbr", "b", "big", "code", "em", "font", "i", "label", "s", "small", "span", "strike", "strong"}
    | {"sub", "sup", "tt", "u", "td", "th", "tr", "tbody", "thead", "tfoot", "table"}
)
"""Elements whose width, height and overflow count for nothing, or that grow with what is in them."""

_MAYBE_SHOWN: Final = frozenset(
    {"select", "option", "optgroup", "datalist", "object", "audio", "video", "canvas", "svg", "math"}
    | {"marquee", "details"}
)
"""Elements whose content some programs show, or show a part of."""

_MOVES: Final = ("margin-left", "margin-top", "text-indent", "translate")
_SIDES: Final = ("left", "top", "right", "bottom")
_EXTENTS: Final = ("width", "height", "max-width", "max-height")
_UNCLEAR: Final = frozenset(
    {"rotatex", "rotatey", "rotate3d", "matrix3d", "perspective", "var"}
    | {"blur", "brightness", "contrast", "invert", "url"}
)
"""Functions of `transform` and `filter` that only a browser can follow."""

_FUNCTION: Final = re.compile(r"([a-z]+(?:3d)?)\(([^()]*)\)")
_GRADIENT: Final = re.compile(r"gradient\(((?:[^()]|\([^()]*\))*)\)")
_STOP: Final = re.compile(r"#[0-9a-f]+|(?:rgb|hsl)a?\([^()]*\)|[a-z]{3,}")
_REMOTE: Final = re.compile(r"url\(\s*[\"']?\s*(?:https?:|cid:|data:|//)")
_ANY_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


class Style(NamedTuple):
    """What an element hands down to those in it."""

    gone: str = ""
    """Whether the element is hidden with all in it: HIDDEN, MAYBE, or ""."""

    hides: str = ""
    """The same of its own text: what is in it can be shown again."""

    font_px: float = 16.0
    visible: bool = True
    opacity: float = 1.0
    colour: Colour | None = BLACK
    """What the text is painted with; None for one that isn't known."""

    is_filled: bool = False
    """Whether that is its `-webkit-text-fill-color`, which counts more than its `color`."""

    background: Colour | None = WHITE
    picture: str = ""
    """What is painted over the background colour: the value of `background-image`, or ""."""


def hints_of(tag: str, attributes: Mapping[str, str]) -> dict[str, str]:
    """Return what attributes other than `style` say, as declarations (HTML standard, section 15.3)."""
    found: dict[str, str] = {}
    if "bgcolor" in attributes:
        found["background-color"] = legacy_colour(attributes["bgcolor"])
    if attributes.get("background"):
        found["background-image"] = f"url({attributes['background'].lower()})"
    colour = attributes.get({"font": "color", "body": "text"}.get(tag, ""))
    if colour is not None:
        found["color"] = legacy_colour(colour)
    if tag == "font" and attributes.get("size", "") in _FONT_ATTRIBUTE_PX:
        found["font-size"] = f"{_FONT_ATTRIBUTE_PX[attributes['size']]}px"
    if tag == "a" and "href" in attributes:
        found["color"] = "#0000ee"
    if "hidden" in attributes or (tag == "dialog" and "open" not in attributes):
        found["display"] = "none"
    if tag == "img":
        found |= {name: attributes[name].strip().lower() for name in _EXTENTS[:2] if name in attributes}
    return {
        name: value
        for name, value in found.items()
        if name not in ("color", "background-color") or parse_colour(value)
    }


def compute_style(parent: Style, tag: str, values: Mapping[str, str]) -> Style:
    """Return the style of an element."""
    return _compute(parent, tag, tuple(values.items())) if values or tag in _MAYBE_SHOWN else parent


@lru_cache(maxsize=4_096)
def _compute(parent: Style, tag: str, declared: tuple[tuple[str, str], ...]) -> Style:
    values = dict(declared)
    font_px = _font_size(values.get("font-size", ""), parent.font_px)
    opacity = _opacity(values.get("opacity", "1"))
    visibility = values.get("visibility", "inherit")
    colour, is_filled = parent.colour, parent.is_filled
    if "fill" in values:
        colour, is_filled = _colour(values["fill"], colour, colour), True
    elif "color" in values and not is_filled:
        colour = _colour(values["color"], colour, colour)
    background, picture = parent.background, parent.picture
    if "background-color" in values:
        own = _colour(values["background-color"], CLEAR, colour)
        background = own.over(background) if own is not None and background is not None else None
        picture = "" if own is not None and own.alpha == 1 else picture
    if values.get("background-image", "none") != "none":
        picture = values["background-image"]
    if values.get("background-clip") == "text" and (gradient := _GRADIENT.search(picture)):
        colours = (parse_colour(each) for each in _STOP.findall(gradient[1]))  # which the letters show
        colour, picture = next((each for each in colours if each is not None), None), parent.picture
    style = Style(
        font_px=parent.font_px if font_px is None else font_px,
        visible=parent.visible if "(" in visibility or visibility in DEFAULTS else visibility == "visible",
        opacity=parent.opacity * (1.0 if opacity is None else opacity),
        colour=colour,
        is_filled=is_filled,
        background=background,
        picture=picture,
    )
    gone = parent.gone
    if gone != HIDDEN:
        is_unknown = font_px is None or opacity is None or "(" in visibility or tag in _MAYBE_SHOWN
        gone = _find_hiding(tag, values, style) or (MAYBE if gone or is_unknown else "")
    style = style._replace(gone=gone)
    return style._replace(hides=_find_hiding_of_text(style))


def _find_hiding_of_text(style: Style) -> str:
    colour, background = style.colour, style.background
    if style.gone == HIDDEN or not style.visible or style.font_px < _FONT_MIN_PX:
        return HIDDEN
    if colour is None or background is None:
        return MAYBE
    if gradient := _GRADIENT.search(style.picture):
        stops = [stop for each in _STOP.findall(gradient[1]) if (stop := parse_colour(each)) is not None]
        is_alike = bool(stops) and all(colour.is_like(stop.over(background)) for stop in stops)
    else:
        is_alike = colour.over(background).is_like(background) and not _REMOTE.search(style.picture)
    if colour.alpha < _OPACITY_MIN or (is_alike and (gradient or not style.picture)):
        return HIDDEN
    return MAYBE if is_alike else style.gone  # mail has nothing that a relative URL could lead to


def _find_hiding(tag: str, values: Mapping[str, str], style: Style) -> str:
    """Return whether an element's own values hide all of it: HIDDEN, MAYBE, or ""."""
    display, content = values.get("display", ""), values.get("content-visibility", "")
    if display == "none" or content == "hidden" or style.opacity < _OPACITY_MIN:
        return HIDDEN
    if display == "contents" and tag != "img":  # without a box that the others could apply to
        return ""
    if "(" in display + content + values.get("position", ""):
        return MAYBE
    judges = (_judge_size(tag, values, style.font_px), _judge_place(values, style.font_px))
    return max(*judges, _judge_drawing(values, style.font_px))  # MAYBE is less than HIDDEN


def _judge_size(tag: str, values: Mapping[str, str], font_px: float) -> str:
    is_small = any(_is_small(values, name, font_px) for name in _EXTENTS)
    display = values.get("display", "")
    is_box = display not in ("inline", "contents") and "table-" not in display
    if not display or display in DEFAULTS:
        is_box = tag not in _NOT_BOXES
    clips = not {"hidden", "clip", "auto", "scroll"}.isdisjoint(values.get("overflow", "").split())
    if is_small and (tag == "img" or (is_box and clips)):
        return HIDDEN
    computed = [values[name] for name in (*_EXTENTS, "line-height") if "(" in values.get(name, "")]
    is_unread = any((_least(each, font_px) or 0.0) <= _EXTENT_MAX_PX and "%" not in each for each in computed)
    is_flat = _length(values.get("line-height", ""), font_px) == 0
    return MAYBE if tag != "img" and is_box and clips and (is_unread or is_flat) else ""


def _is_small(values: Mapping[str, str], name: str, font_px: float) -> bool:
    least = values.get(f"min-{name.removeprefix('max-')}", "0")
    size = _length(values.get(name, ""), font_px)
    is_let = "%" not in least and (_length(least, font_px) or 0.0) <= _EXTENT_MAX_PX
    return size is not None and size <= _EXTENT_MAX_PX and is_let


def _least(function: str, font_px: float) -> float | None:
    """Return the least length in a function such as `clamp()`, which is no less; None if it may be."""
    if "var(" in function or "env(" in function or re.search("[*/]| -", function):
        return None
    found = [_length(each[0], font_px) for each in NUMBER.finditer(function)]
    known = [each for each in found if each is not None]
    return min(known) if known and len(known) == len(found) else None


def _judge_place(values: Mapping[str, str], font_px: float) -> str:
    lengths = {name: _length(values.get(name, ""), font_px) or 0.0 for name in (*_MOVES, *_SIDES)}
    position, clip = values.get("position", ""), values.get("clip", "")
    sides = [lengths[name] for name in _SIDES] if position in ("absolute", "fixed", "relative") else [0.0]
    if min(*sides, *(lengths[name] for name in _MOVES)) <= -_AWAY_PX or max(sides) >= _FAR_PX:
        return HIDDEN
    if position in ("absolute", "fixed") and clip.startswith("rect(") and _largest(clip) <= 1:
        return HIDDEN
    unread = [values[name] for name in lengths if "(" in values.get(name, "")]
    return MAYBE if any("var(" in each or _largest(each) >= _AWAY_PX for each in unread) else ""


def _judge_drawing(values: Mapping[str, str], font_px: float) -> str:
    spacing, clip = _length(values.get("letter-spacing", ""), font_px), values.get("clip-path", "")
    if spacing is not None and spacing < min(-font_px / 2, -1):
        return HIDDEN
    if (clip.startswith("inset(") and _first(clip) >= 50) or (
        clip.startswith("circle(") and not _first(clip)
    ):
        return HIDDEN
    transform = _FUNCTION.findall(f"{values.get('transform', '')} scale({values.get('scale', '1')})")
    for name, arguments in transform:
        lengths = [_length(each.strip(), font_px) or 0.0 for each in arguments.split(",")]
        scales = arguments.split(",") if name == "scale" else [arguments]
        if name.startswith(("scale", "matrix")) and min(abs(_first(each)) for each in scales) < _OPACITY_MIN:
            return HIDDEN
        if name.startswith("translate") and min(lengths) <= -_AWAY_PX:
            return HIDDEN
    filters = _FUNCTION.findall(values.get("filter", ""))
    if any(name == "opacity" and _first(arguments) < _OPACITY_MIN for name, arguments in filters):
        return HIDDEN
    is_unclear = "(" in values.get("letter-spacing", "") or any(
        values.get(name, "none") not in shown | DEFAULTS | {"none"} for name, shown in _SHOWN_BY.items()
    )
    return MAYBE if is_unclear or not _UNCLEAR.isdisjoint(name for name, _ in transform + filters) else ""


def _font_size(value: str, parent_px: float) -> float | None:
    if value in FONT_SIZES_PX:
        return FONT_SIZES_PX[value]
    if value in ("smaller", "larger"):
        return parent_px * (5 / 6 if value == "smaller" else 6 / 5)
    if "(" in value:
        least = _least(value, parent_px)
        return None if least is None or least < _FONT_MIN_PX else least
    return parent_px if not value or value in DEFAULTS else _length(value, parent_px, whole=parent_px)


def _opacity(value: str) -> float | None:
    match = NUMBER.fullmatch(value)
    if match is None:
        return 1.0 if value in DEFAULTS else None
    return min(max(float(match[1]) / (100 if match[2] else 1), 0.0), 1.0)


def _colour(value: str, inherited: Colour | None, current: Colour | None) -> Colour | None:
    """Return a colour; None if it isn't known."""
    if value == "currentcolor":
        return current
    return inherited if value in DEFAULTS else parse_colour(value)


def _length(value: str, font_px: float, *, whole: float | None = None) -> float | None:
    """Return a length in pixels, of `whole` for a percentage; None for what isn't one."""
    match = NUMBER.match(value)
    if match is None:
        return None
    number, unit = float(match[1]), match[2]
    if unit in ("em", "ex", "ch"):
        return number * font_px * (1 if unit == "em" else 0.5)
    if unit == "%":
        return number / 100 * whole if whole is not None else None if number else 0.0
    return number * _PIXELS[unit] if unit in _PIXELS else None


def _largest(text: str) -> float:
    return max(map(float, _ANY_NUMBER.findall(text)), default=0.0)


def _first(text: str) -> float:
    """Return the first number of some arguments; 1 if there is none."""
    match = NUMBER.search(text)
    if match is None:
        return 1.0
    return float(match[1]) / (100 if match[2] == "%" and "inset" not in text else 1)
