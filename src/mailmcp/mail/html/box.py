"""Boxes that show nothing of their content: without extent, clipped, transparent, or moved off the page."""

import re
from collections.abc import Mapping
from typing import Final

from mailmcp.mail.html.style import length_px

OPACITY_MIN: Final = 0.1
"""Below it text is not seen, whatever its colour."""

_EXTENT_MAX_PX: Final = 2.0  # no letter fits
_OFF_PAGE_PX: Final = 500.0  # to the left or above, where no one can scroll
_FAR_PX: Final = 5_000.0  # to the right or below
_TABLE_BOXES: Final = frozenset({"table", "tbody", "thead", "tfoot", "tr", "td", "th"})
_NUMBER: Final = re.compile(r"\d*\.?\d+(?:e[+-]?\d+)?%?")
_OPACITY: Final = re.compile(r"opacity\s*(?:\(|=)\s*(\d*\.?\d+)(%?)")
_FUNCTION: Final = re.compile(r"([a-z0-9]+)\(([^()]*)\)")
_WHOLE: Final = 100.0  # percent
_SIDES: Final = ("top", "right", "bottom", "left")
_MATRIX_PARTS: Final = 6
_EDGE: Final = re.compile(r"[\s,]+")
_UNCUT: Final = frozenset({"visible", "visible visible", "inherit", "initial", "unset"})
_LIFTED: Final = frozenset({"absolute", "fixed"})
_MOVED: Final = _LIFTED | {"relative", "sticky"}


def hidden_by(values: Mapping[str, str], tag: str, em_px: float) -> str:
    """Name how a box hides all of its content; "" if it does not.

    Args:
        values: Properties of the element, without those it inherits.
        tag: Tables and their parts grow with their content, whatever height they are given.
        em_px: Font size of the element.
    """
    if not values:
        return ""
    if values.get("display") == "none" or values.get("content-visibility") == "hidden":
        return "display"
    if tag not in _TABLE_BOXES and _has_no_extent(values, em_px):
        return "extent"
    if _is_off_page(values, em_px):
        return "position"
    if _is_clipped(values):
        return "clip"
    return "transform" if _is_transformed_away(values.get("transform", ""), em_px) else ""


def opacity_of(values: Mapping[str, str]) -> float:
    """Read how opaque a box is, from 0 to 1, by `opacity` and by filters."""
    opacity = _fraction(values.get("opacity", ""))
    match = _OPACITY.search(values.get("filter", ""))
    if match is not None:
        # alpha(opacity=0) counts in percent, opacity(0) in parts of one.
        percent = match[2] or "=" in match.group()
        opacity *= min(float(match[1]) / (100 if percent else 1), 1.0)
    return opacity


def _fraction(value: str) -> float:
    if _NUMBER.fullmatch(value) is None:
        return 1.0
    number = float(value.rstrip("%"))
    return min(number / 100 if value.endswith("%") else number, 1.0)


def _has_no_extent(values: Mapping[str, str], em_px: float) -> bool:
    if values.get("overflow", "visible") in _UNCUT or "(" in values["overflow"]:
        return False
    for name in ("max-height", "height", "max-width", "width"):
        extent = length_px(values.get(name, ""), em_px=em_px)
        if extent is not None and extent <= _EXTENT_MAX_PX:
            return True
    return False


def _is_off_page(values: Mapping[str, str], em_px: float) -> bool:
    names = ["margin-left", "margin-top"]
    if values.get("position") in _MOVED:
        names += ["left", "top", "right", "bottom"]
    return any(_is_far(values[name], em_px) for name in names if name in values)


def _is_far(value: str, em_px: float, whole_px: float = 1_000) -> bool:
    shift = length_px(value, em_px=em_px, whole_px=whole_px)
    return shift is not None and (shift <= -_OFF_PAGE_PX or shift >= _FAR_PX)


def is_indented_away(values: Mapping[str, str], em_px: float) -> bool:
    """Tell whether the first line begins off the page."""
    return _is_far(values.get("text-indent", ""), em_px)


def _is_clipped(values: Mapping[str, str]) -> bool:
    path = values.get("clip-path", "")
    for name, arguments in _FUNCTION.findall(path):
        if name == "inset" and _insets_close(arguments):
            return True
        if name in ("circle", "ellipse") and _is_narrow(_EDGE.split(arguments.strip())[0]):
            return True
        if name == "rect" and _is_empty_rect(arguments):
            return True
        if (
            name == "polygon"
            and len({_EDGE.sub(" ", corner.strip()) for corner in arguments.split(",")}) == 1
        ):
            return True
    if values.get("position") not in _LIFTED:
        return False
    return any(
        name == "rect" and _is_empty_rect(edges) for name, edges in _FUNCTION.findall(values.get("clip", ""))
    )


def _is_narrow(radius: str) -> bool:
    length = length_px(radius)
    return length is not None and length <= _EXTENT_MAX_PX


def _insets_close(arguments: str) -> bool:
    """Tell whether insets meet: 50 % or more from both of two opposite sides."""
    sides = arguments.partition("round")[0].split()
    shares = [length_px(side, whole_px=_WHOLE) if side.endswith("%") else 0.0 for side in sides[:4]]
    if not shares:
        return False
    top, right, bottom, left = (_side(shares, index) for index in range(len(_SIDES)))
    return top + bottom >= _WHOLE or left + right >= _WHOLE


def _side(shares: list[float | None], index: int) -> float:
    """Give the share of a side: top, right, bottom, left; missing ones are as those opposite."""
    while index >= len(shares):
        index = max(index - 2, 0)
    return shares[index] or 0.0


def _is_empty_rect(arguments: str) -> bool:
    edges = [length_px(edge) for edge in _EDGE.split(arguments.strip())]
    if len(edges) != len(_SIDES) or None in edges:
        return False
    top, right, bottom, left = (edge or 0.0 for edge in edges)
    return bottom - top <= _EXTENT_MAX_PX or right - left <= _EXTENT_MAX_PX


def _is_transformed_away(transform: str, em_px: float) -> bool:
    for name, text in _FUNCTION.findall(transform):
        arguments = [argument for argument in _EDGE.split(text.strip()) if argument]
        if name.startswith("scale") and any(_fraction(each) < OPACITY_MIN / 10 for each in arguments):
            return True
        if name.startswith("translate") and any(_is_far(each, em_px, 100) for each in arguments):
            return True
        if (
            name == "matrix"
            and len(arguments) == _MATRIX_PARTS
            and all(_fraction(each) == 0 for each in arguments[:4])
        ):
            return True
        if name in ("rotatex", "rotatey") and arguments in (["90deg"], ["-90deg"], ["270deg"]):
            return True
    return False
