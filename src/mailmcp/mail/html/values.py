"""Values of the properties that can hide text: which are understood, and what each says by itself.

The rule is: only what is known to show, shows. A row of `WORDS` or `RANGES` says which values of a
property show, and which certainly hide; all others may do either. What depends on several properties
(colours, sizes, boxes that cut) is for `html.shown`.
"""

import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from mailmcp.mail.html.colour import parse_colour, parse_image
from mailmcp.mail.html.length import NUMBER, Length, parse_length

MAYBE: Final = "?"
"""The verdict on what is not known to show, and not certain to hide; "" is that it shows."""

UNKNOWN: Final = "?"
"""A value that is not known."""

INHERITING: Final = frozenset({"inherit", "unset", "revert"})
"""What makes an inherited property that of the element around it (CSS Cascade 5 section 7.3)."""

WIDE: Final = INHERITING | {"initial"}


class Words(NamedTuple):
    """What a property says by its value alone."""

    shows: re.Pattern[str]
    hides: re.Pattern[str] | None
    technique: str
    inherited: bool

    def judge(self, value: str) -> str:
        """Name how a value hides text; MAYBE if it is not known to show."""
        if value in WIDE or (value != UNKNOWN and self.shows.fullmatch(value)):
            return ""
        return self.technique if self.hides and self.hides.fullmatch(value) else MAYBE


def _words(shows: str, hides: str = "", technique: str = MAYBE, *, inherited: bool = False) -> Words:
    return Words(re.compile(shows), re.compile(hides) if hides else None, technique, inherited)


_ZERO: Final = r"[+-]?0*\.?0*(?:px|em|%)?"
_INSET: Final = r"\d(?:px|%)?"
_NONE: Final = _words("none")
_MOVES: Final = _words(r"none\b.*")
_CLIP_PATH: Final = _words(
    rf"none|inset\({_INSET}(?: {_INSET}){{0,3}}(?: round [^()]*)?\)",
    rf"inset\((?:[5-9]\d|\d{{3,}})%\)|(?:circle|ellipse)\({_ZERO}(?: .*)?\)",
    "clip",
)

WORDS: Final = {
    "display": _words(
        r"inline|contents|list-item|flow-root|(?:inline-)?(?:block|flex|grid|table)|-webkit-(?:inline-)?box"
        r"|table-(?:cell|row|caption|row-group|header-group|footer-group)",
        "none",
        "display",
    ),
    "content-visibility": _words("visible|auto", "hidden", "display"),
    "visibility": _words("visible", "hidden|collapse", "visibility", inherited=True),
    **dict.fromkeys(("clip-path", "-webkit-clip-path"), _CLIP_PATH),
    **dict.fromkeys(("mask", "mask-image", "mask-border", "mask-border-source", "offset-path"), _NONE),
    **dict.fromkeys(("-webkit-mask", "-webkit-mask-image", "-webkit-mask-box-image"), _NONE),
    **dict.fromkeys(("line-clamp", "-webkit-line-clamp"), _NONE),
    **dict.fromkeys(("animation", "-webkit-animation", "animation-name", "-webkit-animation-name"), _MOVES),
    **dict.fromkeys(("offset", "border-image", "border-image-slice"), _words(r"(?:(?!\bfill|path|ray).)*")),
    "flex": _words(r"(?!0\b.*\b0(?:px|%)?$).*"),
    "flex-basis": _words(r"(?!0).*"),
    "contain": _words("(?:none|layout|style| )+"),
    "mix-blend-mode": _words("normal"),
    "content": _words("normal|none"),
    "float": _words("left|right|none|inline-start|inline-end"),
    "z-index": _words(r"auto|\+?\d+"),
    "rotate": _words("none|[+-]?[0-4]?[0-9]deg"),
    "unicode-bidi": _words("normal|embed|isolate|plaintext"),
    "text-decoration": _words(r"(?:[a-z-]+|#[0-9a-f]+|rgba?\([^()]*\)| )+"),
    "text-decoration-thickness": _words(r"auto|from-font|[0-3](?:\.\d+)?px"),
    "outline-offset": _words(r"\+?[\d.]+[a-z]*|-[0-4]px"),
    "-webkit-text-security": _words("none", inherited=True),
    "-webkit-text-stroke": _words(r"(?:0(?:px)?|[a-z]+|#[0-9a-f]+| )+", inherited=True),
    "-webkit-text-stroke-width": _words("0(?:px)?", inherited=True),
    "font-size-adjust": _words("none", inherited=True),
    "color-scheme": _words(r"normal|.*\blight\b.*", inherited=True),
    **dict.fromkeys(("grid", "grid-template", "grid-template-rows"), _words(r"(?:(?!\b0|\w\(|\.).)*")),
}
"""Properties whose value alone says whether text is shown."""


class Range(NamedTuple):
    """The lengths that an inherited property is known to show with, in font sizes."""

    hides_to: float
    shows_from: float
    shows_to: float
    bare: str = ""

    def judge(self, value: str, font_px: float) -> str:
        """Name how a value hides text; MAYBE if it is not known to show."""
        length = parse_length(value, self.bare)
        if value in ("normal", "initial"):
            return ""
        if length is None:
            return MAYBE
        ems = length.to_px(font_px, font_px) / max(font_px, 1.0)
        if self.shows_from <= ems <= self.shows_to:
            return ""
        return "font size" if ems <= self.hides_to else MAYBE


RANGES: Final = {
    "letter-spacing": Range(-0.5, -0.2, 3.0),
    "word-spacing": Range(-math.inf, -0.3, 8.0),
    "line-height": Range(-math.inf, 0.4, 40.0, "em"),
}
"""Properties that lay letters, words or lines on each other, or far from each other."""

LEFT, UP = ("margin-left", "padding-left", "left", "right"), ("margin-top", "padding-top", "top", "bottom")
"""What moves the content of a box to the side, and what moves it up and down; the last counts backwards."""

_FONT_WORDS: Final = {
    **{"xx-small": Length(9), "x-small": Length(10), "small": Length(13), "medium": Length(16)},
    **{"initial": Length(16), "large": Length(18), "x-large": Length(24), "xx-large": Length(32)},
    **{"xxx-large": Length(48), "smaller": Length(em=5 / 6), "larger": Length(em=6 / 5)},
}
_OPACITY: Final = re.compile(rf"(?:opacity\(\s*)?({NUMBER})(%?)\s*\)?")
_FUNCTION: Final = re.compile(r"([a-z0-9]+)\(\s*([^()]*?)\s*\)\s*")
_ANGLE: Final = re.compile("0|[+-]?[0-4]?[0-9]deg")  # wide boxes that turn further leave the page


def font_length(value: str) -> Length | None:
    """Read a `font-size`; None for what is not understood."""
    length = _FONT_WORDS.get(value) or parse_length(value)
    return length if length is not None and min(length) >= 0 else None


def parse_share(value: str) -> float | None:
    """Read an opacity or a scale, as a number, as a percentage or within a filter; "none" is 1."""
    match = _OPACITY.fullmatch(value)
    if match is None:
        return 1.0 if value in ("none", "normal") or value in WIDE - {"inherit"} else None
    return float(match[1]) / (100 if match[2] else 1)


class Transform(NamedTuple):
    """How a box is drawn: how large, and how far from its place."""

    scale: float = 1.0
    x: Length = Length()
    y: Length = Length()


@lru_cache(maxsize=256)
def parse_transform(value: str) -> Transform | None:
    """Read a transform in the plane; None for what is not understood."""
    if value == "none" or value in WIDE - {"inherit"}:
        return Transform()
    found = _FUNCTION.findall(value)
    if not found or _FUNCTION.sub("", value):
        return None
    whole = Transform()
    for name, text in found:
        step = _step(name, re.split(r"[\s,]+", text))
        if step is None:
            return None
        whole = Transform(
            whole.scale * step.scale,
            Length(*map(sum, zip(whole.x, step.x, strict=True))),
            Length(*map(sum, zip(whole.y, step.y, strict=True))),
        )
    return whole


def _step(name: str, arguments: list[str]) -> Transform | None:
    """Read one function of a transform."""
    if name in ("rotate", "rotatez"):
        return Transform() if _ANGLE.fullmatch(arguments[0]) and len(arguments) == 1 else None
    if name in ("translate", "translatex", "translatey") and len(arguments) <= 1 + (name == "translate"):
        lengths = [parse_length(each) for each in arguments]
        if name == "translatey":
            lengths.insert(0, Length())
        x, y = [*lengths, Length()][:2]
        return None if x is None or y is None else Transform(x=x, y=y)
    numbers = [share for each in arguments if (share := parse_share(each)) is not None]
    if len(numbers) != len(arguments):
        return None
    if name == "matrix" and len(numbers) == 6:
        a, b, c, d, x, y = numbers
        # The area that is left of a square, as the length of its side.
        return Transform(math.sqrt(abs(a * d - b * c)), Length(x), Length(y))
    if name in ("scale", "scalex", "scaley") and len(numbers) <= 1 + (name == "scale"):
        return Transform(min(map(abs, numbers)))
    return None


def _is_length(*words: str, bare: str = "", low: float = -math.inf) -> Callable[[str], object]:
    def check(value: str) -> bool:
        length = parse_length(value, bare)
        return value in words or (length is not None and min(length) >= low)

    return check


def _is_colour(value: str) -> bool:
    return value == "currentcolor" or parse_colour(value) is not None


def _is_row(row: Words) -> Callable[[str], object]:
    return lambda value: row.judge(value) != MAYBE


_UNDERSTOOD: Final[dict[str, Callable[[str], object]]] = {
    **{name: _is_row(row) for name, row in WORDS.items()},
    **{name: _is_length("normal", bare=row.bare) for name, row in RANGES.items()},
    **dict.fromkeys(
        ("width", "height", "max-width", "max-height"),
        _is_length("auto", "none", "min-content", "max-content", "fit-content", low=0.0),
    ),
    **dict.fromkeys((*LEFT, *UP), _is_length("auto")),
    "text-indent": _is_length(),
    **dict.fromkeys(("padding-left", "padding-top"), _is_length(low=0.0)),
    "font-size": lambda value: value in INHERITING or font_length(value) is not None,
    **dict.fromkeys(
        ("opacity", "zoom", "filter", "-webkit-filter"), lambda value: parse_share(value) is not None
    ),
    **dict.fromkeys(("transform", "-webkit-transform"), parse_transform),
    **dict.fromkeys(("scale", "translate"), re.compile(rf"none|[\w.%+-]+(?: [\w.%+-]+)?").fullmatch),
    **dict.fromkeys(("color", "-webkit-text-fill-color", "background-color"), _is_colour),
    "background-image": lambda value: value == "none" or parse_image(value) is not None,
    "background-size": re.compile("auto|cover|contain|(?:100%|auto)(?: (?:100%|auto))?").fullmatch,
    **dict.fromkeys(("background-clip", "-webkit-background-clip"), re.compile("[a-z]+-box|text").fullmatch),
    "text-shadow": re.compile(".*").fullmatch,
    "box-shadow": re.compile(r"(?:(?!inset).|inset(?: \d(?:px)?){2,4} (?!\d))*").fullmatch,
    "background-position": re.compile(r"(?:(?:[a-z]+|0(?:px|%)?|50%|100%) ?){1,2}").fullmatch,
    "position": re.compile("static|relative|absolute|fixed|sticky|-webkit-sticky").fullmatch,
    **dict.fromkeys(("overflow-x", "overflow-y"), re.compile("visible|hidden|clip|scroll|auto").fullmatch),
}
PROPERTIES: Final = frozenset(_UNDERSTOOD)
"""Properties that can make text unseen, shorthands split."""


@lru_cache(maxsize=4096)
def is_understood(name: str, value: str) -> bool:
    """Tell whether what a value of a property in PROPERTIES does is known; both in lower case."""
    return value in WIDE or (value != UNKNOWN and bool(_UNDERSTOOD[name](value)))
