"""Whether people see a picture, and thus its alternative text where pictures are off."""

from collections.abc import Mapping
from typing import Final

from mailmcp.mail.html.hidden.boxes import EXTENT_MAX_PX, SIZES
from mailmcp.mail.html.hidden.style import ComputedStyle, worst
from mailmcp.mail.html.hidden.values import MAYBE, UNKNOWN, WINDOW_PX, parse_lengths

_INHERITED: Final = frozenset({"visibility", "text-indent"})


def judge_picture(values: Mapping[str, str], style: ComputedStyle) -> str:
    """Return "" for a picture that is shown, MAYBE, or the technique that hides it.

    What hides only text doesn't count: people who see a picture don't see its alternative text.
    """
    if style.removal == MAYBE:
        return MAYBE
    if values.get("display") == "contents":  # none, for a picture (CSS Display 3 appendix B)
        return "display"
    is_bounded = not values.keys().isdisjoint(("min-width", "min-height"))
    sizes = (_judge_size(name, values[name], style, is_bounded=is_bounded) for name in SIZES & values.keys())
    inherited = (verdict for name, verdict in style.inherited if name in _INHERITED)
    return worst([style.removal, *inherited, *sizes])


def _judge_size(name: str, value: str, style: ComputedStyle, *, is_bounded: bool) -> str:
    """Judge a size: tracking pixels and spacers are too small to be seen."""
    if value in (UNKNOWN, "inherit"):
        return MAYBE
    lengths = [each.to_px(style.font_px, WINDOW_PX[0], style.root_px) for each in parse_lengths(value)]
    if not lengths or min(*lengths, sum(lengths)) > EXTENT_MAX_PX:
        return ""
    is_part = "%" in value and name.endswith("height")
    return MAYBE if is_part or is_bounded or sum(lengths) > EXTENT_MAX_PX else "extent"
