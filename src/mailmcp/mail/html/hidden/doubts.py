"""Values that an element may have: by rules that may not apply, or that some browsers don't understand.

A single doubt means two styles, with it and without it, and both are judged. Of several doubts any may be
right without the others, so that a value that hides may apply without the one that undoes it. Then
the values in question are UNKNOWN, except those of properties that don't meet.
"""

from collections.abc import Iterator, Mapping, Set
from typing import Final

from mailmcp.mail.html.hidden.values import TRANSITIONS, UNKNOWN

Found = Mapping[str, Set[tuple[str, object]]]
"""By property: values that may apply, each with what the doubt is about."""

_TEXT: Final = frozenset({"color", "-webkit-text-fill-color", "background-color"})
_PAINTS: Final = _TEXT | {
    *("background-image", "background-clip", "background-origin", "background-size", "background-position"),
    *("text-shadow", "opacity", "-webkit-text-stroke", "-webkit-text-stroke-width"),
}
_MEETS_ALL: Final = frozenset({"display", "position", "float"})
"""Whether a background reaches the text, and whether a size or an offset does anything, depends on these."""

_MEETS_NONE: Final = frozenset(
    {"margin-top", "margin-right", "margin-bottom", "padding-right", "padding-bottom", "vertical-align"}
    | TRANSITIONS
    | {
        f"border{side}{part}"
        for side in ("", "-top", "-right", "-bottom", "-left")
        for part in ("", "-width")
    }
)
"""Properties that undo nothing that another one hides."""


def possible_values(found: Found) -> Iterator[tuple[str, str]]:
    """Yield each property of `found` with its value if the doubts about the element are right."""
    doubts: dict[str, set[object]] = {"paints": set(), "boxes": set(), "all": set()}
    for name, values in found.items():
        if not _meets_none(name, values):
            doubts[_group(name)] |= {doubt for _, doubt in values}
    for name, values in found.items():
        group = _group(name)
        met = doubts["all"] | doubts[group] if group != "all" else set().union(*doubts.values())
        is_alone = len(met) <= 1 or _meets_none(name, values)
        # The colors of an element also meet those of other elements, which may be as doubtful.
        is_odd_colour = name in _TEXT and any(isinstance(doubt, str) for _, doubt in values)
        value, *others = {value for value, _ in values}
        yield name, UNKNOWN if others or is_odd_colour or not is_alone else value


def _group(name: str) -> str:
    return "paints" if name in _PAINTS else "all" if name in _MEETS_ALL else "boxes"


def _meets_none(name: str, values: Set[tuple[str, object]]) -> bool:
    is_zero = name.startswith(("margin-", "padding-")) and all(value in ("0", "0px") for value, _ in values)
    return name in _MEETS_NONE or is_zero
