"""Media queries, matched for a person who reads mail in a window on a desktop.

That window is landscape, light and on a screen. What asks for something that is not known here, such as
whether there is a mouse, may hold or not: None (Media Queries 5).
"""

import re
from typing import Final

from mailmcp.mail.html.hidden.values import WINDOW_PX, parse_length

_QUERY: Final = re.compile(
    r"(?:(?P<not>not )|only )?(?P<type>(?!and\b|or\b|not\b|only\b)[a-z]+)(?: and (?P<features>\(.*))?"
    r"|(?P<alone>\(.*)"
)
_FEATURE: Final = re.compile(r"\( ?(?:(?P<bound>min|max)-)?(?P<name>[a-z-]+) ?(?:: ?(?P<value>[^()]*?) ?)?\)")
_SPACE: Final = re.compile(r"[ \t\n\f\r]+")
_TYPES: Final = frozenset({"all", "screen"})
_HOLDING: Final = {
    "orientation": "landscape", "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference",
    "-webkit-min-device-pixel-ratio": "0",
}  # fmt: skip


def media_matches(queries: str) -> bool | None:
    """Return whether a media query list without comments matches; an empty one does."""
    text = _SPACE.sub(" ", queries.lower()).strip(" ")
    found = {_query_matches(query.strip(" ")) for query in text.split(",")}
    return True if not text or True in found else None if None in found else False


def _query_matches(query: str) -> bool | None:
    match = _QUERY.fullmatch(query)
    if match is None:
        return None
    features = match["features"] or match["alone"]
    terms = features.split(" and ") if features else []
    found = {_feature_matches(term) for term in terms} | {(match["type"] or "all") in _TYPES}
    matches = False if False in found else None if None in found else True
    return matches if matches is None or not match["not"] else not matches


def _feature_matches(feature: str) -> bool | None:
    match = _FEATURE.fullmatch(feature)
    if match is None or match["value"] is None:
        return None
    axis, length = match["name"].removeprefix("device-"), parse_length(match["value"], "px")
    if axis in ("width", "height") and length is not None and match["bound"] and not length.whole:
        extent = WINDOW_PX[axis == "height"]
        holds = extent >= length.to_px() if match["bound"] == "min" else extent <= length.to_px()
        has_unit = parse_length(match["value"]) is not None
        return holds and (has_unit or None)  # without one, only old browsers understand it
    if match["name"].startswith("-ms-"):
        return False  # of Internet Explorer
    is_known = match["name"] in _HOLDING and not match["bound"]
    return _HOLDING[match["name"]] == match["value"] if is_known else None
