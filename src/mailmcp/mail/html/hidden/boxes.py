"""Boxes: where they are, how large, and how much text fits in those that clip what doesn't.

No layout is done: these are estimates from an element's own values and its parent's style. What may hide
text elsewhere sets `unchecked`.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mailmcp.mail.html.hidden.style import FONT_MIN_PX, ComputedStyle, worst
from mailmcp.mail.html.hidden.values import (
    MAYBE,
    OFFSETS,
    PLACES,
    UNKNOWN,
    WIDE,
    WINDOW_PX,
    parse_length,
    parse_lengths,
)
from mailmcp.mail.html.tags import CELLS, DISPLAYED_AS_BLOCKS, TABLE_PARTS

EXTENT_MAX_PX: Final = 2.0
"""A box or a picture of this size is too small for a letter."""

OFF_PAGE_PX: Final = 500.0
"""To the left or above, where nobody can scroll."""

_FAR_PX: Final = 5_000.0  # to the right or below
SIZES: Final = frozenset({"width", "max-width", "height", "max-height"})
_PAINTED: Final = frozenset({"width", "max-width", "background-color", "background-image"})
_SLIVER: Final = 0.12
_LEAST_PX: Final = 30.0
_NARROW_PX: Final = 100.0  # a background that content may well leave
_SEEN_PX: Final = 800.0  # of the window, when nothing but padding narrows it
_WIDE_PX: Final = 1_100.0  # content at the far end is out of sight
_OVERLAP_PX: Final = 20.0  # templates pull boxes together by as much
_PULL_UP_PX: Final = 8.0  # the margin of a page: more takes its first line out of the window
_ROUND_PX: Final = 24.0  # corners rounder than that can take words away
_EDGES_PX: Final = 24.0  # of two borders, or of a shadow
_OUTLINE_PX: Final = 4.0  # drawn over what is around; no template has broader ones
_BAR_PX: Final = 17.0  # width of a scrollbar
_BUTTON_PX: Final = 60.0  # height of a button that is round at its ends
_BUTTON_EDGES_PX: Final = 6.0  # its border and padding, which count as a part of its height
_BUTTON_CHARS: Final = 60
_PADDED: Final = frozenset({"ol", "ul", "menu", "dir", "fieldset", "button", "dialog"})
"""Padded by the style sheet of browsers."""

INDENTS_PX: Final = dict.fromkeys(("blockquote", "figure"), 80.0) | dict.fromkeys(
    ("dd", "dir", "menu", "ol", "ul"), 40.0
)
"""How much of the width that style sheet takes by margins or padding."""

_CONTAINING: Final = frozenset({"hidden", "scroll", "auto"})
"""Values of `overflow` with which a block contains its floats, unlike `clip` (CSS Overflow 3 section 3.1)."""


def is_caption(tag: str, values: Mapping[str, str]) -> bool:
    """Return whether an element is the caption of a table, which may be as narrow as one word."""
    return tag == "caption" or values.get("display") == "table-caption"


def is_table_part(tag: str, values: Mapping[str, str]) -> bool:
    """Return whether an element is a cell, a row or a group of rows."""
    return values.get("display", f"table-{tag}" if tag in TABLE_PARTS else "").startswith("table-")


def is_in_line(values: Mapping[str, str], kind: str) -> bool:
    """Return whether a box stands in a line of the box around."""
    display = values.get("display", "inline")
    is_inline = display.startswith(("inline", "-webkit-inline")) or display in (UNKNOWN, *WIDE)
    return kind == "root" and is_inline


def kind_of(tag: str, values: Mapping[str, str]) -> str:
    """Return "inline", "contents", "block", "float" or "root": a box that contains its floats."""
    display = values.get("display", "")
    if tag == "html" and display != "none":
        return "root"
    if display == "contents":
        return display
    if values.get("position") in ("absolute", "fixed") or values.get("float", "none") not in ("none", *WIDE):
        return "float"
    if display == "none":
        return display
    if tag == "button":  # never inline
        display = "inline-block"
    elif display in ("initial", "unset"):
        display = "inline"
    elif display in ("", UNKNOWN, *WIDE):
        is_table = tag in TABLE_PARTS or tag == "body"
        display = "block" if tag in DISPLAYED_AS_BLOCKS else "table" if is_table else "inline"
    if display == "inline":
        return display
    clips = not _CONTAINING.isdisjoint(_overflows(values)) or (
        tag == "table" and display == "block" and "display" not in values
    )
    return "block" if display in ("block", "list-item") and not clips else "root"


def move(tag: str, values: Mapping[str, str], style: ComputedStyle, kind: str) -> ComputedStyle:
    """Account for margins, padding and offsets."""
    if PLACES.isdisjoint(values):
        return style
    is_static = values.get("position", "static") in ("static", "sticky", *WIDE - {"inherit"})
    is_absolute = values.get("position") in ("absolute", "fixed")
    place, room_px, moved = style.place, style.room_px, False
    # A small pull may take a line out of the window, a box that clips it, or the background that it needs.
    is_bound = style.clips or style.needs_background or bool(style.letters) or tag in ("html", "body")
    across_px, along_px = (0.0, 0.0) if is_bound else (_PULL_UP_PX, _OVERLAP_PX)
    for name in PLACES & values.keys():
        if values[name] in ("auto", *WIDE - {"inherit"}) or (name in OFFSETS and is_static):
            continue
        lengths = parse_lengths(values[name])
        if not lengths:
            place, moved = worst([place, MAYBE]), True
            continue
        px = sum(each.to_px(style.font_px, WINDOW_PX[0], style.root_px) for each in lengths)
        moved = moved or (name in ("top", "bottom") and "%" in values[name])  # of some height, or of none
        if name in ("right", "bottom"):  # from right to left, `left` yields to `right`
            px = -px if name == "right" or values.get("top", "auto") in ("auto", *WIDE) else 0.0
        if name.endswith("left"):
            room_px -= px
        pushes = name not in OFFSETS and not is_absolute and (kind == "inline" or not name.endswith("left"))
        is_right = name in ("margin-right", "padding-right")  # from right to left, these move the text
        if is_right or name == "margin-bottom" or (name == "margin-top" and kind == "inline"):
            far_px = _SEEN_PX if is_right else _FAR_PX
            moved = moved or not -(along_px if is_right else across_px) <= px < far_px
        elif not -OFF_PAGE_PX < px < _FAR_PX:
            is_sure = not pushes and len(lengths) == 1 and not (name == "right" and "left" in values)
            is_sure = is_sure and not (name in OFFSETS and values["position"] == UNKNOWN)
            place, moved = worst([place, "position" if is_sure else MAYBE]), moved or pushes
        elif name in OFFSETS or px < 0:
            moved = moved or abs(px) > (along_px if name.endswith(("left", "right")) else across_px)
        elif name == "padding-top" and kind == "inline":
            moved = moved or px > _OVERLAP_PX
    return replace(style, place=place, room_px=min(room_px, WINDOW_PX[0]), unchecked=style.unchecked or moved)


def _overflows(values: Mapping[str, str]) -> set[str]:
    return {values.get("overflow-x", "visible"), values.get("overflow-y", "visible")}


def is_clipping(values: Mapping[str, str]) -> bool:
    """Return whether a box clips what leaves it."""
    return not _overflows(values) <= {"visible", *WIDE - {"inherit"}}


def _clips_all(tag: str, values: Mapping[str, str]) -> bool:
    """Return whether a box clips both ways, and has no padding, which it doesn't clip."""
    padding = (
        each for name in ("padding-left", "padding-top") for each in parse_lengths(values.get(name, ""))
    )
    # Of two directions, one that isn't set clips if the other one does (CSS Overflow 3 section 3.1).
    is_both = {"visible", "inherit"}.isdisjoint([values.get("overflow-x"), values.get("overflow-y")])
    return is_both and tag not in _PADDED and not any(map(any, padding))


def clip(tag: str, values: Mapping[str, str], style: ComputedStyle, kind: str) -> ComputedStyle:
    """Account for a box of fixed size, and for one that clips what doesn't fit."""
    width_px = _extent(values, "width", style, style.width_px)
    height_px = _extent(values, "height", style, style.height_px)
    is_table = tag in TABLE_PARTS or tag == "table"
    display = values.get("display", f"table-{tag}" if is_table else "")
    is_cell = display.startswith(("table", "inline-table")) and display != "table-caption"
    if collapsed := _collapses(values, is_part=is_cell and tag in TABLE_PARTS and tag not in CELLS):
        style = replace(style, box=worst([style.box, collapsed]))
    is_cell = is_cell and kind != "float" and tag != "button"
    unchecked = (
        style.unchecked
        or height_px < 0
        or max(_lengths_px(values, style, "height")) >= _FAR_PX  # it pushes its own text, and what follows
        or "clip" in _overflows(values)  # its floats leave it
        or _is_too_wide(values, style)
        or (values.get("float") == "right" and 0 <= style.width_px < _NARROW_PX)  # it leaves it to the left
        or (kind == "inline" and _paints_over_lines(values, style))
        or (tag in TABLE_PARTS and _outline_px(values) > _OUTLINE_PX)  # over cells of several rows
        or (style.height_px == math.inf and style.needs_background and _is_share(values))
    )
    least_px = max(0.6 * style.font_px, EXTENT_MAX_PX) + (_BUTTON_EDGES_PX if tag == "button" else 0.0)
    is_low = height_px <= least_px
    if is_cell:
        height_px = math.inf  # it grows with its content, unless a flexible box around makes it a block
    if kind == "inline" and not is_clipping(values) and values.get("display") != "inherit":
        return replace(style, unchecked=unchecked)
    outer_px = style.height_px
    inner_px = max(_inner_width(tag, values, style, width_px), 0.0)
    is_known = width_px >= 0
    room_px = min(inner_px, WINDOW_PX[0]) if is_known else width_px
    style = replace(style, width_px=room_px, height_px=height_px, unchecked=unchecked)
    line_px = _line_px(tag, values, inner_px, is_cell=is_cell)
    style = replace(style, capacity=_capacity(values, style, line_px))
    if style.clips and inner_px < _LEAST_PX and (tag == "table" or not is_cell):
        style = replace(style, box=worst([style.box, MAYBE]))  # a box around may be as narrow
    if inner_px < _NARROW_PX and _may_be_left(values, style, is_cell=is_cell, is_known=is_known):
        style = replace(style, room_px=min(style.room_px, inner_px))  # long words leave it
    clips = is_clipping(values)
    if tag in ("html", "body"):  # what doesn't fit in the window can't be scrolled to
        unchecked |= clips and height_px < math.inf
        # The window has the overflow of the body, unless it has that of the page.
        return replace(style, clips=clips and (style.clips or tag == "html"), unchecked=unchecked)
    if not clips:
        return style
    verdict = ""
    if is_low or width_px <= least_px:
        # What is around may be wider than it says, as cells are.
        is_tiny = 0 <= min(width_px, height_px) <= EXTENT_MAX_PX and not SIZES.isdisjoint(values)
        is_tiny = is_tiny and "min-content" not in (values.get("width"), values.get("max-width"))
        is_tiny = is_tiny and not any(
            any(_lengths_px(values, style, f"min-{side}")) for side in ("width", "height")
        )
        verdict = (
            "extent" if is_tiny and kind != "inline" and not is_cell and _clips_all(tag, values) else MAYBE
        )
    if style.layout:
        style = replace(style, unchecked=True)
    if is_cell and style.nowrap:  # how wide it is, other rows and columns decide
        style = replace(style, capacity=0)
    is_unsure = (outer_px == math.inf and _is_share(values)) or _is_sliver(values, style, width_px)
    if outer_px <= EXTENT_MAX_PX or style.capacity == 0 or is_unsure:
        verdict = verdict or MAYBE
    return replace(
        style,
        box=worst([style.box, verdict]),
        clips=True,
        clipped=style.clipped or style.capacity is not None,
        room_px=min(style.room_px, inner_px),
    )


def _may_be_left(values: Mapping[str, str], style: ComputedStyle, *, is_cell: bool, is_known: bool) -> bool:
    """Return whether long words in a narrow box may leave a background that they need."""
    if is_cell and not (is_known and "max-width" in values):
        return False
    is_edge = not _PAINTED.isdisjoint(values) and style.backgrounds != style.seen_backgrounds
    return style.needs_background or (is_known and is_edge)


def _paints_over_lines(values: Mapping[str, str], style: ComputedStyle) -> bool:
    """Return whether a line of an inline element may cover the one above it."""
    shadow_px = sum(map(float, re.findall(r"([\d.]+)px", values.get("box-shadow", ""))))
    edges_px = max(shadow_px, _border_px(values, style, "top", "bottom"))
    return edges_px > _EDGES_PX or _outline_px(values) > _OUTLINE_PX


def _outline_px(values: Mapping[str, str]) -> float:
    written = " ".join(values.get(name, "") for name in ("outline", "outline-width"))
    return max(map(float, re.findall(r"[\d.]+", written)), default=0.0)


def _collapses(values: Mapping[str, str], *, is_part: bool) -> str:
    """Judge the collapse of table parts, whatever their cells say."""
    if values.get("visibility") != "collapse":
        return ""
    is_row = values.get("display", "").startswith("table-row")
    return "visibility" if is_part else MAYBE if is_row else ""


def _is_share(values: Mapping[str, str]) -> bool:
    """Return whether a height is a part of another, which grids and tables fix without saying so.

    The height of a table comes from its cells' content, in which a whole of a box that scrolls counts as 0.
    """
    is_scrolling = is_clipping(values) and not _overflows(values) <= {"hidden", "clip"}
    written = {name: value for name in ("height", "max-height") if "%" in (value := values.get(name, ""))}
    if is_scrolling and "height" in written:
        return True
    return any(each.whole < 1 for value in written.values() for each in parse_lengths(value))


def _is_sliver(values: Mapping[str, str], style: ComputedStyle, width_px: float) -> bool:
    """Return whether a width is a small part, or a part of parts, of one that may come from the content.

    Then the content may be a word of two letters.
    """
    least = max(_SLIVER, EXTENT_MAX_PX / max(2 * style.letter_px, 1.0))
    widths = (each.whole for name in ("width", "max-width") for each in parse_lengths(values.get(name, "")))
    return any(0 < min(whole, width_px / WINDOW_PX[0]) <= least for whole in widths if 0 < whole < 1)


def _inner_width(tag: str, values: Mapping[str, str], style: ComputedStyle, width_px: float) -> float:
    """Return what margins, borders and padding leave of the width of a box."""
    margins, padding = (
        sum(max(0.0, *_lengths_px(values, style, f"{name}-{side}")) for side in ("left", "right"))
        for name in ("margin", "padding")
    )
    indented = "padding-left" if tag in _PADDED else "margin-left"
    if indented not in values:
        margins += INDENTS_PX.get(tag, 0.0)
    return min(width_px, style.width_px - margins) - padding - _border_px(values, style, "left", "right")


def _line_px(tag: str, values: Mapping[str, str], inner_px: float, *, is_cell: bool) -> float:
    """Return how long the lines of a box can be. A cell grows with them; a caption may be one word wide."""
    if is_caption(tag, values):
        return min(inner_px, _LEAST_PX)
    return math.inf if is_cell and "max-width" not in values else inner_px


def _capacity(values: Mapping[str, str], style: ComputedStyle, width_px: float) -> int | None:
    """Return how many characters surely fit into a box; None if it grows with them."""
    per_line = max(width_px - max(style.indent_px, 0.0), 0.0) / (style.letter_px or 1.0)
    found = [int(per_line)] if style.nowrap and per_line < math.inf else []
    if style.height_px < math.inf:
        edges = ("padding-top", "padding-bottom")
        padding_px = sum(max(0.0, *_lengths_px(values, style, name)) for name in edges)
        bars_px = 0.0 if {"scroll", "auto"}.isdisjoint(_overflows(values)) else _BAR_PX
        height_px = style.height_px - padding_px - bars_px - _border_px(values, style, "top", "bottom")
        line_px = style.line_height.to_px(style.font_px, style.font_px, style.root_px)
        lines = max(height_px, 0.0) / max(line_px, FONT_MIN_PX)
        found.append(int(max(lines, 1.0) * per_line) if lines >= 0.5 else 0)
    if "border-radius" in values and _is_round(values, style):
        names = ("height", "min-height", "padding-top", "padding-bottom")
        height_px = max(max(_lengths_px(values, style, name)) for name in names)
        is_button = values["border-radius"].endswith("px") and height_px <= _BUTTON_PX
        found.append(_BUTTON_CHARS if is_button and " " not in values["border-radius"] else 0)
    return min(found, default=None)


def _is_round(values: Mapping[str, str], style: ComputedStyle) -> bool:
    """Return whether the corners of a box take words away: padding keeps text out of them."""
    inset_px = min(least_px(values, style, "padding-left"), least_px(values, style, "padding-top"))
    return max(_lengths_px(values, style, "border-radius")) > _ROUND_PX + 3 * inset_px


def _lengths_px(values: Mapping[str, str], style: ComputedStyle, name: str) -> list[float]:
    """Return the lengths that a property has, in pixels: 0 for words such as `auto`, infinite if unknown."""
    if (written := values.get(name)) is None:
        return [0.0]
    if written in (UNKNOWN, "inherit"):
        return [math.inf]
    parts = [written] if "(" in written else written.replace(" / ", " ").split(" ")
    found = map(parse_lengths, parts)
    return [
        sum(each.to_px(style.font_px, style.width_px, style.root_px) for each in lengths) for lengths in found
    ]


def least_px(values: Mapping[str, str], style: ComputedStyle, name: str) -> float:
    """Return how much a property with one length surely takes, in pixels: 0 for words, or if unknown."""
    lengths = parse_lengths(values.get(name, ""))
    return min((each.to_px(style.font_px, style.width_px, style.root_px) for each in lengths), default=0.0)


def _border_px(values: Mapping[str, str], style: ComputedStyle, *sides: str) -> float:
    """Return how much of a box its borders on two sides may take."""
    names = ["border", "border-width", *(f"border-{side}{part}" for side in sides for part in ("", "-width"))]
    if values.keys().isdisjoint(names):
        return 0.0
    written = re.findall(r"\d[\d.]*[a-z]+", " ".join(values.get(name, "") for name in names))
    lengths = [length for each in written if (length := parse_length(each)) is not None]
    return 2 * max((each.to_px(style.font_px, root_px=style.root_px) for each in lengths), default=0.0)


def _is_too_wide(values: Mapping[str, str], style: ComputedStyle) -> bool:
    """Return whether a box is wider than the one around it, which clips it or lies behind its text."""
    is_narrow = style.width_px < _NARROW_PX and style.needs_background
    if values.get("float") == "right" and style.width_px >= 0:  # it leaves the box to the left
        is_narrow = True
    around_px = style.width_px if is_narrow else _WIDE_PX if style.room_px > _SEEN_PX else 1.5 * style.room_px
    widest = [each for name in ("width", "min-width") for each in parse_lengths(values.get(name, ""))]
    limit_px = max(around_px, 0.0)
    return UNKNOWN in (values.get("width"), values.get("min-width")) or any(
        each.whole > 1 or each.to_px(style.font_px, 0.0, style.root_px) > limit_px for each in widest
    )


def _extent(values: Mapping[str, str], name: str, style: ComputedStyle, whole_px: float) -> float:
    """Return how wide or high a box can be, in pixels; less than 0 if that isn't known."""
    found = [whole_px if name == "width" else math.inf]
    for value in (values.get(name, "auto"), values.get(f"max-{name}", "none")):
        if value == "min-content" and name == "width":  # of a word or a letter
            found.append(0.0)
        lengths = parse_lengths(value)
        if lengths and not ("%" in value and whole_px == math.inf):
            found += [each.to_px(style.font_px, whole_px, style.root_px) for each in lengths]
        elif value in (UNKNOWN, "inherit"):
            found.append(-1.0)
    return min(found)
