"""The computed style of an element, as far as it decides whether people see the text in it.

`compute_style` makes an element's style from its declarations and its parent's style. Most
properties are one row of `values.ROWS`. The rest work together: `painting` has colours, `boxes`
sizes and offsets.

No layout is done. What moves a box, draws over others or opens a hole in a background can hide
text anywhere in the document; it sets `unchecked` and is not followed.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from mailmcp.mail.html.hidden.boxes import (
    INDENTS_PX,
    OFF_PAGE_PX,
    clip,
    is_clipping,
    is_in_line,
    is_table_part,
    kind_of,
    least_px,
    move,
)
from mailmcp.mail.html.hidden.colour import is_readable
from mailmcp.mail.html.hidden.painting import RAISED, is_odd_box, paint
from mailmcp.mail.html.hidden.style import (
    COLOURS,
    FONT_MAX_PX,
    FONT_SHOWN_PX,
    NORMAL_LINE,
    ComputedStyle,
    worst,
)
from mailmcp.mail.html.hidden.values import (
    INHERITING,
    LOW_LINE,
    MAYBE,
    NUMBER,
    OFFSETS,
    PLACES,
    ROWS,
    TRANSITIONS,
    UNKNOWN,
    WIDE,
    WINDOW_PX,
    Length,
    is_relative,
    parse_font_size,
    parse_length,
    parse_lengths,
    parse_opacity,
)
from mailmcp.mail.html.tags import DISPLAYED_AS_BLOCKS, TABLE_PARTS

_OPACITY_MIN: Final = 0.1
_SPREAD_MAX: Final = 4.0  # lengths in `em` are computed from the least that a font size may be
_SPREAD_MIN: Final = 1.3  # from which that makes a difference to offsets
_RELATIVE_MIN_PX: Final = 6.0  # to which Chromium raises relative font sizes, with their `ex` and `ch`
_SHIFTS: Final = OFFSETS | {"margin-left", "padding-left", "text-indent"}
_EM: Final = re.compile(r"\d(?:em|ex|ch)")
_LENGTHS: Final = re.compile(rf"{NUMBER}[a-z%]+")
_LINE_MAX_PX: Final = 1_000.0  # pictures have 300, to show their alternative text in the middle
_INDENT_PX: Final = (-24.0, 100.0)  # a short first line stays in the window
_HANGING_MAX_PX: Final = 100.0  # how far a first line may hang out into a margin, as in lists
_LIST_INDENT_PX: Final = 40.0  # of lists and quotations, which counts where there is little room
_NARROW_PX: Final = 300.0
_OWN: Final = {name for name, row in ROWS.items() if not row.inherited}
_INHERITED: Final = (ROWS.keys() - _OWN) | {"text-indent"}
_SMEARS: Final = {name for name, row in ROWS.items() if row.inherited and row.moves}
_COVERS: Final = frozenset(
    {"transform", "scale", "translate", "rotate", "zoom", "filter", "animation", "animation-name"}
    | {"offset", "offset-path"}
    | TRANSITIONS
)
"""Properties that may hide the text in an element, and cover text elsewhere."""

_BOX_ONLY: Final = frozenset({"content-visibility", "transform", "scale"})
_CANVAS: Final = {
    "html": frozenset({"background-color", "background-image", "contain"}),
    "body": frozenset({"contain"}),
}
"""What keeps the body's background from being that of the page (CSS Backgrounds 3 section 2.11.2)."""

_AFTER_MARGIN: Final = frozenset({"background-color", "background-image", "overflow-x", "overflow-y"})
_SPACINGS: Final = ("letter-spacing", "word-spacing")
_SPACED: Final = frozenset(_SPACINGS)
_RESIZING: Final = frozenset({"display", "height", "line-height", "margin-top", "padding-top", "float"})


def compute_style(
    tag: str, values: Mapping[str, str], parent: ComputedStyle, soft: frozenset[str] = frozenset()
) -> ComputedStyle:
    """Compute the style of an element from its cascaded values.

    Args:
        tag: Name of the element.
        values: By property.
        parent: Style of the parent.
        soft: Properties that may be inherited instead, so that their values undo nothing.
    """
    if is_odd := is_odd_box(tag, values):
        parent = replace(
            parent, backgrounds=parent.seen_backgrounds, block_backgrounds=parent.seen_backgrounds
        )
    if (
        not values
        and not parent.letters
        and not (parent.layout or parent.low_line)
        and tag not in INDENTS_PX
        and (
            parent.block_backgrounds == parent.backgrounds
            or not (tag in DISPLAYED_AS_BLOCKS or tag in TABLE_PARTS)
        )
    ):
        return parent
    font_px, most_px = parent.font_px, parent.most_px
    if "font-size" in values:
        font_px, most_px = _font_sizes(values["font-size"], parent, is_soft="font-size" in soft)
    kind = kind_of(tag, values)
    if parent.layout == "items" and (kind == "inline" or is_table_part(tag, values)):
        kind = "float"  # items of flexible boxes and grids are boxes, whatever they are elsewhere
    if tag in RAISED and kind == "inline" and LOW_LINE.fullmatch(values.get("line-height", "")):
        # In a line no height is too small: resets such as normalize.css give these none, to keep lines even.
        values = {name: value for name, value in values.items() if name != "line-height"}
        parent = replace(parent, low_line=True)
    if tag in _CANVAS:
        has_canvas = parent.has_canvas or not _CANVAS[tag].isdisjoint(values)
        parent = replace(parent, has_canvas=has_canvas)
        if tag == "html":
            parent = replace(parent, root_px=font_px)
        elif has_canvas and kind == "root":
            kind = "block"  # which floats leave
    own = {name: _judge_own(name, values, kind) for name in _OWN & values.keys()}
    opacity = parse_opacity(values.get("opacity", "initial"))
    total = parent.opacity * (1.0 if opacity is None else opacity)
    faded = MAYBE if opacity is None else "opacity" if total < _OPACITY_MIN else ""
    if kind == "contents" and total != parent.opacity:  # there is no box to fade
        total, faded = parent.opacity, MAYBE
    around = _judge_line(values, parent, kind) if parent.inherited or parent.indent_px < 0 else parent.box
    leading = _line_height(values.get("line-height", ""), font_px, parent.root_px)
    indents = parse_lengths(values.get("text-indent", ""))
    indent = _judge_indent(tag, values, parent, font_px, kind) if "text-indent" in values else ""
    white_space, display = values.get("white-space", "inherit"), values.get("display", "")
    style = replace(
        parent,
        font_px=font_px,
        most_px=most_px,
        line_height=leading or parent.line_height,
        white_space=parent.white_space if white_space in INHERITING else white_space,
        spacing_px=_spacing(values, parent, most_px, soft) if _SPACED & values.keys() else parent.spacing_px,
        indent_px=_sum_px(indents, font_px, parent) if indents else parent.indent_px,
        opacity=total,
        inherited=_judge_inherited(values, parent, kind, soft, indent),
        box=worst([faded, *(own[name] for name in own if not ROWS[name].moves), around]),
        floats=parent.floats or kind == "float",
        layout=_layout_of(tag, display, parent) if display else "",
        capacity=None,
        unchecked=values.get("line-height") == UNKNOWN
        or (leading is not None and leading.to_px(font_px, font_px, parent.root_px) > _LINE_MAX_PX)
        or most_px > min(_SPREAD_MAX * font_px, FONT_MAX_PX)
        or (most_px > _SPREAD_MIN * font_px and (tag == "html" or _is_shifted(values)))
        or any(verdict for name, verdict in own.items() if ROWS[name].moves)
        or MAYBE in map(own.get, _COVERS)
        or indent == MAYBE  # pictures
        or any(ROWS[name].judge(values[name]) for name in _SMEARS & values.keys())
        or (parent.layout and is_clipping(values))
        or (
            parent.clipped
            and kind != "none"
            and (font_px > parent.font_px or not _RESIZING.isdisjoint(values))
        ),
    )
    if kind == "contents":  # without a box of its own
        return paint(tag, values, style, kind)
    style = paint(tag, values, move(tag, values, style, kind), kind, font_px / max(parent.font_px, 1.0))
    style = clip(tag, values, style, kind)
    if tag in INDENTS_PX and style.room_px < _NARROW_PX:
        style = replace(style, room_px=style.room_px - _LIST_INDENT_PX)
    return replace(style, backgrounds=style.seen_backgrounds) if is_odd else style


def _font_sizes(value: str, parent: ComputedStyle, *, is_soft: bool) -> tuple[float, float]:
    """Return the least and the greatest that a font size may be."""
    sizes = parse_font_size(value)
    least_px = min(
        (each.to_px(parent.font_px, parent.font_px, parent.root_px) for each in sizes), default=parent.font_px
    )
    sums: list[Iterable[Length]] = [sizes]
    if "(" in value:
        sums = [filter(None, map(parse_length, _LENGTHS.findall(each))) for each in value.split(",")]
    most_px = max(
        sum(each.to_px(parent.most_px, parent.most_px, parent.root_px) for each in terms) for terms in sums
    )
    if least_px > 0 and any(each.em or each.whole for each in sizes):
        most_px = max(most_px, _RELATIVE_MIN_PX)
    if value == UNKNOWN:
        most_px = 2 * FONT_MAX_PX
    if is_soft or value in (UNKNOWN, *INHERITING):
        least_px, most_px = min(least_px, parent.font_px), max(most_px, parent.most_px)
    return least_px, most_px


def _is_shifted(values: Mapping[str, str]) -> bool:
    """Return whether a box or a line is moved by a share of its font size."""
    return any(
        _EM.search(values[name]) and (name in _SHIFTS or "-" in values[name])
        for name in (PLACES | {"text-indent"}) & values.keys()
    )


def _judge_own(name: str, values: Mapping[str, str], kind: str) -> str:
    """Judge a property that isn't inherited; some do nothing to inline elements, or to static ones."""
    if name == "clip" and values.get("position") not in ("absolute", "fixed", UNKNOWN):
        return ""
    verdict = ROWS[name].judge(values[name])
    if name in ("clip", "display", "float") and values[name] == "inherit":
        return MAYBE  # the parent may be of another kind
    return MAYBE if verdict and name in _BOX_ONLY and kind in ("inline", "contents") else verdict


def _judge_inherited(
    values: Mapping[str, str], parent: ComputedStyle, kind: str, soft: frozenset[str], indent: str
) -> frozenset[tuple[str, str]]:
    """Judge the inherited properties of an element; those of its parent hold as well.

    Args:
        values: By property.
        parent: Style of the parent.
        kind: Of box.
        soft: Properties that may be inherited instead.
        indent: The verdict on `text-indent`, if the element has one.
    """
    found = dict(parent.inherited)
    for name in values.keys() & (_INHERITED | COLOURS | {"font-size"}):
        value, around = values[name], found.get(name, "")
        if value in INHERITING:
            continue
        if name in ROWS:
            found[name] = ROWS[name].judge(value)
            if value in ("collapse", UNKNOWN):  # rows and columns inherit it, whatever their cells say
                found["collapse"] = MAYBE
        elif name == "text-indent":
            found[name] = indent
        elif value == UNKNOWN:
            found[name] = MAYBE
        elif name != "font-size" or not is_relative(value):
            found[name] = ""  # whatever is around
        is_unread = name in COLOURS and not is_readable(parent.fill or parent.colour, parent.backgrounds)
        if is_unread or (name == "font-size" and parent.font_px < FONT_SHOWN_PX):
            around = MAYBE
        # Only boxes have a first line that is indented: inline elements keep that of the box around.
        is_idle = name == "text-indent" and (kind in ("inline", "contents") or is_in_line(values, kind))
        if (name in soft and around) or (is_idle and found[name] != around):
            found[name] = MAYBE
    if (parent.low_line or parent.indent_px < _INDENT_PX[0]) and kind not in ("inline", "contents"):
        found |= _judge_block(values, parent)
    return frozenset(item for item in found.items() if item[1])


def _judge_block(values: Mapping[str, str], parent: ComputedStyle) -> dict[str, str]:
    """Judge a block that inherits low lines or a negative indent, harmless to the elements around it."""
    found = {}
    if parent.low_line and values.get("line-height", "inherit") in INHERITING:
        found["line-height"] = MAYBE
    if not _AFTER_MARGIN.isdisjoint(values):  # the room for an indent is outside of what it paints or clips
        found["text-indent"] = MAYBE
    return found


def _layout_of(tag: str, display: str, parent: ComputedStyle) -> str:
    """Return how an element with a `display` lays out its children, as `ComputedStyle.layout` says."""
    found = "items" if display.endswith(("flex", "grid")) else "box" if display.endswith("box") else ""
    if display == "contents":
        found = parent.layout
    return "box" if found and tag == "details" else found


def _sum_px(lengths: Iterable[Length], font_px: float, parent: ComputedStyle) -> float:
    return sum(each.to_px(font_px, parent.width_px, parent.root_px) for each in lengths)


def _judge_line(values: Mapping[str, str], parent: ComputedStyle, kind: str) -> str:
    """Judge the boxes around, and the line that a box stands in, which they may have indented."""
    # A box in a line is indented itself, too.
    is_pulled = "text-indent" in dict(parent.inherited) or 2 * parent.indent_px < _INDENT_PX[0]
    return worst([parent.box, MAYBE]) if is_pulled and is_in_line(values, kind) else parent.box


def _spacing(
    values: Mapping[str, str], parent: ComputedStyle, font_px: float, soft: frozenset[str]
) -> tuple[float, float]:
    """Compute the space between letters and words; text inside inherits it in pixels, whatever its size.

    Args:
        values: By property.
        parent: Style of the parent.
        font_px: The greatest that the font size may be.
        soft: Properties that may be inherited instead.
    """
    found = list(parent.spacing_px)
    for at, name in enumerate(_SPACINGS):
        if (value := values.get(name, "inherit")) not in INHERITING:
            length = parse_length(value)
            px = length.to_px(font_px, root_px=parent.root_px) if length else 0.0
            found[at] = min(px, found[at]) if name in soft else px
    return found[0], found[1]


def _judge_indent(
    tag: str, values: Mapping[str, str], parent: ComputedStyle, font_px: float, kind: str
) -> str:
    """Judge `text-indent`; the element's own margin makes room for one to the left, as in lists.

    Its background and what it clips begin after the margin.
    """
    lengths = parse_lengths(values["text-indent"])
    if not lengths:
        return "" if values["text-indent"] == "initial" else MAYBE
    has_edge = not _AFTER_MARGIN.isdisjoint(values)
    edges = ["padding-left"] if has_edge else ["margin-left", "padding-left"]
    style = replace(parent, font_px=font_px)
    room_px = sum(least_px(values, style, edge) for edge in edges)
    indent_px = sum(each.to_px(font_px, WINDOW_PX[0], parent.root_px) for each in lengths)
    # Parts of tables have no margins or no padding, inline elements have none for the blocks in them, and
    # what 100 % is isn't known.
    is_table = tag == "table" or tag in TABLE_PARTS or "table" in values.get("display", "")
    has_room = not is_table and kind not in ("inline", "contents")
    is_vague = any("%" in values.get(edge, "") for edge in edges)
    hanging_px = min(max(room_px, 0.0), _HANGING_MAX_PX) if has_room and not is_vague else 0.0
    slack_px = 0.0 if parent.clips or has_edge else _INDENT_PX[0]
    if slack_px - hanging_px <= indent_px <= _INDENT_PX[1]:
        return ""
    is_sure = not is_vague and all(
        len(parse_lengths(values.get(edge, "0").replace("auto", "0"))) == 1 for edge in edges
    )
    return "position" if is_sure and indent_px + room_px <= -OFF_PAGE_PX else MAYBE


def _line_height(value: str, font_px: float, root_px: float) -> Length | None:
    """Read a `line-height` as it is inherited: a number as such, anything else in pixels."""
    if value == "normal" or value in WIDE:
        return None if value in INHERITING else NORMAL_LINE
    if (length := parse_length(value)) is not None:
        return Length(px=length.to_px(font_px, font_px, root_px))
    return parse_length(value, "em")
