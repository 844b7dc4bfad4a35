"""Values that every browser of today reads, as far as `values` is less strict than they are.

Browsers drop a declaration that they don't understand, and the one before it applies. `values` says what
a value does if it applies; only a value that is valid for certain undoes others.
"""

import re
from functools import lru_cache
from itertools import permutations
from typing import Final

from mailmcp.mail.html.hidden.values import SOON, WIDE

_UNITS: Final = "px|pt|pc|cm|mm|in|em|rem"
_LENGTH: Final = rf"(?:\d+(?:\.\d+)?(?:{_UNITS})|0)"
_SIGNED: Final = f"-?{_LENGTH}"
_SHARE: Final = rf"(?:\d+(?:\.\d+)?(?:{_UNITS}|%)|0)"
_COLOUR: Final = (
    r"(?:#[0-9a-f]{3}(?:[0-9a-f]{3})?|rgba?\(\d+, ?\d+, ?\d+(?:, ?(?:0?\.\d+|[01]))?\)"
    "|black|white|gr[ae]y|silver|red|green|blue|transparent|windowtext)"
)
_STYLE: Final = "(?:none|solid|dashed|dotted|double|groove|ridge|inset|outset)"
_WIDTH: Final = rf"(?:{_LENGTH}|thin|medium|thick)"
_EDGE: Final = "|".join(
    f"{first}(?: {second}(?: {third})?)?" for first, second, third in permutations((_WIDTH, _STYLE, _COLOUR))
)
_SHADOW: Final = rf"{_SIGNED} {_SIGNED}(?: {_LENGTH}(?: {_SIGNED})?)?(?: {_COLOUR})?"
_STOP: Final = rf"{_COLOUR}(?: {_SHARE}){{0,2}}"
_DIRECTION: Final = r"(?:to (?:left|right|(?:top|bottom)(?: (?:left|right))?)|-?\d+deg)"
_MARKERS: Final = "(?:none|disc|circle|square|decimal)"

_VALID: Final = {
    name: re.compile(pattern)
    for names, pattern in (
        ("border border-top border-right border-bottom border-left outline", _EDGE),
        ("border-width", rf"{_WIDTH}(?: {_WIDTH}){{0,3}}"),
        (
            "border-top-width border-right-width border-bottom-width border-left-width outline-width",
            _WIDTH,
        ),
        ("padding-bottom min-height", _SHARE),
        ("border-spacing", rf"{_LENGTH}(?: {_LENGTH})?"),
        ("gap", rf"normal|{_SHARE}(?: {_SHARE})?"),
        ("row-gap column-gap", f"normal|{_SHARE}"),
        (
            "align-content align-items align-self justify-content justify-items justify-self"
            " place-content place-items place-self",
            "normal|start|flex-start|stretch",
        ),
        ("box-align box-pack", "start"),
        ("box-shadow", rf"none|(?:inset )?{_SHADOW}|{_SHADOW}(?:, ?{_SHADOW})*"),
        ("text-shadow", rf"none|{_SIGNED} {_SIGNED}(?: {_LENGTH})?(?: {_COLOUR})?"),
        (
            "background-image",
            rf"none|url\([^()]*\)|linear-gradient\((?:{_DIRECTION}, ?)?{_STOP}(?:, ?{_STOP})+\)",
        ),
        (
            "transition",
            rf"none|(?:(?:all|color|opacity|background-color) )?{SOON}(?: (?:ease|linear|ease-in|ease-out))?",
        ),
        ("transition-duration transition-delay", SOON),
        ("writing-mode", "horizontal-tb"),
        ("list-style", rf"{_MARKERS}(?: (?:in|out)side)?"),
        ("list-style-type", _MARKERS),
    )
    for name in names.split()
}
_NEW_OR_OLD: Final = re.compile(
    "-moz-.*|box-(?:align|pack)|mask-border.*|-webkit-backdrop-filter|line-clamp|overflow-clip-margin"
)
"""Names of properties that some browsers don't know."""


@lru_cache(maxsize=4096)
def is_valid(name: str, value: str) -> bool:
    """Return whether no browser drops a value that `values` understands; both in lower case."""
    pattern = _VALID.get(name)
    return value in WIDE or pattern is None or pattern.fullmatch(value) is not None


def is_known(name: str) -> bool:
    """Return whether all browsers know a property by this name."""
    return _NEW_OR_OLD.fullmatch(name) is None
