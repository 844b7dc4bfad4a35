"""What a style makes of the text in an element: a state out of the one around it.

Properties whose value alone decides are a table of `html.values`; here are those that work together:
sizes, places, boxes that cut, colours.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mailmcp.mail.html.hidden.colour import (
    BLACK,
    WHITE,
    Colour,
    judge_contrast,
    lay_over,
    parse_colour,
    parse_image,
)
from mailmcp.mail.html.hidden.state import OFF_PAGE_PX, State, worst
from mailmcp.mail.html.hidden.values import (
    INHERITING,
    LEFT,
    MAYBE,
    UNKNOWN,
    UP,
    WIDE,
    WINDOW_PX,
    WORDS,
    parse_font_size,
    parse_length,
    parse_opacity,
)
from mailmcp.mail.html.tags import BLOCKS, TABLE_PARTS

OPACITY_MIN: Final = 0.1
"""Below it text is not seen, whatever its colour."""

_EXTENT_MAX_PX: Final = 2.0  # no letter fits
_LIFTED_PX: Final = 10.0  # further moved, a box may lie over others
_BACKGROUNDS_MAX: Final = 8
_OFFSETS: Final = frozenset({"left", "top", "right", "bottom"})
_BOXES: Final = frozenset({"content-visibility", "transform", "-webkit-transform", "scale"})
_RAISED: Final = frozenset({"sub", "sup"})
"""In a line no height is too small: resets such as normalize.css give these none, to keep lines even."""

_OWN: Final = frozenset(name for name, row in WORDS.items() if not row.inherited)
_INHERITED: Final = (WORDS.keys() - _OWN) | {"font-size", "text-indent", "color", "-webkit-text-fill-color"}
_PLACES: Final = frozenset({*LEFT, *UP, "text-indent", "opacity", "position"})
_EXTENTS: Final = frozenset(
    {"width", "height", "max-width", "max-height", "overflow-x", "overflow-y", "visibility"}
)
_SIZED: Final = ("background-size", "background-position")
_PAINTS: Final = frozenset(
    {"color", "-webkit-text-fill-color", "background-color", "background-image", "background-clip"}
    | {"-webkit-background-clip", "box-shadow", "text-shadow", "position", "float"}
)


def inherit(tag: str, values: Mapping[str, str], outer: State) -> State:
    """Find what the children of an element inherit, and what its own box does."""
    if not values:
        return outer
    if tag in _RAISED and "line-height" in values:
        values = {name: value for name, value in values.items() if name != "line-height"}
    size = parse_font_size(values.get("font-size", ""))
    font_px = size.to_px(outer.font_px, outer.font_px, outer.root_px) if size else outer.font_px
    is_box = _is_box(tag, values)
    own = (_judge_own(name, values, is_box=is_box) for name in _OWN & values.keys())
    state = replace(
        outer,
        font_px=font_px,
        root_px=font_px if tag == "html" else outer.root_px,
        inherited=_judge_inherited(values, outer),
        box=worst([outer.box, *own]),
        room=None,
    )
    return _cut(tag, values, _paint(tag, values, _place(values, state)), is_box=is_box)


def _is_box(tag: str, values: Mapping[str, str]) -> bool:
    """Tell whether an element is certainly a box of its own: what is in a line has no extent."""
    lifted = values.get("position") in ("absolute", "fixed") or "float" in values
    usual = "block" if lifted or tag in BLOCKS or tag in TABLE_PARTS else "inline"
    return values.get("display", usual) not in ("inline", "contents", UNKNOWN, *WIDE)


def _judge_own(name: str, values: Mapping[str, str], *, is_box: bool) -> str:
    """Judge a property that is not inherited; some say nothing of what is in a line, or in its place."""
    if name == "clip" and values.get("position") not in ("absolute", "fixed", UNKNOWN):
        return ""
    verdict = WORDS[name].judge(values[name])
    return MAYBE if verdict and name in _BOXES and not is_box else verdict


def _judge_inherited(values: Mapping[str, str], outer: State) -> frozenset[tuple[str, str]]:
    """Judge the inherited properties of an element; those of the element around it hold as well."""
    found = dict(outer.inherited)
    for name in values.keys() & _INHERITED:
        value = values[name]
        if name in WORDS:
            found[name] = found.get(name, "") if value in INHERITING else WORDS[name].judge(value)
        elif value == UNKNOWN:
            found[name] = MAYBE
        elif value not in INHERITING and not (name == "font-size" and value.endswith(("em", "%", "er"))):
            found.pop(name, None)  # whatever is around
    return frozenset(item for item in found.items() if item[1])


def _place(values: Mapping[str, str], state: State) -> State:
    """Reckon how the content of a box is moved, and made transparent."""
    if _PLACES.isdisjoint(values):
        return state
    position = values.get("position", "static")
    names = {*LEFT, *UP} - (_OFFSETS if position in ("static", *WIDE) else set())
    shifts = {
        name: parse_length(values[name])
        for name in names & values.keys()
        if values[name] not in ("auto", *WIDE)
    }
    px = {
        name: each.to_px(state.font_px, WINDOW_PX[0], state.root_px) for name, each in shifts.items() if each
    }
    for name, other in (("right", "left"), ("bottom", "top")):
        if name in px:
            px[name] = -px[name] if abs(px[name]) >= OFF_PAGE_PX and other not in px else 0.0
    x, y = sum(px.get(name, 0.0) for name in LEFT), sum(px.get(name, 0.0) for name in UP)
    opacity = parse_opacity(values.get("opacity", "initial"))
    total = state.opacity * (1.0 if opacity is None else opacity)
    indent = parse_length(values.get("text-indent", ""))
    moved = max(abs(px.get(name, 0.0)) for name in _OFFSETS) > _LIFTED_PX
    lifted = position not in ("static", "relative", *WIDE) or px.get("margin-top", 0.0) <= -_LIFTED_PX
    return replace(
        state,
        opacity=total,
        x=state.x + x,
        y=state.y + y,
        indent=indent.to_px(state.font_px, WINDOW_PX[0], state.root_px) if indent else state.indent,
        lifted=state.lifted or lifted or moved,
        box=worst(
            [
                state.box,
                MAYBE if opacity is None or None in shifts.values() else "",
                "opacity" if total < OPACITY_MIN else "",
            ]
        ),
    )


def _paint(tag: str, values: Mapping[str, str], state: State) -> State:
    """Reckon with colours: of the text, and of what lies behind it."""
    if _PAINTS.isdisjoint(values):
        return replace(state, painted=False, covers=False)
    colour = state.colour
    if (written := values.get("color", "inherit")) not in INHERITING:
        colour = BLACK if written == "initial" else parse_colour(written) or colour
    written = values.get("-webkit-text-fill-color", "inherit")
    fill = state.fill if written in INHERITING else parse_colour(written)
    written = values.get("background-color", "initial")
    upper = fill or colour if written == "currentcolor" else parse_colour(written)
    image = values.get("background-image", "none")
    stops = None if image in ("none", *WIDE) else parse_image(image)
    opaque, is_picture = upper is not None and upper.alpha == 1, stops == ()
    backgrounds = _over(stops or (), _over((upper,) if upper else (), state.backgrounds))
    if UNKNOWN in [written, image, values.get("box-shadow"), *(map(values.get, _SIZED) if stops else ())]:
        backgrounds = (None,)
    elif not opaque and _floats(values, state):
        backgrounds = (*backgrounds, WHITE)  # the boxes around may not reach where it lies
    shadowed = values.get("text-shadow", "none") not in ("none", *WIDE)
    painted = replace(
        state,
        colour=colour,
        fill=fill,
        backgrounds=backgrounds[:_BACKGROUNDS_MAX],
        helped=(state.helped and not opaque) or is_picture or shadowed,
        holds_floats=tag in TABLE_PARTS or _cuts(values) if opaque else state.holds_floats,
        painted=opaque,
        covers=state.lifted and (opaque or stops is not None),
    )
    if "text" in map(values.get, ("background-clip", "-webkit-background-clip")):
        return _paint_letters(painted, state)
    return painted


def _floats(values: Mapping[str, str], state: State) -> bool:
    return values.get("position") in ("absolute", "fixed") or ("float" in values and not state.holds_floats)


def _paint_letters(state: State, outer: State) -> State:
    """Reckon with letters that are painted with the background, where they are transparent."""
    if (state.fill or state.colour).alpha == 1:
        return replace(state, backgrounds=outer.backgrounds)
    known = [each or WHITE for each in state.backgrounds]
    fill = next((each for each in known if not judge_contrast(each, outer.backgrounds)), known[0])
    helped = state.helped or None in state.backgrounds
    return replace(state, fill=fill, backgrounds=outer.backgrounds, helped=helped)


def _over(upper: tuple[Colour, ...], lower: tuple[Colour | None, ...]) -> tuple[Colour | None, ...]:
    """Lay the colours of one layer over what may be behind it."""
    found = [
        each if each.alpha == 1 else None if below is None else lay_over(each, below)
        for each in upper
        for below in lower
    ]
    return tuple(dict.fromkeys(found)) or lower


def _cuts(values: Mapping[str, str]) -> bool:
    return any(
        values.get(name, "visible") not in ("visible", *WIDE - {"inherit"})
        for name in ("overflow-x", "overflow-y")
    )


def _cut(tag: str, values: Mapping[str, str], state: State, *, is_box: bool) -> State:
    """Reckon with a box that has an extent of its own, and may cut off what does not fit in it."""
    if _EXTENTS.isdisjoint(values):
        return state
    width, height = (
        min(_extent(values, name, state), _extent(values, f"max-{name}", state))
        for name in ("width", "height")
    )
    is_cell = (tag in TABLE_PARTS or tag == "table") and values.get("display", "table")[:5] == "table"
    if is_cell:
        height = math.inf  # it grows with its content
        if values.get("visibility") in ("hidden", "collapse") and tag not in ("td", "th"):
            return replace(state, box="visibility")  # whatever its cells say
    across, down = (values.get(name, "visible") for name in ("overflow-x", "overflow-y"))
    if down == "clip" and across in ("visible", *WIDE):
        width = math.inf  # it cuts in one direction alone
    if across == "clip" and down in ("visible", *WIDE):
        height = math.inf
    if not _cuts(values):
        room = (width, height) if state.painted and width != height else None
        return replace(state, tight=state.tight or min(width, height) <= _EXTENT_MAX_PX, room=room)
    verdict = MAYBE if state.tight else ""
    if min(width, height) <= max(0.6 * state.font_px, _EXTENT_MAX_PX):
        padded = any(
            any(parse_length(values.get(name, "")) or ()) for name in ("padding-left", "padding-top")
        )
        surely = is_box and not is_cell and not padded  # what pads a box is not cut off
        verdict = "extent" if surely and 0 <= min(width, height) <= _EXTENT_MAX_PX else MAYBE
    return replace(
        state,
        box=worst([state.box, verdict]),
        room=None if width == height else (width, height),
        right=min(state.right, state.x + max(width, 0.0)),
        bottom=min(state.bottom, state.y + max(height, 0.0)),
    )


def _extent(values: Mapping[str, str], name: str, state: State) -> float:
    """Compute how wide or high a box is at most; less than 0 if that is not known."""
    value = values.get(name, "auto")
    length = parse_length(value)
    if length is None:
        return -1.0 if value in (UNKNOWN, "inherit") else math.inf
    return math.inf if length.whole else length.to_px(state.font_px, 0.0, state.root_px)
