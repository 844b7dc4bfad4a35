"""Whether people see a picture, and thus its alternative text where pictures are off."""

from collections.abc import Mapping
from typing import Final

from mailmcp.mail.html.hidden.boxes import EXTENT_MAX_PX, SIZES, kind_of
from mailmcp.mail.html.hidden.style import ComputedStyle, worst
from mailmcp.mail.html.hidden.values import BY_CONTENT, MAYBE, UNKNOWN, WINDOW_PX, parse_lengths

_INHERITED: Final = frozenset({"visibility", "text-indent"})


def judge_picture(values: Mapping[str, str], style: ComputedStyle) -> str:
    """Return "" for a picture that is shown, MAYBE, or the technique that hides it.

    What hides only text doesn't count: people who see a picture don't see its alternative text.
    """
    if style.removal == MAYBE:
        return MAYBE
    if values.get("display") == "contents":  # none, for a picture (CSS Display 3 appendix B)
        return "display"
    sizes = (_judge_size(name, values, style) for name in SIZES & values.keys())
    inherited = (verdict for name, verdict in style.inherited if name in _INHERITED)
    return worst([style.removal, *inherited, *sizes, _judge_room(values, style)])


def _judge_room(values: Mapping[str, str], style: ComputedStyle) -> str:
    """Judge the room for a picture that takes its width from the box around, unlike one in a line."""
    # Where pictures are off, the content is the alternative text, which fits itself to the box.
    is_fitted = kind_of("img", values) != "inline" or not BY_CONTENT.isdisjoint(values.values())
    has_room = style.height_px > EXTENT_MAX_PX and not 0 <= style.width_px <= EXTENT_MAX_PX
    return MAYBE if is_fitted and not has_room else ""


def _judge_size(name: str, values: Mapping[str, str], style: ComputedStyle) -> str:
    """Judge a size: tracking pixels and spacers are too small to be seen."""
    value, is_width = values[name], name.endswith("width")
    is_part = "%" in value
    # Of what is around, or if the picture is a box: its own.
    known_px = style.width_px if is_width else style.height_px
    if value in (UNKNOWN, "inherit"):
        return MAYBE
    whole_px = min(known_px, WINDOW_PX[0]) if known_px >= 0 else WINDOW_PX[0]
    sizes_px = [each.to_px(style.font_px, whole_px, style.root_px) for each in parse_lengths(value)]
    if is_part and known_px >= 0 and kind_of("img", values) != "inline":
        sizes_px = [known_px]
    if not sizes_px or min(*sizes_px, sum(sizes_px)) > EXTENT_MAX_PX:
        return ""
    is_bounded = not values.keys().isdisjoint(("min-width", "min-height"))
    is_relative = is_part and not (is_width and whole_px == WINDOW_PX[0])
    return MAYBE if is_bounded or is_relative or sum(sizes_px) > EXTENT_MAX_PX else "extent"
