"""Values of the properties that can hide text: which are understood, and what each says by itself.

The rule is: only what is known to show, shows. A row of `WORDS` says which values of a property
show, and which certainly hide; all others may do either. What depends on several properties
(colours, sizes, boxes that cut) is for `html.shown`.
"""

import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from mailmcp.mail.html.hidden.colour import parse_colour, parse_image

MAYBE: Final = "?"
"""The verdict on what is not known to show, and not certain to hide; "" is that it shows."""

UNKNOWN: Final = "?"
"""A value that is not known."""

INHERITING: Final = frozenset({"inherit", "unset", "revert"})
"""What makes an inherited property that of the element around it (CSS Cascade 5 section 7.3)."""

WIDE: Final = INHERITING | {"initial"}

NUMBER: Final = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?"
"""A number (CSS Syntax 3 section 4.3.12), as part of a pattern."""

WINDOW_PX: Final = (1_024.0, 768.0)
"""Width and height of the window that mail is read in: a mail pane on a desk."""

_LENGTH: Final = re.compile(rf"({NUMBER})(%|[a-z]*)")
_VW, _VH = WINDOW_PX[0] / 100, WINDOW_PX[1] / 100
_PIXELS: Final = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945,
    "vw": _VW, "vh": _VH, "vmin": _VH, "vmax": _VW,
}  # fmt: skip
_EMS: Final = {"em": 1.0, "ex": 0.5, "ch": 0.5}


class Length(NamedTuple):
    """A length (CSS Values 4): pixels, and shares of the font size, of the root's and of what 100 % is."""

    px: float = 0.0
    em: float = 0.0
    rem: float = 0.0
    whole: float = 0.0

    def to_px(self, em_px: float = 16.0, whole_px: float = 0.0, root_px: float = 16.0) -> float:
        """Compute the length in pixels."""
        return self.px + self.em * em_px + self.rem * root_px + self.whole * whole_px


@lru_cache(maxsize=1024)
def parse_length(text: str, bare: str = "") -> Length | None:
    """Read a length in lower case; None for what is not understood.

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


_FONT_WORDS: Final = {
    "xx-small": Length(9), "x-small": Length(10), "small": Length(13), "medium": Length(16),
    "initial": Length(16), "large": Length(18), "x-large": Length(24), "xx-large": Length(32),
    "xxx-large": Length(48), "smaller": Length(em=5 / 6), "larger": Length(em=6 / 5),
}  # fmt: skip


def parse_font_size(value: str) -> Length | None:
    """Read a `font-size`; None for what is not understood."""
    return _FONT_WORDS.get(value) or parse_length(value)


@lru_cache(maxsize=256)
def parse_opacity(value: str) -> float | None:
    """Read an `opacity`, from 0 to 1; None for what is not understood."""
    match = re.fullmatch(rf"({NUMBER})(%?)", value)
    if match is None:
        return 1.0 if value in WIDE - {"inherit"} else None
    return min(max(float(match[1]) / (100 if match[2] else 1), 0.0), 1.0)


class Words(NamedTuple):
    """What a property says by its value alone."""

    shows: re.Pattern[str]
    hides: re.Pattern[str]
    technique: str
    inherited: bool

    def judge(self, value: str) -> str:
        """Name how a value hides text; MAYBE if it is not known to show."""
        if value in WIDE or (value != UNKNOWN and self.shows.fullmatch(value)):
            return ""
        return self.technique if self.hides.fullmatch(value) else MAYBE


def _words(shows: str, hides: str = "(?!)", technique: str = MAYBE, *, inherited: bool = False) -> Words:
    return Words(re.compile(shows), re.compile(hides), technique, inherited)


def _many(names: str, row: Words) -> dict[str, Words]:
    return dict.fromkeys(names.split(), row)


_FEW: Final = r"(?:[+-]?\d?\d(?:\.\d+)?(?:px|pt|%)|0)"
_INSET: Final = r"(?:0|\dpx|1?\d%)"
_NOTHING: Final = r"[+-]?(?:0*\.?0\d*|\d(?:\.\d+)?e-\d+)%?"
_SCALED_AWAY: Final = (
    rf"(?:scale|scale[xy]|matrix)\( ?{_NOTHING}(?:[, ].*)?\)|scale\([^,()]*, ?{_NOTHING} ?\)"
)
_TRANSFORM: Final = _words(
    rf"none|(?:(?:translate[xy]?\({_FEW}\)|translate\({_FEW}, ?{_FEW}\)|rotate\([+-]?[0-4]?\ddeg\)"
    r"|scale\((?:1|1\.\d+|0?\.[89]\d*)\)|matrix\(1, ?0, ?0, ?1, ?0, ?0\)) ?)+",
    _SCALED_AWAY,
    "transform",
)

WORDS: Final = {
    "display": _words(
        r"inline|contents|list-item|flow-root|(?:inline-)?(?:block|flex|grid|table)|-webkit-(?:inline-)?box"
        r"|table-(?:cell|row|caption|row-group|header-group|footer-group)",
        "none",
        "display",
    ),
    "visibility": _words("visible", "hidden|collapse", "visibility", inherited=True),
    "content-visibility": _words("visible|auto", "hidden", "display"),
    **_many("transform -webkit-transform", _TRANSFORM),
    "scale": _words("none|1", rf"{_NOTHING}(?: .*)?|\S+ {_NOTHING}", "transform"),
    "translate": _words(rf"none|{_FEW}(?: {_FEW})?"),
    "rotate": _words("none|[+-]?[0-4]?[0-9]deg"),
    "zoom": _words(r"normal|1(?:\.0+)?|100%"),
    **_many("filter -webkit-filter", _words("none", rf"opacity\( ?{_NOTHING} ?\)", "opacity")),
    **_many(
        "clip-path -webkit-clip-path",
        _words(
            rf"none|inset\({_INSET}(?: {_INSET}){{0,3}}(?: round \d+px)?\)",
            r"inset\((?:[5-9]\d|\d{3,})%\)|(?:circle|ellipse)\(0(?:px|%)?(?: .*)?\)",
            "clip",
        ),
    ),
    "clip": _words("auto", r"rect\((?:[01](?:px)?[, ]*){4}\)", "clip"),
    **_many(
        "mask mask-image mask-border mask-border-source -webkit-mask -webkit-mask-image"
        " -webkit-mask-box-image line-clamp -webkit-line-clamp offset-path",
        _words("none"),
    ),
    **_many("animation -webkit-animation animation-name -webkit-animation-name", _words("none")),
    **_many("offset border-image", _words("none")),
    "border-image-slice": _words(r"\d+%?(?: \d+%?){0,3}"),
    **_many(
        "grid grid-template grid-template-rows",
        _words(r"none|(?:(?:auto|[1-9]\d*(?:\.\d+)?(?:px|fr|%|em))(?: ?/ ?| |$))+(?<![ /])"),
    ),
    "flex": _words(
        r"none|auto|[1-9]\d*(?: \d+)?(?: (?:auto|\d+(?:px|%)|0))?|\d+ \d+ (?:auto|[1-9]\d*(?:\.\d+)?(?:px|%))"
    ),
    "flex-basis": _words(r"auto|[1-9]\d*(?:\.\d+)?(?:px|%|em)"),
    "float": _words("left|right|none|inline-start|inline-end"),
    "contain": _words("none|layout|style|layout style|style layout"),
    "mix-blend-mode": _words("normal"),
    "content": _words("normal|none"),
    "z-index": _words(r"auto|\+?\d+"),
    "unicode-bidi": _words("normal|embed|isolate|plaintext"),
    "text-decoration": _words(
        "(?:none|underline|overline|line-through)(?: (?:solid|double|dotted|dashed|wavy))?"
        "(?: (?:#(?:[0-9a-f]{3}){1,2}|black|white|red|blue))?"
    ),
    "text-decoration-thickness": _words(r"auto|from-font|[0-3](?:\.\d+)?px"),
    "outline-offset": _words(r"0|\d+px|-[0-4]px"),
    "-webkit-text-security": _words("none", inherited=True),
    "-webkit-text-stroke": _words("0(?:px)?(?: #(?:[0-9a-f]{3}){1,2})?", inherited=True),
    "-webkit-text-stroke-width": _words("0(?:px)?", inherited=True),
    "font-size-adjust": _words("none", inherited=True),
    "color-scheme": _words("normal|light|only light|light only|light dark|dark light", inherited=True),
    "letter-spacing": _words(
        r"normal|0|[+-]?(?:[0-2](?:\.\d+)?|\.\d+)(?:px|pt)|-?0?\.[0-2]\d*em|\+?\d?\d(?:\.\d+)?(?:px|pt)"
        r"|(?:[0-2](?:\.\d+)?|\.\d+)r?em",
        r"-(?:0?\.[5-9]\d*|[1-9][\d.]*)em|-\d{2,}[\d.]*px",
        "font size",
        inherited=True,
    ),
    "word-spacing": _words(
        r"normal|-?[0-3](?:\.\d+)?(?:px|pt)|\d?\d(?:px|pt)|-?0?\.[0-2]\d*em|0", inherited=True
    ),
    "line-height": _words(
        r"normal|0*(?:[5-9]|[1-9]\d\d?)(?:\.\d+)?(?:px|pt)|0?\.[4-9]\d*(?:r?em)?|[1-9]\d?(?:\.\d+)?(?:r?em)?"
        r"|0*(?:[4-9]\d|[1-9]\d\d)(?:\.\d+)?%",
        inherited=True,
    ),
}
"""Properties whose value alone says whether text is shown."""

LEFT, UP = ("margin-left", "padding-left", "left", "right"), ("margin-top", "padding-top", "top", "bottom")
"""What moves the content of a box to the side, and what moves it up and down; the last counts backwards."""


def _is_length(*words: str, low: float = -math.inf) -> Callable[[str], object]:
    return lambda value: (
        value in words or ((length := parse_length(value)) is not None and min(length) >= low)
    )


def _is_row(row: Words) -> Callable[[str], object]:
    return lambda value: row.judge(value) != MAYBE


_BY_CONTENT: Final = ("min-content", "max-content", "fit-content")
_SHADOW_COLOUR: Final = r"(?:#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([^()]*\)|black|white|gray|grey|transparent)"
_SHADOW: Final = (
    rf"(?:{_SHADOW_COLOUR} )?"
    r"(?:inset(?: (?:0|\dpx)){2,4}|(?:-?\d+(?:\.\d+)?px|0)(?: (?:-?\d+(?:\.\d+)?px|0)){1,3})"
    rf"(?: {_SHADOW_COLOUR})?"
)

_UNDERSTOOD: Final[dict[str, Callable[[str], object]]] = {
    **{name: _is_row(row) for name, row in WORDS.items()},
    **dict.fromkeys((*LEFT, *UP), _is_length("auto")),
    **dict.fromkeys(("padding-left", "padding-top"), _is_length(low=0)),
    **dict.fromkeys(("width", "height"), _is_length("auto", *_BY_CONTENT, low=0)),
    **dict.fromkeys(("max-width", "max-height"), _is_length("none", *_BY_CONTENT, low=0)),
    "text-indent": _is_length(),
    "font-size": lambda value: (length := parse_font_size(value)) is not None and min(length) >= 0,
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
    **dict.fromkeys(
        ("background-clip", "-webkit-background-clip"),
        re.compile("(?:border|padding|content)-box|text").fullmatch,
    ),
    "text-shadow": bool,
    "box-shadow": re.compile(rf"none|{_SHADOW}(?:, ?{_SHADOW})*").fullmatch,
    "position": re.compile("static|relative|absolute|fixed|sticky|-webkit-sticky").fullmatch,
    **dict.fromkeys(("overflow-x", "overflow-y"), re.compile("visible|hidden|clip|scroll|auto").fullmatch),
}
PROPERTIES: Final = frozenset(_UNDERSTOOD)
"""Properties that can make text unseen, shorthands split."""


@lru_cache(maxsize=4096)
def is_understood(name: str, value: str) -> bool:
    """Tell whether what a value of a property in PROPERTIES does is known; both in lower case."""
    return value in WIDE or (value != UNKNOWN and bool(_UNDERSTOOD[name](value)))
