"""Which values a property can have: a declaration with another one is as if it were not written.

That is CSS's rule for what a browser does not understand (CSS Syntax 3 section 2.2), so
``display: none; display: nonsense`` hides. Values that depend on things not known here
(``var()``, ``calc()``) are possible ones.
"""

import re
from typing import Final

from mailmcp.mail.html.colour import parse_colour

NUMBER: Final = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
"""A number (CSS Syntax 3 section 4.3.12), as part of a pattern."""

_UNIT: Final = (
    r"%|px|pt|pc|in|cm|mm|q|r?em|r?ex|r?ch|r?cap|r?ic|r?lh|[sld]?v(?:w|h|i|b|min|max)|cq(?:w|h|i|b|min|max)"
)
_LENGTH: Final = rf"{NUMBER}(?:{_UNIT})?|(?:calc|min|max|clamp|round|abs|fit-content|anchor)\(.*\)"
_SIZE: Final = rf"{_LENGTH}|auto|none|stretch|(?:min|max|fit)-content|-webkit-fill-available"
_OVERFLOW: Final = r"(?:visible|hidden|clip|scroll|auto|overlay)"
_SYSTEM: Final = (
    r"[a-z]*(?:text|canvas|field|face|highlight|mark|window|menu|background|border|link|shadow)[a-z]*"
)
_COLOURS: Final = frozenset({"color", "-webkit-text-fill-color", "background-color"})
_POSSIBLE: Final = {
    name: re.compile(
        rf"(?:{values}|inherit|initial|unset|revert|revert-layer|.*\b(?:var|env)\(.*)", re.DOTALL
    )
    for name, values in {
        "display": r"none|contents|(?:inline |block )?(?:inline-)?(?:block|flex|grid|table)|inline|list-item"
        r"|flow|flow-root|run-in|math|ruby[a-z-]*|table-[a-z-]+|-webkit-(?:inline-)?(?:box|flex)",
        "visibility": "visible|hidden|collapse",
        "content-visibility": "visible|hidden|auto",
        "opacity": rf"{NUMBER}%?|calc\(.*\)",
        "position": "static|relative|absolute|fixed|sticky|-webkit-sticky",
        "overflow": rf"{_OVERFLOW}(?: {_OVERFLOW})?",
        "font-size": rf"{_LENGTH}|(?:xx?-|xxx-)?(?:small|large)|medium|smaller|larger",
        "letter-spacing": rf"{_LENGTH}|normal",
        "text-indent": rf"(?:{_LENGTH})(?: [a-z-]+)*",
        **dict.fromkeys(("width", "height", "max-width", "max-height"), _SIZE),
        **dict.fromkeys(("left", "top", "right", "bottom", "margin-left", "margin-top"), _SIZE),
        **dict.fromkeys(
            _COLOURS,
            rf"currentcolor|{_SYSTEM}|(?:color-mix|light-dark|color|lab|lch|oklab|oklch|device-cmyk)\(.*\)",
        ),
    }.items()
}


def is_possible(name: str, value: str) -> bool:
    """Tell whether a longhand property can have a value, both in lower case; any value if it is not known."""
    values = _POSSIBLE.get(name)
    if values is None or values.fullmatch(value) is not None:
        return True
    return name in _COLOURS and (value == "transparent" or parse_colour(value) is not None)
