"""Media queries: does a rule hold for a person who reads mail in a window on a desk?

That window is MEDIA_WIDTH_PX wide, landscape, light, on a screen and with a mouse. Queries that
ask for anything else, or for what is not known here, do not hold (Media Queries 5).
"""

import re
from typing import Final

from mailmcp.mail.html.style import length_px

MEDIA_WIDTH_PX: Final = 1_024.0
"""A mail pane; rules for telephones (at most 480 or 600 pixels) do not hold in it."""

_HEIGHT_PX: Final = 768.0
_PREFIX: Final = re.compile(r"^(?:(not|only)\s+)?([a-z-]+)?\s*(?:and\b|$)?")
_FEATURE: Final = re.compile(r"\(\s*([^()]*?)\s*\)")
_RANGE: Final = re.compile(r"(?:(\S+)\s*(<=?|>=?)\s*)?(width|height)(?:\s*(<=?|>=?)\s*(\S+))?")
_TYPES: Final = frozenset({"all", "screen"})
_WORDS: Final = {
    "orientation": "landscape",
    "prefers-color-scheme": "light",
    "prefers-reduced-motion": "no-preference",
    "hover": "hover",
    "any-hover": "hover",
    "pointer": "fine",
    "any-pointer": "fine",
    "-webkit-min-device-pixel-ratio": "0",
}
_BARE: Final = frozenset({"color", "width", "height", "hover", "any-hover", "pointer", "any-pointer"})


def media_holds(queries: str) -> bool:
    """Tell whether a media query list holds; an empty one does."""
    text = re.sub(r"/\*.*?\*/", " ", queries, flags=re.DOTALL).strip().lower()
    return not text or any(_query_holds(query.strip()) for query in text.split(","))


def _query_holds(query: str) -> bool:
    if not query or query.endswith("and"):
        return False
    prefix = _PREFIX.match(query)
    negated, media_type = (prefix[1] == "not", prefix[2] or "all") if prefix else (False, "all")
    rest = re.sub(r"\band\b", " ", query[prefix.end() :] if prefix else query)
    if _FEATURE.sub("", rest).strip():
        return False  # "or", nested conditions, and what no one knows
    holds = media_type in _TYPES and all(_feature_holds(each) for each in _FEATURE.findall(rest))
    return holds != negated


def _feature_holds(feature: str) -> bool:
    name, colon, value = (part.strip() for part in feature.partition(":"))
    if colon:
        bound, axis = name.removeprefix("min-").removeprefix("max-").removeprefix("device-"), name[:4]
        if bound in ("width", "height"):
            return _compare(bound, {"min-": ">=", "max-": "<="}.get(axis, "="), value)
        return _WORDS.get(name) == value
    match = _RANGE.fullmatch(feature)
    if match is None or not (match[2] or match[4]):
        return feature in _BARE
    flipped = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
    lower = _compare(match[3], flipped[match[2]], match[1]) if match[2] else True
    return lower and (_compare(match[3], match[4], match[5]) if match[4] else True)


def _compare(axis: str, sign: str, value: str) -> bool:
    bound = length_px(value)
    if bound is None:
        return False
    extent = MEDIA_WIDTH_PX if axis == "width" else _HEIGHT_PX
    return {
        "<": extent < bound,
        "<=": extent <= bound,
        ">": extent > bound,
        ">=": extent >= bound,
        "=": extent == bound,
    }[sign]
