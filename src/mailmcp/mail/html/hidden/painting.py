"""The colours of text, and of what may lie behind it.

A background counts only where it is certainly behind the text: behind inline content, behind the
blocks of its box, and behind the floats of a box that contains them.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mailmcp.mail.html.hidden.boxes import is_caption
from mailmcp.mail.html.hidden.colour import (
    BLACK,
    WHITE,
    Colour,
    blend,
    is_readable,
    parse_colour,
    parse_image,
)
from mailmcp.mail.html.hidden.style import COLOURS, ComputedStyle
from mailmcp.mail.html.hidden.values import INHERITING, MAYBE, UNKNOWN, WIDE

_PAINTS: Final = frozenset(
    {*COLOURS, "background-color", "background-image", "background-clip", "background-origin"}
    | {"background-size", "background-position", "text-shadow", "display"}
)
BACKGROUNDS: Final = frozenset({"background-color", "background-image"})
RAISED: Final = frozenset({"sub", "sup"})
"""Elements that browsers raise or lower, so that they may leave the background of their line."""

ODD_BOXES: Final = frozenset(
    {"details", "dialog", "fieldset", "legend", "marquee", "meter", "progress"}
    | {"rb", "rp", "rt", "rtc", "ruby", "select", "slot", "summary"}
)
"""Elements of which parts are outside of the background, and the only ones that browsers lay out apart."""

_UNEVEN: Final = frozenset({"html", "body", "tr", "tbody", "thead", "tfoot"})
"""Elements whose gradients may end before their content: at the window, or where a cell spans rows."""

_GROWTH_MAX: Final = 1.5  # of text within a line whose background is as high as smaller text

_BACKGROUNDS_MAX: Final = 16


def is_odd_box(tag: str, values: Mapping[str, str]) -> bool:
    """Return whether the background of an element, or of those around, may not be behind all of its text.

    Any background of an element around them may be what is seen.
    """
    return tag in ODD_BOXES or is_caption(tag, values)


def is_raised(tag: str, values: Mapping[str, str]) -> bool:
    """Return whether an inline element raises or lowers its text."""
    return tag in (*RAISED, "rt") or values.get("vertical-align", "baseline") not in ("baseline", *WIDE)


def paint(
    tag: str, values: Mapping[str, str], style: ComputedStyle, kind: str, growth: float = 1.0
) -> ComputedStyle:
    """Account for the colours of the text and of what lies behind it.

    Args:
        tag: Name of the element.
        values: Its values, by property.
        style: Its style so far, with the colours of its parent.
        kind: From `kind_of`.
        growth: How much larger its font is than that of its parent.
    """
    if values.get("color-scheme") in ("dark", "only dark", UNKNOWN):
        if tag != "html":  # only colours of the system change
            unknown = style.inherited | {("color", MAYBE)}
            style = replace(style, unchecked=True, inherited=unknown)
        else:
            dark = (BLACK,)
            style = replace(
                style,
                unchecked=True,
                colour=WHITE,
                backgrounds=dark,
                block_backgrounds=dark,
                float_backgrounds=dark,
            )
    behind = style.backgrounds
    if kind in ("block", "root"):
        behind = join_backgrounds(behind, style.block_backgrounds)
    elif kind == "float":
        behind = join_backgrounds(behind, style.float_backgrounds)
    elif is_raised(tag, values) or growth > _GROWTH_MAX:
        behind = join_backgrounds(behind, style.block_backgrounds)  # out of the background of the line
    painted = style if behind == style.backgrounds else replace(style, backgrounds=behind)
    if style.letters and (
        kind == "float"
        or (style.letters == "inline" and kind != "inline")
        or is_odd_box(tag, values)
        or is_raised(tag, values)
        or growth > _GROWTH_MAX
    ):
        painted = replace(painted, unchecked=True)  # painted apart, without that background
    if tag in ("html", "body") and values.get("background-clip") == "text":  # the window's background
        painted = replace(painted, unchecked=True)
    if not _PAINTS.isdisjoint(values):
        painted = _paint_text(values, painted, style, kind)
    is_uneven = tag in _UNEVEN or values.get("display", "").startswith(
        ("table-row", "table-header", "table-foot")
    )
    if is_uneven and "gradient" in values.get("background-image", ""):
        painted = replace(painted, backgrounds=(None,))
    if painted.backgrounds == style.backgrounds == style.block_backgrounds and kind != "root":
        return painted
    own = painted.backgrounds
    # A block within an inline element leaves the background of that; what is around may be a block, too.
    blocks = own if kind in ("block", "root", "float") else join_backgrounds(style.block_backgrounds, own)
    floats = own if kind in ("root", "float") else join_backgrounds(style.float_backgrounds, own)
    seen = join_backgrounds(style.seen_backgrounds, own)
    return replace(painted, block_backgrounds=blocks, float_backgrounds=floats, seen_backgrounds=seen)


def _paint_text(
    values: Mapping[str, str], style: ComputedStyle, parent: ComputedStyle, kind: str
) -> ComputedStyle:
    colour, fill, backgrounds = style.colour, style.fill, style.backgrounds
    is_over = False
    if (written := values.get("color", "inherit")) not in INHERITING:
        colour = BLACK if written == "initial" else parse_colour(written) or colour
        is_over = bool(style.letters) and colour.alpha > 0  # it may lie over letters of a background
        fill = None if is_over else fill
    if (written := values.get("-webkit-text-fill-color", "inherit")) not in INHERITING:
        fill = parse_colour(written)
    written, image = values.get("background-color", "initial"), values.get("background-image", "none")
    if written == "currentcolor":
        written = UNKNOWN if "color" in dict(style.inherited) else written
    under = colour if written == "currentcolor" else parse_colour(written)
    stops = None if image in ("none", *WIDE) else parse_image(image)
    sized = [values.get("background-size"), values.get("background-position")] if stops else []
    if not {UNKNOWN, "inherit"}.isdisjoint([written, image, *sized]):
        backgrounds = (None,)
    elif kind != "contents":
        for layer in ((under,) if under else (), stops or ()):
            backgrounds = _cover(layer, backgrounds)
    if "visibility" in dict(style.inherited):  # what is hidden paints nothing
        backgrounds = join_backgrounds(backgrounds, style.backgrounds)
    source = image.replace(" ", "")  # browsers leave out line ends and tabs
    unchecked = "data:" in source or "cid:" in source or written == "currentcolor"  # children may inherit it
    unchecked = unchecked or bool(style.letters and (stops is not None or (under and under.alpha)))
    letters, clip = style.letters, values.get("background-clip", "border-box")
    if not {"content-box", "inherit", UNKNOWN}.isdisjoint(
        [clip, values.get("background-origin", "padding-box")]
    ):
        backgrounds = join_backgrounds(backgrounds, style.backgrounds)
    is_opaque = under is not None and under.alpha == 1
    has_shadow = values.get("text-shadow", "none") not in ("none", *WIDE)
    aided = (style.aided and not is_opaque) or stops == () or has_shadow or is_over
    if clip == "text" and kind != "contents":
        is_framed = (fill or colour).alpha > 0  # by letters of the background under its own
        aided = aided or is_framed or None in backgrounds
        if not is_framed:  # the letters are painted with the background
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
    return join_backgrounds(tuple(found), ()) if found else lower


def join_behind(style: ComputedStyle, parent: ComputedStyle) -> ComputedStyle:
    """Return the style of an element whose background may not apply."""
    return replace(
        style,
        backgrounds=join_backgrounds(style.backgrounds, parent.backgrounds),
        block_backgrounds=join_backgrounds(style.block_backgrounds, parent.block_backgrounds),
        float_backgrounds=join_backgrounds(style.float_backgrounds, parent.float_backgrounds),
    )


def join_backgrounds(
    first: tuple[Colour | None, ...], second: tuple[Colour | None, ...]
) -> tuple[Colour | None, ...]:
    """Return all that may lie behind a text, where either may; unknown if that is a lot."""
    if first == second:
        return first
    found = tuple(dict.fromkeys((*first, *second)))
    return found if len(found) <= _BACKGROUNDS_MAX else (None,)
