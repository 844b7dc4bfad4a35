"""The styles that an element may have, where it isn't known which rules and values apply."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mailmcp.mail.html.hidden.cascade import Styles
from mailmcp.mail.html.hidden.computed import compute_style
from mailmcp.mail.html.hidden.painting import BACKGROUNDS, join_behind
from mailmcp.mail.html.hidden.style import ComputedStyle
from mailmcp.mail.html.hidden.values import MAYBE

_MIXED_MAX: Final = 4  # styles of an element besides the two that apply all doubts, or none
_MIXES_MAX: Final = 500  # of these in a document


class PossibleStyles:
    """Computes the possible styles of the elements of a document."""

    __slots__ = ("_left", "_styles", "unchecked")

    def __init__(self) -> None:
        self._styles: dict[tuple[str, int, int], tuple[ComputedStyle, Mapping[str, str], ComputedStyle]] = {}
        self._left = _MIXES_MAX
        self.unchecked = False
        """Whether an element had too many possible styles."""

    def compute(
        self, tag: str, values: Styles, parents: tuple[ComputedStyle, ...]
    ) -> tuple[ComputedStyle, ...]:
        """Compute all styles that an element may have.

        Args:
            tag: Name of the element.
            values: Its values.
            parents: What this returned for its parent.

        Returns:
            By what certainly applies; by all that may; and by what else is possible if some elements have
            what may apply and others don't.
        """
        certain = self._compute(tag, values.certain, parents[0])
        possible = self._compute(tag, values.possible, parents[1], values.soft)
        mixed: tuple[ComputedStyle, ...] = ()
        has_doubt = values.possible is not values.certain
        if len(parents) > 2 or (has_doubt and parents[1] is not parents[0]):
            if self._left > 0:
                mixed = self._mix(tag, values, parents, (certain, possible))
            if self._left <= 0 or len(mixed) > _MIXED_MAX:
                self.unchecked, mixed = True, ()
                possible = replace(possible, box=MAYBE)
        if not BACKGROUNDS.isdisjoint(values.soft) and parents[1].backgrounds != parents[0].backgrounds:
            possible = join_behind(possible, parents[1])  # of two that may apply, either may be what is seen
        return certain, possible, *mixed

    def _mix(
        self, tag: str, values: Styles, parents: tuple[ComputedStyle, ...], known: tuple[ComputedStyle, ...]
    ) -> tuple[ComputedStyle, ...]:
        """Compute what is possible besides what is known."""
        certain, possible, *mixed = parents
        found = [self._compute(tag, values.certain, parent) for parent in mixed]
        if values.possible is not values.certain:
            found.append(self._compute(tag, values.certain, possible))
            found += [
                self._compute(tag, values.possible, parent, values.soft) for parent in (certain, *mixed)
            ]
        self._left -= len(found)
        return tuple(style for style in dict.fromkeys(found) if style not in known)

    def _compute(
        self, tag: str, values: Mapping[str, str], parent: ComputedStyle, soft: frozenset[str] = frozenset()
    ) -> ComputedStyle:
        """Compute a style, once for equal elements."""
        key = tag, id(values), id(parent)
        known = self._styles.get(key)
        if known is None:  # with what its key is made of, which thus stays where it is
            known = self._styles[key] = compute_style(tag, values, parent, soft), values, parent
        return known[0]
