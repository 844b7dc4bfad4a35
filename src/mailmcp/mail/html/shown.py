"""What a style makes of the text in an element: the state that children inherit, and its verdict.

A verdict is "" where text is shown, the name of a technique where it is certainly hidden, and MAYBE
where it is not known to be shown. Properties whose value alone decides are tables of `html.values`;
here are those that work together: sizes, places, boxes that cut, colours.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from mailmcp.mail.html.colour import BLACK, WHITE, Colour, judge_contrast, lay_over, parse_colour, parse_image
from mailmcp.mail.html.length import FONT_PX, WINDOW_PX, parse_length
from mailmcp.mail.html.tags import BLOCKS, TABLE_PARTS
from mailmcp.mail.html.values import (
    INHERITING,
    LEFT,
    MAYBE,
    RANGES,
    UNKNOWN,
    UP,
    WIDE,
    WORDS,
    Transform,
    font_length,
    parse_share,
    parse_transform,
)

OPACITY_MIN: Final = 0.1
"""Below it text is not seen, whatever its colour."""

FONT_MIN_PX: Final = 3.0
"""Small print is 8 and more; preheaders are 0 or 1."""

_FONT_SHOWN_PX: Final = (5.0, 300.0)
_OPACITY_SHOWN: Final = 0.2
_EXTENT_MAX_PX: Final = 2.0  # no letter fits
_OFF_PAGE_PX: Final = 500.0  # to the left or above, where no one can scroll
_FAR_PX: Final = 5_000.0  # to the right or below
_WHOLE_PX: Final = WINDOW_PX[0]  # what 100 % is taken for, where it is a width of the page
_CELLS: Final = frozenset({"table", "tbody", "thead", "tfoot", "tr", "td", "th"})
_LIFTED_PX: Final = 10.0
_SLACK_PX: Final = 150.0
"""How far text may stand outside of the page: negative margins make up for padding elsewhere."""


@dataclass(frozen=True, slots=True)
class State:
    """What an element hands down to its children."""

    font_px: float = FONT_PX
    root_px: float = FONT_PX
    scale: float = 1.0
    opacity: float = 1.0
    x: float = 0.0
    y: float = 0.0
    indent: float = 0.0
    right: float = WINDOW_PX[0]
    bottom: float = 2_000.0
    """How far from the left, and from above, text is in sight: less within a box that cuts."""

    colour: Colour = BLACK
    fill: Colour | None = None
    backgrounds: tuple[Colour | None, ...] = (WHITE,)
    """What may lie behind, opaque: one colour, those of a gradient, or None for what is not known."""

    tight: bool = False
    """Whether a box around has no extent, without cutting off what does not fit in it."""

    is_lifted: bool = False
    """Whether it may lie over other text."""

    covers: bool = False
    """Whether it would hide what it lies over."""

    cut: tuple[float, float] | None = None
    """Width and height of a box that cuts off what does not fit in it."""

    painted: bool = False
    """Whether it has a background of its own."""

    holds_floats: bool = True
    """Whether the background around reaches behind what floats in it."""

    helped: bool = False
    """Whether a picture behind it, or a shadow, may show what its colour does not."""

    inherited: frozenset[tuple[str, str]] = frozenset()
    """Verdicts on inherited properties, by name."""

    box: str = ""
    """The verdict on the boxes around, which nothing within can undo."""

    def judge_text(self) -> str:
        """Judge text that stands here."""
        verdicts = {self._judge_place(), self._judge_size(), self._judge_colour()}
        verdicts.update(verdict for _, verdict in self.inherited)
        if MAYBE in (self.box, *verdicts):  # what is not known may undo the rest
            return MAYBE
        return self.box or _worst(verdicts)

    def _judge_place(self) -> str:
        x = self.x + self.indent
        if min(x, self.y, self.indent) <= -_OFF_PAGE_PX or max(x, self.y) >= _FAR_PX:
            return "position"
        shown = -_SLACK_PX <= x < self.right and -_SLACK_PX <= self.y < self.bottom
        return "" if shown else MAYBE

    def _judge_size(self) -> str:
        size = self.font_px * self.scale
        if size < FONT_MIN_PX:
            return "font size" if self.font_px < FONT_MIN_PX else "transform"
        low, high = _FONT_SHOWN_PX
        return "" if low <= size <= high and self.opacity >= _OPACITY_SHOWN else MAYBE

    def _judge_colour(self) -> str:
        seen = judge_contrast(self.fill or self.colour, self.backgrounds)
        if seen:
            return ""
        return MAYBE if seen is None or self.helped or self.is_lifted else "colour"


def _worst(verdicts: set[str]) -> str:
    """Choose among verdicts: a technique that hides, MAYBE, or ""."""
    certain = sorted(verdicts - {"", MAYBE})
    return certain[0] if certain else MAYBE if MAYBE in verdicts else ""


def inherit(tag: str, values: Mapping[str, str], outer: State) -> State:
    """Return what the children of an element inherit."""
    if not values:
        return outer
    length = font_length(values.get("font-size", ""))
    font_px = length.to_px(outer.font_px, outer.font_px, outer.root_px) if length else outer.font_px
    state = replace(
        outer,
        font_px=font_px,
        root_px=font_px if tag == "html" else outer.root_px,
        cut=None,
        covers=False,
        painted=False,
        inherited=_inherited(values, outer, font_px),
        box=_worst({outer.box, *(_judge_own(tag, name, values) for name in _OWN.keys() & values.keys())}),
    )
    return _cut(tag, values, _paint(tag, values, _place(tag, values, state)))


def _judge_own(tag: str, name: str, values: Mapping[str, str]) -> str:
    verdict = _OWN[name].judge(values[name])
    return MAYBE if verdict and name == "content-visibility" and not _is_box(tag, values) else verdict


def _inherited(values: Mapping[str, str], outer: State, font_px: float) -> frozenset[tuple[str, str]]:
    """Judge the inherited properties of an element; those of the element around it hold as well."""
    found = dict(outer.inherited)
    for name in values.keys() & _HANDED_DOWN:
        value = values[name]
        if value in INHERITING:
            continue
        if name in RANGES:
            found[name] = RANGES[name].judge(value, font_px)
        elif name in WORDS:
            found[name] = WORDS[name].judge(value)
        elif value == UNKNOWN:
            found[name] = MAYBE
        elif name != "font-size" or not value.endswith(("em", "%", "er")):
            found.pop(name, None)  # whatever is around
    return frozenset(item for item in found.items() if item[1])


def _place(tag: str, values: Mapping[str, str], state: State) -> State:
    """Reckon how the content of a box is moved, scaled and made transparent."""
    moved = values.get("position", "static") not in _UNMOVED
    lifted = values.get("position") in ("absolute", "fixed", "sticky", "-webkit-sticky", UNKNOWN)
    unknown = any(values.get(name) == UNKNOWN for name in (*LEFT, *UP) if moved or name not in _OFFSETS)
    x, y = (
        sum(_shift(name, values, state) for name in names if moved or name not in _OFFSETS)
        for names in (LEFT, UP)
    )
    scale, opacity = state.scale, state.opacity
    for name in _SHARES & values.keys():
        share = parse_share(values[name])
        unknown = unknown or share is None or (name == "zoom" and share <= 0)
        if name == "zoom":
            scale *= share or 1.0
        else:
            opacity *= min(max(1.0 if share is None else share, 0.0), 1.0)
    for name in _TRANSFORMS.keys() & values.keys():
        transform = parse_transform(_TRANSFORMS[name].format(values[name]))
        unknown = unknown or transform is None
        if transform not in (None, Transform()) and not _is_box(tag, values):
            unknown = True
        elif transform is not None:
            scale *= transform.scale
            x += transform.x.to_px(state.font_px, 100.0, state.root_px)
            y += transform.y.to_px(state.font_px, 100.0, state.root_px)
    indent = parse_length(values.get("text-indent", ""))
    return replace(
        state,
        scale=scale,
        opacity=opacity,
        x=state.x + x,
        y=state.y + y,
        is_lifted=state.is_lifted or lifted or y <= -_LIFTED_PX or (moved and max(abs(x), abs(y)) > _LIFTED_PX),
        indent=indent.to_px(state.font_px, _WHOLE_PX, state.root_px) if indent else state.indent,
        box=_worst({state.box, MAYBE if unknown else "", "opacity" if opacity < OPACITY_MIN else ""}),
    )


def _shift(name: str, values: Mapping[str, str], state: State) -> float:
    length = parse_length(values.get(name, ""))
    if length is None:
        return 0.0
    px = length.to_px(state.font_px, _WHOLE_PX, state.root_px)
    if name in ("right", "bottom"):
        return 0.0 if -_OFF_PAGE_PX < px < _OFF_PAGE_PX else -px
    return px


def _paint(tag: str, values: Mapping[str, str], state: State) -> State:
    """Reckon with colours: of the text, and of what lies behind it."""
    if _COLOURED.isdisjoint(values):
        return state
    holds_floats = state.holds_floats
    colour, fill, helped = state.colour, state.fill, state.helped
    if (written := values.get("color", "inherit")) not in _SAME_COLOUR:
        colour = BLACK if written == "initial" else parse_colour(written) or colour
    if (written := values.get("-webkit-text-fill-color", "inherit")) not in INHERITING:
        fill = parse_colour(written)
    backgrounds, opaque = _lay_colour(values.get("background-color", "initial"), fill or colour, state)
    helped = helped and not opaque
    if opaque:
        holds_floats = tag in TABLE_PARTS or not _UNCUT.issuperset(map(values.get, ("overflow-x", "overflow-y")))
    elif values.get("position") in ("absolute", "fixed") or ("float" in values and not state.holds_floats):
        backgrounds = tuple({*backgrounds, WHITE})  # where it lies is not known, nor that the boxes around reach it
    image = values.get("background-image", "none")
    if image not in WIDE and image != "none":
        stops = parse_image(image)
        helped = helped or stops == ()
        if stops is None or (stops and UNKNOWN in map(values.get, ("background-size", "background-position"))):
            backgrounds = (None,)
        elif stops:
            backgrounds = _over(stops, backgrounds)
    if values.get("box-shadow") == UNKNOWN:
        backgrounds = (None,)
    is_clipped = "text" in (values.get("background-clip"), values.get("-webkit-background-clip"))
    if is_clipped and (fill or colour).alpha < 1:
        # The letters are painted with the background, where they are transparent themselves.
        known = [each or WHITE for each in backgrounds]
        fill = next((each for each in known if not judge_contrast(each, state.backgrounds)), known[0])
        helped = helped or None in backgrounds
        backgrounds = state.backgrounds
    if values.get("text-shadow", "none") not in ("none", *WIDE):
        helped = True
    covers = state.is_lifted and (opaque or image not in ("none", *WIDE))
    return replace(state, colour=colour, fill=fill, backgrounds=backgrounds, helped=helped, covers=covers, holds_floats=holds_floats, painted=opaque)


def _lay_colour(
    written: str, text: Colour, state: State
) -> tuple[tuple[Colour | None, ...], bool]:
    """Lay a background colour over what is behind it; say whether it is opaque."""
    if written == UNKNOWN:
        return (None,), False
    colour = text if written == "currentcolor" else None if written in WIDE else parse_colour(written)
    if colour is None:
        return state.backgrounds, False
    return _over((colour,), state.backgrounds), colour.alpha == 1


def _over(upper: tuple[Colour, ...], lower: tuple[Colour | None, ...]) -> tuple[Colour | None, ...]:
    found = [
        each._replace(alpha=1.0) if each.alpha == 1 else None if below is None else lay_over(each, below)
        for each in upper
        for below in lower
    ]
    return tuple(dict.fromkeys(found))[:_BACKGROUNDS_MAX]


def _cut(tag: str, values: Mapping[str, str], state: State) -> State:
    """Reckon with a box that cuts off what does not fit in it."""
    width, height = (
        min(_extent(values, name, state), _extent(values, f"max-{name}", state)) for name in ("width", "height")
    )
    is_cell = tag in _CELLS and values.get("display", "table")[:5] == "table"
    if is_cell:
        height = math.inf  # it grows with its content
        if values.get("visibility") in ("hidden", "collapse") and tag not in ("td", "th"):
            return replace(state, box="visibility")  # whatever its cells say
    if all(values.get(name, "visible") in _UNCUT for name in ("overflow-x", "overflow-y")):
        room = (width, height) if state.painted and width != height else None
        return replace(state, tight=state.tight or min(width, height) <= _EXTENT_MAX_PX, cut=room)
    if _is_flat(values.get("line-height", "")):
        height = 0.0
    verdict = MAYBE if state.tight else ""
    if min(width, height) <= max(0.6 * state.font_px, _EXTENT_MAX_PX):
        padding = max(_extent(values, name, state) % math.inf for name in ("padding-left", "padding-top"))
        surely = _is_box(tag, values) and not is_cell and padding != 0
        verdict = "extent" if surely and 0 <= min(width, height) <= _EXTENT_MAX_PX else MAYBE
    return replace(
        state,
        box=_worst({state.box, verdict}),
        cut=None if width == height else (width, height),
        right=min(state.right, state.x + max(width, 0.0)),
        bottom=min(state.bottom, state.y + max(height, 0.0)),
    )


def _is_box(tag: str, values: Mapping[str, str]) -> bool:
    """Tell whether an element is certainly a box of its own: what is in a line has no extent."""
    lifted = values.get("position") in ("absolute", "fixed") or "float" in values
    usual = "block" if lifted or tag in BLOCKS or tag in TABLE_PARTS else "inline"
    return values.get("display", usual) not in ("inline", "contents", UNKNOWN, *WIDE)


def _is_flat(line_height: str) -> bool:
    length = parse_length(line_height, "em")
    return length is not None and not any(length)


def _extent(values: Mapping[str, str], name: str, state: State) -> float:
    """Compute how wide or high a box is at most; less than 0 if that is not known."""
    value = values.get(name, "auto")
    length = parse_length(value)
    if length is None:
        return -1.0 if value == UNKNOWN or value == "inherit" else math.inf
    return math.inf if length.whole else length.to_px(state.font_px, 0.0, state.root_px)


_OWN: Final = {name: row for name, row in WORDS.items() if not row.inherited}
_HANDED_DOWN: Final = frozenset(
    {*RANGES, *WORDS, "font-size", "text-indent", "color", "-webkit-text-fill-color"} - _OWN.keys()
)
_SHARES: Final = frozenset({"opacity", "filter", "-webkit-filter", "zoom"})
_TRANSFORMS: Final = {
    **{"transform": "{}", "-webkit-transform": "{}"},
    **{"scale": "scale({})", "translate": "translate({})"},
}
_OFFSETS: Final = frozenset({"left", "top", "right", "bottom"})
_UNMOVED: Final = frozenset({"static", "initial", "unset", "revert"})
_SAME_COLOUR: Final = INHERITING | {"currentcolor", UNKNOWN}
_COLOURED: Final = frozenset(
    {"color", "-webkit-text-fill-color", "background-color", "background-image", "background-clip"}
    | {"-webkit-background-clip", "box-shadow", "text-shadow", "position", "float"}
)
_UNCUT: Final = frozenset({None, "visible", "initial", "unset", "revert"})
_BACKGROUNDS_MAX: Final = 8
