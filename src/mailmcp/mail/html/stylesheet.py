"""Style sheets of a document: which declarations apply to an element, by importance, specificity and order.

turbohtml matches selectors. Rules within rules, in layers, containers and scopes, and for what a browser may
support, apply; media are those of a window on a desktop.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import tinycss2
from tinycss2.ast import Node
from turbohtml import Element, SelectorSyntaxError

from mailmcp.mail.html.declarations import Declaration, expand, parse_style, shorten_numbers
from mailmcp.mail.html.tree import Page

_CHARS_MAX: Final = 200_000  # of all style sheets of a message; real ones have 30,000
_SELECTORS_MAX: Final = 2_000  # newsletters have some hundreds
_SELECTOR_CHARS_MAX: Final = 500
_DEPTH_MAX: Final = 4  # of rules and blocks in each other
_STEPS_MAX: Final = 200_000_000
"""Elements looked at for all selectors, with those around: a second at worst. A newsletter needs a tenth."""

_STEPS_OF_MATCH: Final = 1_000  # a rule for an element is sorted and read

_WIDTH_PX: Final = 1_024  # of the window that a person reads in
_FEATURE: Final = re.compile(r"\(\s*(min|max)-width\s*:\s*([\d.]+)(px|em|rem)\s*\)")
_TRUE: Final = frozenset(
    {"all", "screen", "(color)", "(hover)", "(hover:hover)", "(pointer:fine)", "(orientation:landscape)"}
    | {"(prefers-color-scheme:light)"}
)
"""What holds of such a window, besides its width. Other conditions don't, or browsers don't know them."""

_CONDITIONAL: Final = frozenset({"media", "supports", "layer", "container", "scope"})
_RELATED: Final = re.compile(r"\S[\s~]+\S")
_NAMED: Final = (
    re.compile(r"#[\w-]"),
    re.compile(r"[.:\[][\w-]"),
    re.compile(r"(?:^|[\s>+~(,])[a-z]", re.IGNORECASE),
)
"""What counts for the specificity of a selector: ids, classes with attributes, and tags."""

Values = dict[str, str]
"""The value of each property that an element has one of."""


class _Rule(NamedTuple):
    specificity: tuple[int, ...]
    number: int
    declarations: tuple[Declaration, ...]


class StyleSheets:
    """The rules of a document by the elements that they are for."""

    def __init__(self, page: Page) -> None:
        self.is_cut = False
        """Whether there are more rules than are applied."""

        self._root = page.root
        self._elements, self._depth = _measure(page.root) if page.sheets else (0, 0)
        self._steps, self._selectors = _STEPS_MAX, 0
        self._rules: defaultdict[Element, list[_Rule]] = defaultdict(list)
        room = _CHARS_MAX
        for css, media in page.sheets:
            if media_applies(media):
                self.is_cut |= len(css) > room
                read = shorten_numbers(css[:room])
                self._add_rules(tinycss2.parse_stylesheet(read, skip_comments=True, skip_whitespace=True))
                room = max(room - len(css), 0)

    def values(self, element: Element, style: str, hints: Values) -> Values:
        """Return the values of an element.

        Args:
            element: Any of the document.
            style: Its style attribute.
            hints: What its other attributes say, which counts least.
        """
        blocks = [each.declarations for each in sorted(self._rules.get(element, ()))]
        blocks.append(parse_style(style))
        found = dict(hints)
        for important in (False, True):
            for declarations in blocks:
                found |= {name: value for name, value, its in declarations if its is important}
        return found

    def _add_rules(self, nodes: Sequence[Node], *, parent: str = "", depth: int = 0) -> None:
        for node in nodes if depth <= _DEPTH_MAX else ():
            if node.type == "qualified-rule":
                self._add_rule(node, parent=parent, depth=depth)
            elif node.type == "at-rule" and node.content is not None and _applies(node):
                inner = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
                self._add_rules(inner, depth=depth + 1)

    def _add_rule(self, node: Node, *, parent: str, depth: int) -> None:
        inner = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
        try:
            declarations = expand(inner)
            prelude = tinycss2.serialize([each for each in node.prelude if each.type != "comment"])
        except RecursionError:  # of tinycss2, which writes nested brackets recursively
            return
        prelude = prelude.strip()
        if parent:
            around = f":is({parent})"
            prelude = prelude.replace("&", around) if "&" in prelude else f"{around} {prelude}"
        for selector in re.split(r",(?![^()]*\))", prelude) if declarations else ():
            self._add_selector(selector.strip().replace("*|", ""), declarations)
        nested = [each for each in inner if each.type == "qualified-rule"]
        self._add_rules(nested, parent=prelude, depth=depth + 1)

    def _add_selector(self, selector: str, declarations: tuple[Declaration, ...]) -> None:
        self._selectors += 1
        self._steps -= self._elements * (self._depth if _RELATED.search(selector) else 1)
        if self._selectors > _SELECTORS_MAX or self._steps < 0 or len(selector) > _SELECTOR_CHARS_MAX:
            self.is_cut = True
            return
        try:
            found = self._root.select(selector)
        except SelectorSyntaxError:
            return
        self._steps -= len(found) * _STEPS_OF_MATCH
        specificity = tuple(len(pattern.findall(selector)) for pattern in _NAMED)
        for element in found:
            self._rules[element].append(_Rule(specificity, self._selectors, declarations))


def _measure(root: Element) -> tuple[int, int]:
    """Count the elements of a tree and its levels."""
    elements = depth = 0
    level = [root]
    while level:
        elements, depth = elements + len(level), depth + 1
        level = [child for each in level for child in each.children if isinstance(child, Element)]
    return elements, depth


def _applies(rule: Node) -> bool:
    query = tinycss2.serialize(rule.prelude).strip()
    if rule.lower_at_keyword == "media":
        return media_applies(query)
    return rule.lower_at_keyword in _CONDITIONAL and not query.startswith("not ")


@lru_cache(maxsize=512)
def media_applies(media: str) -> bool:
    """Return whether a media query list applies to a window on a desktop."""
    queries = re.split(r",| or ", " ".join(media.lower().split()))
    return not media.strip() or any(map(_query_applies, queries))


def _query_applies(query: str) -> bool:
    for condition in query.strip().removeprefix("only ").split(" and "):
        width = _FEATURE.fullmatch(condition.strip())
        if width is not None:
            limit_px = float(width[2]) * (1 if width[3] == "px" else 16)
            if limit_px > _WIDTH_PX if width[1] == "min" else limit_px < _WIDTH_PX:
                return False
        elif condition.replace(" ", "") not in _TRUE:
            return False
    return True
