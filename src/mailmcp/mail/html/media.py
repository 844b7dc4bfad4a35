"""Media queries: does a rule hold for a person who reads mail in a window on a desk?

That window is landscape, light, on a screen and with a mouse. A query for what is not
known here may hold or not: None (Media Queries 5 section 3.2, in three values).
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from mailmcp.mail.html.length import WINDOW_PX, parse_length

_DEPTH_MAX: Final = 4
_RANGE: Final = re.compile(r"(?:(\S+?)\s*([<>]=?|=)\s*)?(width|height)(?:\s*([<>]=?|=)\s*(\S+))?")
_WORDS: Final = {
    **{"orientation": "landscape", "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference"},
    **{"hover": "hover", "any-hover": "hover", "pointer": "fine", "any-pointer": "fine"},
    "-webkit-min-device-pixel-ratio": "0",
}
_BARE: Final = frozenset({"color", "width", "height", "hover", "any-hover", "pointer", "any-pointer"})
_MEDIA_TYPES: Final = {"all": True, "screen": True} | dict.fromkeys(("print", "speech", "tty", "tv"), False)


def both(first: bool | None, second: bool | None) -> bool | None:  # noqa: FBT001  # values, not options
    """Join two conditions by "and"."""
    if first is False or second is False:
        return False
    return None if first is None or second is None else True


def negate(condition: bool | None) -> bool | None:  # noqa: FBT001  # a value, not an option
    """Turn a condition round."""
    return None if condition is None else not condition


def media_holds(tokens: Iterable[Any]) -> bool | None:
    """Tell whether a media query list holds; an empty one does."""
    queries: list[list[Any]] = [[]]
    for token in tokens:
        if token == ",":
            queries.append([])
        elif token.type not in ("whitespace", "comment"):
            queries[-1].append(token)
    if queries == [[]]:
        return True
    found = [_query_holds(query) for query in queries]
    return True if True in found else None if None in found else False


def _query_holds(nodes: list[Any]) -> bool | None:
    words = [getattr(node, "lower_value", "") if node.type == "ident" else "" for node in nodes]
    negated = words[:1] == ["not"] and len(words) > 1 and bool(words[1])
    if negated or words[:1] == ["only"]:
        nodes, words = nodes[1:], words[1:]
    if not words:
        return False
    if not words[0] or words[0] == "not":
        return condition_holds(nodes, _DEPTH_MAX)
    holds = _MEDIA_TYPES.get(words[0], False)
    if len(words) > 1:
        holds = both(holds, condition_holds(nodes[2:], _DEPTH_MAX) if words[1] == "and" else None)
    return negate(holds) if negated else holds


def condition_holds(nodes: list[Any], depth: int) -> bool | None:
    """Tell whether terms in brackets hold, joined by "and", "or" or "not"."""
    words = [getattr(node, "lower_value", "") for node in nodes]
    if words[:1] == ["not"] and len(nodes) == 2:
        return negate(_term_holds(nodes[1], depth))
    joints = set(words[1::2])
    terms = [_term_holds(node, depth) for node in nodes[::2]]
    if len(nodes) % 2 == 0 or len(joints) > 1 or not joints <= {"and", "or"}:
        return None
    if joints == {"or"}:
        return True if True in terms else None if None in terms else False
    return False if False in terms else None if None in terms else True


def _term_holds(node: Any, depth: int) -> bool | None:
    if node.type != "() block" or not depth:
        return None
    inner = [each for each in node.content if each.type not in ("whitespace", "comment")]
    if inner and (inner[0].type == "() block" or getattr(inner[0], "lower_value", "") == "not"):
        return condition_holds(inner, depth - 1)
    if any(hasattr(each, "content") or hasattr(each, "arguments") for each in inner):
        return None
    return _feature_holds("".join(each.serialize() for each in node.content if each.type != "comment").lower())


def _feature_holds(feature: str) -> bool | None:
    name, colon, value = (part.strip() for part in feature.partition(":"))
    if name.startswith("-ms-"):
        return False  # of Internet Explorer
    if not colon:
        return _range_holds(name)
    axis = name.removeprefix("min-").removeprefix("max-").removeprefix("device-")
    if axis in ("width", "height"):
        return _compare(axis, {"min-": ">=", "max-": "<="}.get(name[:4], "="), value)
    return _WORDS[name] == value if name in _WORDS else None


def _range_holds(feature: str) -> bool | None:
    match = _RANGE.fullmatch(feature)
    if feature in _BARE or match is None or not (match[2] or match[4]):
        return True if feature in _BARE else None
    flipped = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
    if match[2] and match[4] and match[2][0] != match[4][0]:
        return None
    lower = _compare(match[3], flipped[match[2]], match[1]) if match[2] else True
    return both(lower, _compare(match[3], match[4], match[5]) if match[4] else True)


def _compare(axis: str, sign: str, value: str) -> bool | None:
    length = parse_length(value, "px")
    if length is None or length.whole:
        return None
    extent, bound = WINDOW_PX[axis == "height"], length.to_px()
    return {
        "<": extent < bound,
        "<=": extent <= bound,
        ">": extent > bound,
        ">=": extent >= bound,
        "=": None if extent == bound else False,
    }[sign]
