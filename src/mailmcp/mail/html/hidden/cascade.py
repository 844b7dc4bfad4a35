"""Match rules to the elements of a document in one walk, and cascade their values.

Matching by going up from each element takes time exponential in the length of a
selector. Here each element learns which compounds its ancestors and elder siblings
matched, as bits of a number, so that an element costs what its own compounds cost.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import Final, NamedTuple

from mailmcp.limits import CSS_MATCHES_MAX
from mailmcp.mail.html.hidden.declarations import Declaration, parse_style
from mailmcp.mail.html.hidden.doubts import possible_values
from mailmcp.mail.html.hidden.hints import presentation
from mailmcp.mail.html.hidden.selector import HEAVIEST, Compound, Element, classes_of
from mailmcp.mail.html.hidden.stylesheet import Rule
from mailmcp.mail.html.hidden.values import UNKNOWN, is_relative


class Styles(NamedTuple):
    """The properties of an element, twice."""

    certain: Mapping[str, str]
    """By what is certain to apply, everywhere."""

    possible: Mapping[str, str]
    """By all that may apply, UNKNOWN where several values may; the same object if that is no more."""

    soft: frozenset[str] = frozenset()
    """Properties whose value may apply, or else follow from the parent."""


_HINTS: Final = (1, (), 0)
"""The weight of what attributes stand for."""

_CUSTOM_PROPERTY: Final = re.compile(r"(?<![\w-])(--[\w-]++)\s*+(?::|/\*)")
_NOTHING: Final[Mapping[str, str]] = {}
_NO_STYLES: Final = Styles(_NOTHING, _NOTHING)


@dataclass(slots=True)
class Family:
    """What the children of one element know of their ancestors and elder siblings, as sets of compounds."""

    ancestors: int = 0
    parent: int = 0
    elder: int = 0
    before: int = 0


class Cascade:
    """The rules of a document, ready to be asked about its elements in the order of the source."""

    __slots__ = ("_by_key", "_compounds", "_memory", "_names", "_rules", "_variables", "_work", "unchecked")

    def __init__(self, rules: Iterable[Rule], variables: Mapping[str, str] = MappingProxyType({})) -> None:
        self._variables = variables
        self.unchecked = False
        """Whether matching took too long, or depends on what isn't known."""
        self._compounds: list[Compound] = []
        self._rules: dict[int, tuple[tuple[int, int, int], int, Rule]] = {}  # by the last compound's number
        self._by_key: dict[str, list[int]] = defaultdict(list)  # the rarest condition of each compound
        self._memory: dict[tuple[tuple[int, ...], str, tuple[Declaration, ...]], Styles] = {}
        self._work = CSS_MATCHES_MAX
        for order, rule in enumerate(rules):
            for compound in rule.selector.compounds:
                rarest = [*(f"#{name}" for name in compound.ids), *(f".{name}" for name in compound.classes)]
                self._by_key[(rarest or [compound.tag or "*"])[0]].append(len(self._compounds))
                self._compounds.append(compound)
            self._rules[len(self._compounds) - 1] = (rule.selector.specificity, order, rule)
        # Without a doctype names of classes and ids match in any case.
        self._names = {key.lower(): key for key in self._by_key}

    @property
    def is_empty(self) -> bool:
        """Whether there are no rules, so that styles come from attributes alone."""
        return not self._compounds

    def values(self, element: Element, family: Family) -> tuple[Styles, Family]:
        """Return the cascaded values of an element, and the family of its children; update its own family."""
        matched = self._match(element, family) if self._compounds else []
        bits = sum(1 << number for number in matched)
        inner = Family(ancestors=family.ancestors | bits, parent=bits)
        family.elder |= bits
        family.before = bits
        style = element.attributes.get("style", "")
        if "--" in style:
            self.unchecked |= not self._variables.keys().isdisjoint(_CUSTOM_PROPERTY.findall(style))
        ending = tuple(number for number in matched if number in self._rules)
        hints = presentation(element)
        if not ending and not style and not hints:
            return _NO_STYLES, inner
        known = self._memory.get((ending, style, hints))
        if known is None:
            self._work -= len(ending)
            known = self._memory[ending, style, hints] = self._weigh(ending, style, hints)
        return known, inner

    def _match(self, element: Element, family: Family) -> list[int]:
        """Return the numbers of the compounds that match, with all that come before them."""
        classes = classes_of(element)
        names = [f"#{element.attributes.get('id', '')}", *(f".{name}" for name in classes)]
        candidates: list[int] = []
        for key in (element.tag, "*", *names):
            candidates += self._by_key.get(key, ())
        self._work -= len(candidates)
        self.unchecked |= self._work <= 0 or any(self._names.get(key.lower(), key) != key for key in names)
        if self._work <= 0:
            return []
        # Bit n says whether a compound n may follow, since the one before it matched where it must.
        related = {"": -1, " ": family.ancestors << 1, ">": family.parent << 1}
        related |= {"+": family.before << 1, "~": family.elder << 1}
        found = [
            number
            for number in candidates
            if related[(compound := self._compounds[number]).combinator] >> number & 1
            and compound.matches(element, classes)
        ]
        return sorted(found)

    def _weigh(self, ending: tuple[int, ...], style: str, hints: tuple[Declaration, ...]) -> Styles:
        """Choose each value: by importance, then style attribute, specificity, order (CSS Cascade 5)."""
        entries: list[tuple[tuple[int, tuple[int, ...], int], bool, tuple[Declaration, ...]]] = [
            (_HINTS, True, hints),
            *(
                ((2, specificity, order), rule.certain, rule.declarations)
                for specificity, order, rule in map(self._rules.__getitem__, ending)
            ),
            ((3, (), 0), True, parse_style(style, self._variables)),
        ]
        weighed = [
            ((declaration.important, *weight, place), certain and not declaration.doubt, weight, declaration)
            for weight, certain, declarations in entries
            for place, declaration in enumerate(declarations)
        ]
        weighed.sort(key=itemgetter(0))
        certain: dict[str, str] = {}
        by_rules: set[str] = set()  # those that may outrank a rule whose weight isn't known
        possible: dict[str, set[tuple[str, object]]] = {}
        for _, is_certain, weight, declaration in weighed:
            name, value = declaration.name, declaration.value
            if is_certain:
                certain[name] = value
                by_rules |= {name} if weight != _HINTS else set()
                possible.pop(name, None)
            elif name in possible or certain.get(name) != value:
                is_outranked = HEAVIEST in weight and name in by_rules
                doubt = declaration.doubt if weight != _HINTS else ""
                possible.setdefault(name, set()).add((UNKNOWN if is_outranked else value, doubt or weight))
        if not possible:
            return Styles(certain, certain)
        return Styles(
            certain,
            certain | dict(possible_values(possible)),
            frozenset(name for name in possible if is_relative(certain.get(name, "inherit"))),
        )
