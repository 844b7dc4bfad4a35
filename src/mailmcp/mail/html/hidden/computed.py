"""The computed style of an element, as far as it decides whether people see the text in it.

`compute_style` makes an element's style from its declarations and its parent's style. Most
properties are one row of `values.ROWS`. The rest work together: sizes, offsets, colours, and
boxes that clip what doesn't fit.

No layout is done. What moves a box, draws over others or opens a hole in a background can hide
text anywhere in the document; it sets `unchecked` and is not followed.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from mailmcp.mail.html.hidden.colour import (
    BLACK,
    WHITE,
    Colour,
    blend,
    is_readable,
    parse_colour,
    parse_image,
)
from mailmcp.mail.html.hidden.values import (
    INHERITING,
    MAYBE,
    OFFSETS,
    PLACES,
    ROWS,
    UNKNOWN,
    WIDE,
    WINDOW_PX,
    Length,
    is_relative,
    parse_font_size,
    parse_length,
    parse_opacity,
)
from mailmcp.mail.html.tags import BLOCKS, CELLS, TABLE_PARTS

FONT_MIN_PX: Final = 3.0
"""Small print is 8 and more; preheaders are 0 or 1."""

_FONT_SHOWN_PX: Final = (5.0, 300.0)
_OPACITY_MIN: Final = 0.1
_EXTENT_MAX_PX: Final = 2.0  # no letter fits
_OFF_PAGE_PX: Final = 500.0  # to the left or above, where nobody can scroll
_FAR_PX: Final = 5_000.0  # to the right or below
_NARROW_PX: Final = 100.0  # a background that content may well leave
_SEEN_PX: Final = 800.0  # of the window, when nothing but padding narrows it
_WIDE_PX: Final = 1_100.0  # content at the far end is out of sight
_OVERLAP_PX: Final = 20.0  # templates pull boxes together by as much
_LETTER_PULL_MAX_PX: Final = 4.0
_INDENT_PX: Final = (-24.0, 100.0)  # a short first line stays in the window
_BACKGROUNDS_MAX: Final = 8
_ROUND_PX: Final = 24.0  # corners rounder than that can take words away
_BUTTON_PX: Final = 60.0  # height of a button that is round at its ends
_BUTTON_CHARS: Final = 60
LETTER_EM: Final = 0.45  # width of a narrow letter

_OWN: Final = {name for name, row in ROWS.items() if not row.inherited}
_INHERITED: Final = (ROWS.keys() - _OWN) | {"text-indent"}
_BOX_ONLY: Final = frozenset({"content-visibility", "transform", "scale"})
_PADDED: Final = frozenset({"ol", "ul", "menu", "dir", "fieldset", "button", "dialog"})
"""Padded by the style sheet of browsers."""

_RAISED: Final = frozenset({"sub", "sup"})
"""In a line no height is too small: resets such as normalize.css give these none, to keep lines even."""

_STICKING_OUT: Final = frozenset({"caption", "legend", "rt"})
"""The background of what is around isn't behind all of it."""

_COLOURS: Final = frozenset({"color", "-webkit-text-fill-color"})
_RESIZING: Final = frozenset({"display", "height", "line-height", "margin-top", "padding-top", "float"})
_PAINTS: Final = frozenset(
    {*_COLOURS, "background-color", "background-image", "background-clip"}
    | {"background-size", "background-position", "text-shadow", "display"}
)


_NORMAL: Final = Length(em=1.0)  # at the least, of a `line-height`


@dataclass(frozen=True, slots=True)
class ComputedStyle:
    """What the children of an element inherit, and what the boxes around them do to their text."""

    font_px: float = 16.0
    root_px: float = 16.0
    line_height: Length = _NORMAL
    white_space: str = "normal"
    letter_spacing_px: float = 0.0
    indent_px: float = 0.0
    opacity: float = 1.0
    colour: Colour = BLACK
    fill: Colour | None = None
    inherited: frozenset[tuple[str, str]] = frozenset()
    """Verdicts on inherited properties, by name."""

    backgrounds: tuple[Colour | None, ...] = (WHITE,)
    """What may lie behind the text, opaque; None for an unknown colour."""

    block_backgrounds: tuple[Colour | None, ...] = (WHITE,)
    float_backgrounds: tuple[Colour | None, ...] = (WHITE,)
    """What lies behind a child where the background of an inline element, or of a box that doesn't
    contain its floats, doesn't reach."""

    aided: bool = False
    """Whether a picture or a shadow may make text readable that its colour doesn't."""

    letters: str = ""
    """The kind of the box whose background paints the letters, rather than their own colour, if one does."""

    box: str = ""
    """The verdict on the boxes around, which nothing inside can undo."""

    place: str = ""
    """The verdict on where these boxes are."""

    width_px: float = WINDOW_PX[0]
    height_px: float = math.inf
    """Of the parent; the height is infinite unless it is fixed."""

    room_px: float = WINDOW_PX[0]
    """How far to the right text is seen."""

    clips: bool = False
    """Whether a box around clips what leaves it."""

    clipped: bool = False
    """Whether a box around clips what is higher than it."""

    capacity: int | None = None
    """How many characters fit into the element's own box; None if it grows with them."""

    unchecked: bool = False
    """Whether the element may hide text that isn't in it."""

    @property
    def nowrap(self) -> bool:
        """Whether lines may be longer than their box."""
        return self.white_space not in ("normal", "pre-line", "pre-wrap")

    @property
    def letter_px(self) -> float:
        """How much of a line a narrow letter takes."""
        return LETTER_EM * self.font_px + max(self.letter_spacing_px, 0.0)

    @property
    def removal(self) -> str:
        """The verdict on the element as a whole, whatever is in it."""
        return self.box if self.box == MAYBE else worst([self.box, self.place])

    def judge_text(self) -> str:
        """Return "" for text that is shown, MAYBE, or the technique that hides it."""
        unknown = {name for name, verdict in self.inherited if verdict == MAYBE}
        size = "" if _FONT_SHOWN_PX[0] <= self.font_px <= _FONT_SHOWN_PX[1] else MAYBE
        if self.font_px < FONT_MIN_PX and "font-size" not in unknown:
            size = "font size"
        if self.box == MAYBE and size != "font size":  # it may undo the rest
            return MAYBE
        readable = is_readable(self.fill or self.colour, self.backgrounds, self.opacity)
        unsure = readable is None or self.aided or not unknown.isdisjoint(_COLOURS)
        colour = "" if readable else MAYBE if unsure else "colour"
        room = "" if self.room_px > 0 else MAYBE
        return worst([self.box, self.place, size, room, colour, *(verdict for _, verdict in self.inherited)])


def worst(verdicts: Iterable[str]) -> str:
    """Return a technique that hides, else MAYBE, else ""."""
    return min(set(verdicts) - {""}, key=lambda verdict: (verdict == MAYBE, verdict), default="")


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
    if tag in _STICKING_OUT or values.get("display") == "table-caption":
        behind = _join(parent.backgrounds, (WHITE,))
        parent = replace(parent, backgrounds=behind, block_backgrounds=behind)
    if (
        not values
        and not parent.letters
        and (tag not in BLOCKS or parent.block_backgrounds == parent.backgrounds)
    ):
        return parent
    if tag in _RAISED and "line-height" in values:
        values = {name: value for name, value in values.items() if name != "line-height"}
    size = parse_font_size(values.get("font-size", ""))
    font_px = size.to_px(parent.font_px, parent.font_px, parent.root_px) if size else parent.font_px
    if "font-size" in soft:
        font_px = min(font_px, parent.font_px)
    kind = _kind(tag, values)
    own = {name: _judge_own(name, values, kind) for name in _OWN & values.keys()}
    opacity = parse_opacity(values.get("opacity", "initial"))
    total = parent.opacity * (1.0 if opacity is None else opacity)
    faded = MAYBE if opacity is None else "opacity" if total < _OPACITY_MIN else ""
    if kind == "contents" and total != parent.opacity:  # there is no box to fade
        total, faded = parent.opacity, MAYBE
    leading = _line_height(values.get("line-height", ""))
    spacing, indent = (parse_length(values.get(name, "")) for name in ("letter-spacing", "text-indent"))
    white_space = values.get("white-space", "inherit")
    style = replace(
        parent,
        font_px=font_px,
        root_px=font_px if tag == "html" else parent.root_px,
        line_height=leading or parent.line_height,
        white_space=parent.white_space if white_space in INHERITING else white_space,
        letter_spacing_px=spacing.to_px(font_px) if spacing else parent.letter_spacing_px,
        indent_px=indent.to_px(font_px, parent.width_px) if indent else parent.indent_px,
        opacity=total,
        inherited=_judge_inherited(values, parent, kind, soft, font_px),
        box=worst([parent.box, faded, *(own[name] for name in own if not ROWS[name].moves)]),
        capacity=None,
        unchecked=font_px > _FONT_SHOWN_PX[1]
        or any(verdict for name, verdict in own.items() if ROWS[name].moves)
        or (
            parent.clipped
            and kind != "none"
            and (font_px > parent.font_px or not _RESIZING.isdisjoint(values))
        ),
    )
    style = _move(values, style, kind)
    return _clip(tag, values, _paint(tag, values, style, kind), kind)


def _kind(tag: str, values: Mapping[str, str]) -> str:
    """Return "inline", "contents", "block", "float" or "root": a box that contains its floats."""
    display = values.get("display", "")
    if display == "contents":
        return display
    if values.get("position") in ("absolute", "fixed") or values.get("float", "none") not in ("none", *WIDE):
        return "float"
    if display in ("initial", "unset"):
        return "inline"
    if display in ("", UNKNOWN, *WIDE):
        display = (
            "block"
            if tag in BLOCKS
            else "table"
            if tag in TABLE_PARTS or tag in ("html", "body")
            else "inline"
        )
    if display in ("inline", "none"):
        return display
    is_clipping = _is_clipping(values) or (tag == "table" and display == "block" and "display" not in values)
    return "block" if display in ("block", "list-item") and not is_clipping else "root"


def _judge_own(name: str, values: Mapping[str, str], kind: str) -> str:
    """Judge a property that isn't inherited; some do nothing to inline elements, or to static ones."""
    if name == "clip" and values.get("position") not in ("absolute", "fixed", UNKNOWN):
        return ""
    verdict = ROWS[name].judge(values[name])
    if name == "clip" and values[name] == "inherit":  # the parent may not be positioned
        return MAYBE
    return MAYBE if verdict and name in _BOX_ONLY and kind in ("inline", "contents") else verdict


def _judge_inherited(
    values: Mapping[str, str], parent: ComputedStyle, kind: str, soft: frozenset[str], font_px: float
) -> frozenset[tuple[str, str]]:
    """Judge the inherited properties of an element; those of its parent hold as well."""
    found = dict(parent.inherited)
    for name in values.keys() & (_INHERITED | _COLOURS | {"font-size"}):
        value, around = values[name], found.get(name, "")
        if value in INHERITING:
            continue
        if name in ROWS:
            found[name] = ROWS[name].judge(value)
            pull_px = -(parse_length(value) or Length()).em * font_px  # inherited as pixels by smaller text
            if name == "letter-spacing" and not found[name] and pull_px > _LETTER_PULL_MAX_PX:
                found[name] = MAYBE
        elif name == "text-indent":
            found[name] = _judge_indent(values, parent, font_px)
        elif value == UNKNOWN:
            found[name] = MAYBE
        elif name != "font-size" or not is_relative(value):
            found[name] = ""  # whatever is around
        if name in _COLOURS and not is_readable(parent.fill or parent.colour, parent.backgrounds):
            around = MAYBE
        # Only boxes have a first line that is indented: inline elements keep that of the box around.
        is_idle = name == "text-indent" and kind == "inline"
        if (name in soft and around) or (is_idle and found[name] != around):
            found[name] = MAYBE
    return frozenset(item for item in found.items() if item[1])


def _judge_indent(values: Mapping[str, str], parent: ComputedStyle, font_px: float) -> str:
    """Judge `text-indent`; the element's own margin makes room for one to the left, as in lists."""
    length = parse_length(values["text-indent"])
    if length is None:
        return "" if values["text-indent"] == "initial" else MAYBE
    style = replace(parent, font_px=font_px)
    room_px = sum(_lengths(values, style, "margin-left") + _lengths(values, style, "padding-left"))
    indent_px = length.to_px(font_px, WINDOW_PX[0], parent.root_px)
    if _INDENT_PX[0] - max(room_px, 0.0) <= indent_px <= _INDENT_PX[1]:
        return ""
    return "position" if indent_px + room_px <= -_OFF_PAGE_PX else MAYBE


def _line_height(value: str) -> Length | None:
    if value == "normal" or value in WIDE:
        return None if value in INHERITING else _NORMAL
    length = parse_length(value, "em")
    return length and Length(px=length.px, em=length.em + length.whole, rem=length.rem)


def _move(values: Mapping[str, str], style: ComputedStyle, kind: str) -> ComputedStyle:
    """Account for margins, padding and offsets."""
    if PLACES.isdisjoint(values):
        return style
    is_static = values.get("position", "static") in ("static", "sticky", *WIDE - {"inherit"})
    is_absolute = values.get("position") in ("absolute", "fixed")
    place, room_px, moved = style.place, style.room_px, False
    # A small pull may take a line out of a box that clips it, or out of the background that it needs.
    is_bound = style.clips or not is_readable(style.fill or style.colour, (WHITE,))
    for name in PLACES & values.keys():
        if values[name] in ("auto", *WIDE - {"inherit"}) or (name in OFFSETS and is_static):
            continue
        length = parse_length(values[name])
        if length is None or (name.endswith("-right") and "(" in values[name]):  # of which this is the least
            place, moved = worst([place, MAYBE]), True
            continue
        px = length.to_px(style.font_px, WINDOW_PX[0], style.root_px)
        if name in ("right", "bottom"):
            opposite = values.get({"right": "left", "bottom": "top"}[name], "auto")
            px = -px if opposite in ("auto", *WIDE) else 0.0
        if name.endswith("left"):
            room_px -= px
        pushes = name not in OFFSETS and not is_absolute and (kind == "inline" or not name.endswith("left"))
        is_right = name in ("margin-right", "padding-right")  # from right to left, these move the text
        if is_right or name == "margin-bottom" or (name == "margin-top" and kind == "inline"):
            far_px = _SEEN_PX if is_right else _FAR_PX
            moved = moved or not (0.0 if is_bound else -_OVERLAP_PX) <= px < far_px
        elif not -_OFF_PAGE_PX < px < _FAR_PX:
            place, moved = worst([place, MAYBE if pushes else "position"]), moved or pushes
        elif name in OFFSETS or px < 0:
            moved = moved or abs(px) > (0.0 if is_bound else _OVERLAP_PX)
        elif name == "padding-top" and kind == "inline":
            moved = moved or px > _OVERLAP_PX
    return replace(style, place=place, room_px=min(room_px, WINDOW_PX[0]), unchecked=style.unchecked or moved)


def _paint(tag: str, values: Mapping[str, str], style: ComputedStyle, kind: str) -> ComputedStyle:
    """Account for the colours of the text and of what lies behind it."""
    if values.get("color-scheme") in ("dark", "only dark", UNKNOWN):
        if tag != "html":  # only colours of the system change
            unknown = style.inherited | {("color", MAYBE)}
            style = replace(style, unchecked=True, inherited=unknown)
        else:
            dark = (BLACK,)
            style = replace(style, colour=WHITE, backgrounds=dark, block_backgrounds=dark)
            style = replace(style, float_backgrounds=dark)
    behind = style.backgrounds
    if kind in ("block", "root"):
        behind = _join(behind, style.block_backgrounds)
    elif kind == "float":
        behind = _join(behind, style.float_backgrounds)
    elif tag in _RAISED or values.get("vertical-align", "baseline") not in ("baseline", *WIDE):
        behind = _join(behind, style.block_backgrounds)  # out of the background of the line
    painted = style if behind == style.backgrounds else replace(style, backgrounds=behind)
    is_apart = kind == "float" or tag == "caption" or (style.letters == "inline" and kind != "inline")
    if style.letters and is_apart:
        painted = replace(painted, unchecked=True)  # painted apart, without that background
    if tag in ("html", "body") and values.get("background-clip") == "text":  # the window's background
        painted = replace(painted, unchecked=True)
    if not _PAINTS.isdisjoint(values):
        painted = _paint_text(values, painted, style, kind)
    if kind in ("inline", "contents", "none"):
        return painted
    floats = style.float_backgrounds if kind == "block" else painted.backgrounds
    return replace(painted, block_backgrounds=painted.backgrounds, float_backgrounds=floats)


def _paint_text(
    values: Mapping[str, str], style: ComputedStyle, parent: ComputedStyle, kind: str
) -> ComputedStyle:
    colour, fill, backgrounds = style.colour, style.fill, style.backgrounds
    if (written := values.get("color", "inherit")) not in INHERITING:
        colour = BLACK if written == "initial" else parse_colour(written) or colour
    if (written := values.get("-webkit-text-fill-color", "inherit")) not in INHERITING:
        fill = parse_colour(written)
    written, image = values.get("background-color", "initial"), values.get("background-image", "none")
    if written == "currentcolor":
        written = UNKNOWN if "color" in dict(style.inherited) else written
    under = colour if written == "currentcolor" else parse_colour(written)
    stops = None if image in ("none", *WIDE) else parse_image(image)
    sized = [values.get("background-size"), values.get("background-position")] if stops else []
    if UNKNOWN in [written, image, *sized]:
        backgrounds = (None,)
    elif kind != "contents":
        for layer in ((under,) if under else (), stops or ()):
            backgrounds = _cover(layer, backgrounds)
    if "visibility" in dict(style.inherited):  # what is hidden paints nothing
        backgrounds = _join(backgrounds, style.backgrounds)
    unchecked = "data:" in image or "cid:" in image or written == "currentcolor"  # children may inherit it
    unchecked = unchecked or bool(style.letters and (stops is not None or (under and under.alpha)))
    letters, clip = style.letters, values.get("background-clip", "border-box")
    if clip in ("content-box", UNKNOWN):
        backgrounds = _join(backgrounds, style.backgrounds)
    is_opaque = under is not None and under.alpha == 1
    has_shadow = values.get("text-shadow", "none") not in ("none", *WIDE)
    aided = (style.aided and not is_opaque) or stops == () or has_shadow
    if clip == "text" and kind != "contents":
        if (fill or colour).alpha < 1:  # the letters are painted with the background
            aided = aided or None in backgrounds
            fill = next((x for x in backgrounds if not is_readable(x, parent.backgrounds)), backgrounds[0])
            letters = kind
        backgrounds = parent.backgrounds
    return replace(
        style,
        colour=colour,
        fill=fill,
        backgrounds=backgrounds,
        aided=aided,
        letters=letters,
        unchecked=style.unchecked or unchecked,
    )


def _cover(upper: tuple[Colour, ...], lower: tuple[Colour | None, ...]) -> tuple[Colour | None, ...]:
    """Return what is seen where one of some colours lies over one of others."""
    found = [
        each if each.alpha == 1 else None if below is None else blend(each, below)
        for each in upper
        for below in lower
    ]
    return _join(tuple(found), ()) if found else lower


def _join(first: tuple[Colour | None, ...], second: tuple[Colour | None, ...]) -> tuple[Colour | None, ...]:
    if first == second:
        return first
    found = tuple(dict.fromkeys((*first, *second)))
    return found if len(found) <= _BACKGROUNDS_MAX else (None,)


def _is_clipping(values: Mapping[str, str]) -> bool:
    overflows = {values.get("overflow-x", "visible"), values.get("overflow-y", "visible")}
    return not overflows <= {"visible", *WIDE - {"inherit"}}


def _clip(tag: str, values: Mapping[str, str], style: ComputedStyle, kind: str) -> ComputedStyle:
    """Account for a box of fixed size, and for one that clips what doesn't fit."""
    width_px = _extent(values, "width", style, style.width_px)
    height_px = _extent(values, "height", style, style.height_px)
    is_table = tag in TABLE_PARTS or tag == "table"
    is_cell = values.get("display", "table" if is_table else "").startswith(("table", "inline-table"))
    if is_cell and is_table and tag not in CELLS and values.get("visibility") in ("hidden", "collapse"):
        return replace(style, box="visibility")  # whatever its cells say
    is_cell = is_cell and kind != "float"
    is_huge = height_px < 0 or _FAR_PX <= height_px < math.inf  # it pushes its own text, and what follows
    if is_cell:
        height_px = math.inf  # it grows with its content
    is_huge = is_huge or "clip" in (values.get("overflow-x"), values.get("overflow-y"))  # without its floats
    style = replace(style, unchecked=style.unchecked or is_huge or _is_too_wide(values, style))
    if kind == "inline" and not _is_clipping(values):
        return style
    outer_px = style.height_px
    inner_px = max(_inner_width(values, style, width_px), 0.0)
    style = replace(style, width_px=min(inner_px, WINDOW_PX[0]), height_px=height_px)
    grows = is_cell and "max-width" not in values
    style = replace(style, capacity=_capacity(values, style, math.inf if grows else inner_px))
    if not is_cell and inner_px < _NARROW_PX and not is_readable(style.fill or style.colour, (WHITE,)):
        style = replace(style, room_px=min(style.room_px, inner_px))  # long words leave it
    if not _is_clipping(values):
        return style
    if tag in ("html", "body"):  # what doesn't fit in the window can't be scrolled to
        return replace(style, unchecked=style.unchecked or height_px < math.inf)
    verdict = ""
    if min(width_px, height_px) <= max(0.6 * style.font_px, _EXTENT_MAX_PX):
        padded = any(
            any(parse_length(values.get(name, "")) or ()) for name in ("padding-left", "padding-top")
        )
        padded = padded or tag in _PADDED or "inherit" in (values.get("overflow-x"), values.get("overflow-y"))
        surely = kind != "inline" and not is_cell and not padded  # padding isn't clipped
        # One way may be clipped without the other.
        surely = surely and "visible" not in (values.get("overflow-x"), values.get("overflow-y"))
        surely = surely and 0 <= min(width_px, height_px) <= _EXTENT_MAX_PX
        verdict = "extent" if surely else MAYBE
    if values.get("display", "").endswith(("flex", "grid")):
        style = replace(style, unchecked=True)
    if is_cell and style.nowrap:  # how wide it is, other rows and columns decide
        style = replace(style, capacity=0)
    if outer_px <= _EXTENT_MAX_PX or style.capacity == 0:
        verdict = verdict or MAYBE
    return replace(
        style,
        box=worst([style.box, verdict]),
        clips=True,
        clipped=style.clipped or style.capacity is not None,
        room_px=min(style.room_px, inner_px),
    )


def _inner_width(values: Mapping[str, str], style: ComputedStyle, width_px: float) -> float:
    """Return what margins, borders and padding leave of the width of a box."""
    margins, padding = (
        sum(max(0.0, *_lengths(values, style, f"{name}-{side}")) for side in ("left", "right"))
        for name in ("margin", "padding")
    )
    return min(width_px, style.width_px - margins) - padding - _border_px(values, style, "left", "right")


def _capacity(values: Mapping[str, str], style: ComputedStyle, width_px: float) -> int | None:
    """Return how many characters surely fit into a box; None if it grows with them."""
    per_line = max(width_px - max(style.indent_px, 0.0), 0.0) / (style.letter_px or 1.0)
    found = [int(per_line)] if style.nowrap and per_line < math.inf else []
    if style.height_px < math.inf:
        edges = ("padding-top", "padding-bottom")
        padding_px = sum(max(0.0, *_lengths(values, style, name)) for name in edges)
        height_px = style.height_px - padding_px - _border_px(values, style, "top", "bottom")
        line_px = style.line_height.to_px(style.font_px, style.font_px, style.root_px)
        lines = max(height_px, 0.0) / max(line_px, FONT_MIN_PX)
        found.append(int(max(lines, 1.0) * per_line) if lines >= 0.5 else 0)
    radii = _lengths(values, style, "border-radius")
    inset_px = min(*_lengths(values, style, "padding-left"), *_lengths(values, style, "padding-top"))
    if max(radii) > _ROUND_PX + 3 * inset_px:
        names = ("height", "min-height", "padding-top", "padding-bottom")
        height_px = max(max(_lengths(values, style, name)) for name in names)
        is_button = len(radii) == 1 and "%" not in values["border-radius"] and height_px <= _BUTTON_PX
        found.append(_BUTTON_CHARS if is_button else 0)
    return min(found, default=None)


def _lengths(values: Mapping[str, str], style: ComputedStyle, name: str) -> list[float]:
    """Return the lengths that a property has, in pixels: 0 for words such as `auto`, infinite if unknown."""
    if (written := values.get(name, "")) in (UNKNOWN, "inherit"):
        return [math.inf]
    found = map(parse_length, written.replace(" / ", " ").split(" "))
    return [each.to_px(style.font_px, style.width_px, style.root_px) if each else 0.0 for each in found]


def _border_px(values: Mapping[str, str], style: ComputedStyle, *sides: str) -> float:
    """Return how much of a box its borders on two sides may take."""
    names = ["border", "border-width", *(f"border-{side}{part}" for side in sides for part in ("", "-width"))]
    written = re.findall(r"\d[\d.]*[a-z]+", " ".join(values.get(name, "") for name in names))
    lengths = [length for each in written if (length := parse_length(each)) is not None]
    return 2 * max((each.to_px(style.font_px, root_px=style.root_px) for each in lengths), default=0.0)


def _is_too_wide(values: Mapping[str, str], style: ComputedStyle) -> bool:
    """Return whether a box is wider than the one around it, which clips it or lies behind its text."""
    is_narrow = style.width_px < _NARROW_PX and not is_readable(style.colour, (WHITE,))
    around_px = style.width_px if is_narrow else _WIDE_PX if style.room_px > _SEEN_PX else 1.5 * style.room_px
    widest = [parse_length(values.get(name, "")) or Length() for name in ("width", "min-width")]
    limit_px = max(around_px, 0.0)
    return UNKNOWN in (values.get("width"), values.get("min-width")) or any(
        each.whole > 1 or each.to_px(style.font_px, 0.0, style.root_px) > limit_px for each in widest
    )


def _extent(values: Mapping[str, str], name: str, style: ComputedStyle, whole_px: float) -> float:
    """Return how wide or high a box can be, in pixels; less than 0 if that isn't known."""
    found = [whole_px if name == "width" else math.inf]
    for value in (values.get(name, "auto"), values.get(f"max-{name}", "none")):
        if value == "min-content":
            found.append(0.0)
        length = parse_length(value)
        if length is not None and not ("%" in value and whole_px == math.inf):
            found.append(length.to_px(style.font_px, whole_px if length.whole else 0.0, style.root_px))
        elif value in (UNKNOWN, "inherit"):
            found.append(-1.0)
    return min(found)
