"""CSS values: lengths, and a table of what each value of a property does to the text.

Only text that is known to show is shown. A row of `ROWS` names the values of a property
that show and those that certainly hide; any other value may hide. Properties that work together
(sizes, offsets, colours, clipping boxes) are left to `computed`.
"""

import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from mailmcp.mail.html.hidden.colour import parse_colour, parse_image

MAYBE: Final = "?"
"""The verdict on text that may be hidden; "" is the verdict on text that is shown."""

UNKNOWN: Final = "?"
"""A value that isn't known."""

OTHER: Final = "?"
"""Stands for each property that isn't known here: it may do anything."""

INHERITING: Final = frozenset({"inherit", "unset", "revert"})
"""What makes an inherited property that of the parent (CSS Cascade 5 section 7.3)."""

WIDE: Final = INHERITING | {"initial"}
"""The CSS-wide keywords."""

_SPACE: Final = re.compile(r"[ \t\n\f\r]+")

NUMBER: Final = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?"
"""A number (CSS Syntax 3 section 4.3.12), as part of a pattern."""

WINDOW_PX: Final = (1_024.0, 768.0)
"""Width and height of the window that mail is read in: a mail pane on a desktop."""

_LENGTH: Final = re.compile(rf"({NUMBER})(%|[a-z]*)")
_MATH: Final = re.compile(r"(?:calc|min|max|clamp)\(([^()]*)\)")
_VW, _VH = WINDOW_PX[0] / 100, WINDOW_PX[1] / 100
_PIXELS: Final = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945,
    "vw": _VW, "vh": _VH, "vmin": _VH, "vmax": _VW,
}  # fmt: skip
_LENGTH_MAX_PX: Final = 33_554_428.0
_EMS: Final = {"em": 1.0, "ex": 0.5, "ch": 0.5}


def collapse(text: str) -> str:
    """Replace runs of white space with one space, and remove them at the ends (CSS Syntax 3 section 4.2)."""
    return _SPACE.sub(" ", text).strip(" ")


class Length(NamedTuple):
    """A length (CSS Values 4): pixels, and shares of the font size, of the root's and of what 100 % is."""

    px: float = 0.0
    em: float = 0.0
    rem: float = 0.0
    whole: float = 0.0

    def to_px(self, em_px: float = 16.0, whole_px: float = 0.0, root_px: float = 16.0) -> float:
        """Compute the length in pixels, as far as browsers count."""
        length_px = self.px + self.em * em_px + self.rem * root_px + (self.whole and self.whole * whole_px)
        return min(max(length_px, -_LENGTH_MAX_PX), _LENGTH_MAX_PX)


@lru_cache(maxsize=1024)
def parse_length(text: str, bare: str = "") -> Length | None:
    """Parse a length in lower case, without functions; None for what isn't understood.

    Args:
        text: As written.
        bare: The unit of a number that is written without one; "" where only 0 may be.
    """
    match = _LENGTH.fullmatch(text)
    if match is None or not math.isfinite(number := float(match[1])):
        return None
    unit = match[2] or bare or ("" if number else "px")
    if unit in _EMS:
        return Length(em=number * _EMS[unit])
    if unit in ("rem", "%"):
        return Length(rem=number) if unit == "rem" else Length(whole=number / 100)
    return Length(px=number * _PIXELS[unit]) if unit in _PIXELS else None


@lru_cache(maxsize=1024)
def parse_lengths(text: str) -> tuple[Length, ...]:
    """Parse a length in lower case, or the terms of a math function; empty for what isn't understood.

    No term of a function is less than 0, and none has `-`, `*` or `/` (CSS Values 4 section 10). So no result
    is less than the least of them, or greater than their sum.
    """
    function = _MATH.fullmatch(text)
    terms = re.split(r" ?, ?| \+ ", function[1].strip()) if function else [text]
    lengths = tuple(length for term in terms if (length := parse_length(term)) is not None)
    is_known = len(lengths) == len(terms) and not (function and any(min(each) < 0 for each in lengths))
    return lengths if is_known else ()


_FONT_WORDS: Final = {
    "xx-small": Length(9), "x-small": Length(10), "small": Length(13), "medium": Length(16),
    "initial": Length(16), "large": Length(18), "x-large": Length(24), "xx-large": Length(32),
    "xxx-large": Length(48), "smaller": Length(em=5 / 6), "larger": Length(em=6 / 5),
}  # fmt: skip


def parse_font_size(value: str) -> tuple[Length, ...]:
    """Parse a `font-size` as `parse_lengths` does."""
    return (_FONT_WORDS[value],) if value in _FONT_WORDS else parse_lengths(value)


def is_relative(value: str) -> bool:
    """Return whether the value of an inherited property depends on the elements around."""
    return value in INHERITING or any(each.em or each.rem or each.whole for each in parse_font_size(value))


@lru_cache(maxsize=256)
def parse_opacity(value: str) -> float | None:
    """Parse an `opacity`, from 0 to 1; None for what isn't understood."""
    match = re.fullmatch(rf"({NUMBER})(%?)", value)
    if match is None:
        return 1.0 if value in WIDE - {"inherit"} else None
    return min(max(float(match[1]) / (100 if match[2] else 1), 0.0), 1.0)


class Row(NamedTuple):
    """What a property does by its value alone."""

    shows: re.Pattern[str]
    hides: re.Pattern[str]
    technique: str
    inherited: bool = False
    moves: bool = False
    """Whether a value that doesn't show may hide text outside of the element, rather than in it."""

    def judge(self, value: str) -> str:
        """Return the technique by which a value hides text, "" if it shows it, else MAYBE."""
        if value in WIDE or (value != UNKNOWN and self.shows.fullmatch(value)):
            return ""
        return self.technique if self.hides.fullmatch(value) else MAYBE


def _rows(
    table: tuple[tuple[str, ...], ...], *, inherited: bool = False, moves: bool = False
) -> dict[str, Row]:
    """Compile rows of names, the values that show, those that hide, and by which technique."""
    rows: dict[str, Row] = {}
    for names, shows, *rest in table:
        hides, technique = rest or ("(?!)", MAYBE)
        row = Row(re.compile(shows), re.compile(hides), technique, inherited, moves)
        rows |= dict.fromkeys(names.split(), row)
    return rows


_FEW: Final = r"(?:[+-]?\d?\d(?:\.\d+)?(?:px|pt|%)|0)"
_SAME: Final = (
    r"scale\(1\)|rotate\(0(?:deg)?\)|translate[xy]?\(0(?:px)?\)|translate\(0(?:px)?, ?0(?:px)?\)"
    r"|matrix\(1(?:, ?0){2}, ?1(?:, ?0){2}\)"
)
"""Transforms that change nothing."""

_ZERO: Final = r"[+-]?(?:0(?:\.0\d*)?|\.0\d*|\d(?:\.\d+)?e-\d+)%?"
_FACTOR: Final = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)%?"
_HEX: Final = "#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})"
SOON: Final = r"(?:(?:[01]|0?\.\d+)s|(?:\d{1,3}|1000)ms)"
"""A time of up to a second."""

TRANSITIONS: Final = frozenset({"transition", "transition-duration", "transition-delay"})
"""What keeps an old value for a time: a style sheet may come while a page is shown."""

_TIMING: Final = rf"(?:-?{SOON}|(?:cubic-bezier|steps|linear)\([\w., -]*\)|[a-z-]+(?![\w(-]))"

_SIZE: Final = r"(?:[1-9]\d\d?(?:\.\d+)?(?:px|%)|[1-3]?[1-9]em)"
_TRACKS: Final = rf"(?:auto|{_SIZE}|[1-9]fr)(?: (?:auto|{_SIZE}|[1-9]fr))*"
_NOT_GREAT: Final = (
    r"(?!.*(?<![#\w.])(?:\d{4}|\d{3}(?:\.\d+)?(?!px|pt|%)[a-z]|[2-9]\d\d(?:\.\d+)?%"
    r"|\d\d(?:\.\d+)?(?:in|cm|pc)|[\d.]+e[+\d]|(?:calc|min|max|clamp)\()).*"
)
"""A value without a length that pushes what is beside it out of the window."""

_STROKE: Final = rf"[a-z]+|0|(?:1|0?\.\d+)r?e[mx]|\.\d+(?:px|pt)|{_HEX}|(?:rgb|hsl)a?\([^()]*\)"
_LINE: Final = rf"(?:{_STROKE}|[12]?\d(?:\.\d+)?(?:px|pt))"
"""A part of a border or an outline that isn't broad enough to cover a line of text."""

_SIDE: Final = rf"(?:{_STROKE}|\d?\d(?:\.\d+)?(?:px|pt))"
"""A part of a border that doesn't push text out of the window."""

_CORNER: Final = r"(?:0|(?:1?\d|2[0-4])(?:\.\d+)?(?:px|pt))"
_SHADE: Final = rf"(?:{_HEX}|(?:rgb|hsl)a?\([^()]*\)|(?!inset)[a-z]+)"
_SHADOW: Final = (
    rf"(?:{_SHADE} )?(?:-?1?\d(?:\.\d+)?px|0) (?:-?1?\d(?:\.\d+)?px|0)"
    rf"(?: (?:\d?\d(?:\.\d+)?px|0)(?: (?:-?\dpx|0))?)?(?: {_SHADE})?"
)
_INSET: Final = (
    rf"(?:{_SHADE} )?(?:-?[01]px|0) (?:-?[01]px|0)(?: (?:[0-3]px|0)(?: (?:[01]px|0))?)?(?: {_SHADE})?"
)
"""A shadow within a box that leaves room for the smallest line."""


# fmt: off
ROWS: Final = _rows((
    ("display",
     r"inline|contents|list-item|flow-root|(?:inline-)?(?:block|flex|grid|table)|-webkit-(?:inline-)?box"
     r"|table-(?:cell|row|caption|(?:row|header|footer)-group)", "none", "display"),
    ("content-visibility", "visible", "hidden", "display"),
    ("transform", rf"none|(?:(?:{_SAME}) ?)+",
     rf"scale[xy]?\( ?{_ZERO} ?\)|scale\( ?(?:{_ZERO} ?, ?{_FACTOR}|{_FACTOR} ?, ?{_ZERO}) ?\)"
     rf"|(?!.*%)matrix\( ?{_ZERO} ?, ?{_ZERO}(?: ?, ?{_FACTOR}){{4}} ?\)", "transform"),
    ("scale", "none|1", rf"{_ZERO}(?: {_FACTOR})?|{_FACTOR} {_ZERO}", "transform"),
    ("translate", r"none|0(?:px)?(?: 0(?:px)?)?"),
    ("rotate", "none|0deg"),
    ("zoom", r"normal|1(?:\.0+)?|100%"),
    ("filter", "none", rf"opacity\( ?(?!-){_ZERO} ?\)", "opacity"),
    ("clip-path", "none",
     r"inset\((?:[5-9]\d|\d{3,})%\)|circle\(0(?:px|%)?\)|ellipse\(0(?:px|%)? 0(?:px|%)?\)", "clip"),
    ("clip", "auto", r"rect\( ?(?:0|[01]px)(?:(?: ?, ?(?:0|[01]px)){3}|(?: (?:0|[01]px)){3}) ?\)", "clip"),
    ("mask mask-image mask-border mask-border-source -webkit-mask-box-image -webkit-mask-box-image-source"
     " line-clamp offset-path offset border-image animation animation-name", "none"),
    ("transition", rf"{_TIMING}(?:[ ,]+{_TIMING})*"),
    ("transition-duration transition-delay", rf"-?{SOON}(?: ?, ?-?{SOON})*"),
    ("mix-blend-mode container-type", "normal"),
    ("container", "none"),
    ("overflow-clip-margin", r"\d+px"),
    ("corner-shape", "round|squircle"),
    ("content", "normal|none"),
    ("contain", "none|layout|style|layout style|style layout"),
    ("float", "left|right|none|inline-start|inline-end"),
    ("z-index", r"auto|\+?\d+"),
    ("unicode-bidi", "normal|embed|isolate|plaintext"),
    ("grid grid-template", rf"none|{_TRACKS} ?/ ?{_TRACKS}"),
    ("grid-template-rows", f"none|{_TRACKS}"),
    ("grid-auto-rows", _TRACKS),
    ("flex", rf"none|auto|[1-9]\d*(?: \d+)?(?: (?:auto|\d+(?:px|%)|0))?|\d+ \d+ (?:auto|{_SIZE})"),
    ("flex-basis", rf"auto|{_SIZE}"),
    ("border-image-slice", r"\d+%?(?: \d+%?){0,3}"),
    ("text-decoration", "(?:none|underline|overline|line-through)(?: (?:solid|double|dotted|dashed|wavy))?"
     rf"(?: (?:{_HEX}|black|white|red|blue))?"),
    ("text-decoration-thickness", r"auto|from-font|[0-3](?:\.\d+)?px"),
)) | _rows((
    ("visibility", "visible", "hidden|collapse", "visibility"),
    ("-webkit-text-security text-combine-upright -webkit-text-combine", "none"),
    ("text-wrap", "wrap|balance|pretty|stable"),
    ("text-wrap-mode", "wrap"),
    ("white-space-collapse", "collapse"),
    ("tab-size -moz-tab-size", r"\d|1\d"),
    ("letter-spacing",
     r"normal|0|[+-]?(?:[0-2](?:\.\d+)?|\.\d+)(?:px|pt)|-?0?\.[0-2]\d*em|\+?\d?\d(?:\.\d+)?(?:px|pt)"
     r"|(?:[0-2](?:\.\d+)?|\.\d+)r?em",
     r"-(?:0?\.[5-9]\d*|[1-9]\d*(?:\.\d+)?)em|-\d{2,}(?:\.\d+)?px", "font size"),
    ("word-spacing", r"normal|-?[0-3](?:\.\d+)?(?:px|pt)|\d?\d(?:px|pt)|-?0?\.[0-2]\d*em|0"),
    ("line-height",
     r"normal|0*(?:[5-9]|[1-9]\d\d?)(?:\.\d+)?(?:px|pt)|0?\.[4-9]\d*(?:r?em)?|[1-9]\d?(?:\.\d+)?(?:r?em)?"
     r"|0*(?:[4-9]\d|[1-9]\d\d)(?:\.\d+)?%"),
), inherited=True) | _rows((
    ("-webkit-text-stroke", rf"0(?:px)?(?: {_HEX})?"),
    ("-webkit-text-stroke-width", "0(?:px)?"),
    ("font-size-adjust", "none"),
    ("text-underline-offset", r"auto|0|1?\d(?:\.\d+)?px|0?\.[0-4]\d*em"),
    ("text-shadow", f"none|{_SHADOW}"),
), inherited=True, moves=True) | _rows((
    ("position", "static|relative", "absolute|fixed|(?:-webkit-)?sticky", "position"),
    ("border border-top border-bottom border-width border-top-width border-bottom-width"
     " outline outline-width", rf"{_LINE}(?: {_LINE}){{0,3}}"),
    ("padding-bottom min-height", _NOT_GREAT),
    ("grid-template-columns", f"none|{_TRACKS}"),
    ("border-left border-left-width border-right border-right-width", rf"{_SIDE}(?: {_SIDE}){{0,2}}"),
    ("border-spacing gap row-gap column-gap", rf"(?:{_FEW} ?)+|normal"),
    ("align-content align-items align-self justify-content justify-items justify-self"
     " place-content place-items place-self box-align box-pack",
     r"(?:normal|auto|stretch|(?:flex-)?start|left|top|baseline|space-\w+| )+"),
    ("flex-direction", "row|column"),
    ("flex-flow", "(?:row|column)(?: (?:wrap|nowrap))?|wrap|nowrap"),
    ("outline-offset", r"0|\d?\dpx|-[0-4]px"),
    ("box-shadow", rf"none|inset {_INSET}|{_INSET} inset|{_SHADOW}(?:, ?{_SHADOW})*"),
    ("vertical-align",
     r"baseline|middle|sub|super|(?:text-)?(?:top|bottom)|0|-?[0-4](?:\.\d+)?(?:px|pt)|-?0?\.[0-3]\d*r?em|-?[12]?\d%"),
    ("grid-area grid-row grid-column grid-row-start grid-column-start", "auto|span [1-9]"),
    ("columns column-count", "auto|[1-4]"),
    ("column-width", "auto"),
    ("backdrop-filter", "none"),
    ("aspect-ratio", "auto"),
    ("writing-mode", "horizontal-tb|lr-tb"),
    ("border-top-left-radius border-top-right-radius border-bottom-left-radius border-bottom-right-radius",
     rf"{_CORNER}(?: {_CORNER})?"),
    ("shape-outside", "none"),
    ("list-style list-style-type", r"(?:[^\"'(?]|url\([^()]*\))*"),  # strings are text that isn't in the mail
    ("quotes", "auto|none"),
    ("transform-origin",
     r"(?:left|right|center|0|\d?\d%|100%)(?: (?:top|bottom|center|0|\d?\d%|100%))?|top|bottom"),
    (OTHER, "(?!)"),
), moves=True)
# fmt: on
"""Properties whose value alone says whether text is shown."""

LOW_LINE: Final = re.compile(r"0|0?\.\d+(?:em)?|[0-4](?:\.\d+)?(?:px|pt)|[0-3]?\d(?:\.\d+)?%")
"""A `line-height` that squeezes lines of a block, but does nothing to an element within a line."""

OFFSETS: Final = frozenset({"left", "top", "right", "bottom"})
PLACES: Final = OFFSETS | {
    *("margin-left", "margin-top", "margin-right", "margin-bottom"),
    *("padding-left", "padding-top", "padding-right"),
}
"""What moves a box or its content."""


def _is_length(*words: str, low: float = -math.inf) -> Callable[[str], object]:
    return lambda value: value in words or min(map(min, parse_lengths(value)), default=math.nan) >= low


def _is_row(row: Row) -> Callable[[str], object]:
    return lambda value: row.judge(value) != MAYBE


def _is_radius(value: str) -> bool:
    lengths = [parse_length(part) for part in value.split(" ")]
    return len(lengths) <= 4 and all(length is not None and min(length) >= 0 for length in lengths)


BY_CONTENT: Final = frozenset({"min-content", "max-content", "fit-content"})
"""Sizes that the content of a box gives it (CSS Sizing 3 section 3.2)."""

_UNDERSTOOD: Final[dict[str, Callable[[str], object]]] = {
    **{name: _is_row(row) for name, row in ROWS.items()},
    **dict.fromkeys(PLACES, _is_length("auto")),
    "line-height": lambda value: LOW_LINE.fullmatch(value) or ROWS["line-height"].judge(value) != MAYBE,
    "text-indent": _is_length(),
    **dict.fromkeys(("padding-left", "padding-top", "padding-right"), _is_length(low=0)),
    **dict.fromkeys(("width", "min-width", "height"), _is_length("auto", *BY_CONTENT, low=0)),
    **dict.fromkeys(("max-width", "max-height"), _is_length("none", *BY_CONTENT, low=0)),
    "font-size": lambda value: min(map(min, parse_font_size(value)), default=-1.0) >= 0,
    "opacity": lambda value: parse_opacity(value) is not None,
    **dict.fromkeys(
        ("color", "-webkit-text-fill-color", "background-color"),
        lambda value: value == "currentcolor" or parse_colour(value) is not None,
    ),
    "background-image": lambda value: value == "none" or parse_image(value) is not None,
    "background-size": re.compile("auto|cover|contain|(?:100%|auto)(?: (?:100%|auto))?").fullmatch,
    "background-position": re.compile(
        "(?:left|right|center|0|0%|50%|100%)(?: (?:top|bottom|center|0|0%|50%|100%))?"
    ).fullmatch,
    "background-clip": re.compile("(?:border|padding|content)-box|text").fullmatch,
    "background-origin": re.compile("(?:border|padding|content)-box").fullmatch,
    "border-radius": lambda value: all(map(_is_radius, value.split(" / ", 1))),
    "direction": re.compile("ltr|rtl").fullmatch,
    "white-space": re.compile("normal|nowrap|pre|pre-wrap|pre-line|break-spaces").fullmatch,
    "color-scheme": re.compile(r"normal|(?:only )?(?:light|dark)|light dark|dark light").fullmatch,
    **dict.fromkeys(("overflow-x", "overflow-y"), re.compile("visible|hidden|clip|scroll|auto").fullmatch),
}
PROPERTIES: Final = frozenset(_UNDERSTOOD) - {OTHER}
"""Properties that can hide text, shorthands split."""


@lru_cache(maxsize=4096)
def is_understood(name: str, value: str) -> bool:
    """Return whether it is known what a value of a property in PROPERTIES does; both in lower case."""
    return value in WIDE or (value != UNKNOWN and bool(_UNDERSTOOD[name](value)))
