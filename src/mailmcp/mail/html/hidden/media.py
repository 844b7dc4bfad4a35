"""Media queries, matched for a person who reads mail in a window on a desktop.

That window is landscape, light and on a screen. What asks for something that is not known here, such as
whether there is a mouse, may hold or not: None (Media Queries 5).
"""

import re
from typing import Final

from mailmcp.mail.html.hidden.values import WINDOW_PX, collapse, parse_length

_QUERY: Final = re.compile(
    r"(?:(?P<not>not )|only )?(?P<type>(?!and\b|or\b|not\b|only\b|layer\b)[a-z]+)(?: and (?P<features>\(.*))?"
    r"|(?P<alone>\(.*)"
)
_FEATURE: Final = re.compile(r"\( ?(?:(?P<bound>min|max)-)?(?P<name>[a-z-]+) ?(?:: ?(?P<value>[^()]*?) ?)?\)")
_SOUND: Final = re.compile(
    r"\( ?(?:min|max)-(?:width|height) ?: ?\d+(?:px|em) ?\)|\( ?[a-z][a-z-]+ ?: ?[a-z-]+ ?\)"
)
"""A feature without an error, if it is understood."""

_PLAIN: Final = re.compile(r"(?:[\w .:-]|/(?!\*)|\([\w .:/%<>=-]*\)|,)*+", re.ASCII)
"""A list in which every comma parts queries: without strings, escapes, comments and nested parentheses."""

_TYPES: Final = frozenset({"all", "screen"})
_CHOICES: Final = {
    ("orientation", "landscape"): True, ("orientation", "portrait"): False,
    ("prefers-color-scheme", "light"): True, ("prefers-color-scheme", "dark"): False,
    ("prefers-reduced-motion", "no-preference"): True, ("prefers-reduced-motion", "reduce"): False,
    ("-webkit-min-device-pixel-ratio", "0"): True,
}  # fmt: skip
_UNMEASURED: Final = ("%", "ex", "ch")
"""Units that depend on the font, and one that media queries don't have."""

_ROUNDED_PX: Final = 0.5


def media_matches(queries: str) -> bool | None:
    """Return whether a media query list without comments matches; an empty one does."""
    text = collapse(queries.lower())
    if not queries.isascii() or _PLAIN.fullmatch(text) is None:
        return None
    found = {_query_matches(query.strip(" ")) for query in text.split(",")}
    return True if not text or True in found else None if None in found else False


def _query_matches(query: str) -> bool | None:
    match = _QUERY.fullmatch(query)
    if match is None:
        return None
    features = match["features"] or match["alone"]
    terms = features.split(" and ") if features else []
    found = {_feature_matches(term) for term in terms} | {(match["type"] or "all") in _TYPES}
    if match["not"]:  # with an error, a query is false even if it is negated
        return None if None in found or not all(map(_SOUND.fullmatch, terms)) else False in found
    return False if False in found else None if None in found else True


def _feature_matches(feature: str) -> bool | None:
    match = _FEATURE.fullmatch(feature)
    if match is None or match["value"] is None:
        return None
    name, value, bound = match.group("name", "value", "bound")
    if name.startswith("-ms-"):
        return False  # of Internet Explorer
    if not bound:
        return _CHOICES.get((name, value))
    return _size_matches(name, value, is_least=bound == "min")


def _size_matches(name: str, value: str, *, is_least: bool) -> bool | None:
    axis = name.removeprefix("device-")
    is_known = axis in ("width", "height") and not value.endswith(_UNMEASURED)
    length = parse_length(value, "px") if is_known else None
    if length is None:
        return None
    beyond_px = length.to_px() - WINDOW_PX[axis == "height"]
    if 0 < abs(beyond_px) < _ROUNDED_PX or (axis != name and beyond_px >= 0):  # the screen may be larger
        return None
    holds = beyond_px <= 0 if is_least else beyond_px >= 0
    has_unit = parse_length(value) is not None
    return holds and (has_unit or None)  # without one, only old browsers understand it
