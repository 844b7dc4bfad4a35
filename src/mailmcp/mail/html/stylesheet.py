"""Style sheets of a document: which declarations apply to an element, by importance, specificity and order.

turbohtml matches selectors. A rule that only some mail programs obey (with a structural pseudo-class, in
another rule, in `@supports`, for media that aren't read) is doubtful: an element has its values with such
rules and without them.
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
_OTHER_SCREENS: Final = re.compile(
    r"print|speech|handheld|tty|not (?:all|screen)|\(prefers-color-scheme: ?dark\)|\(max-device-width:.*\)"
    r"|\(orientation: ?portrait\)|\(-(?:webkit|moz)-(?:min-|max-)?device-pixel-ratio:.*\)"
)
_CONDITIONAL: Final = frozenset({"media", "supports", "layer", "container", "scope"})
_STRUCTURAL: Final = re.compile(r":(?!root|link|any-link)")
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
    is_sure: bool


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
            applies = media_applies(media)
            if applies is not False:
                self.is_cut |= len(css) > room
                read = shorten_numbers(css[:room])
                nodes = tinycss2.parse_stylesheet(read, skip_comments=True, skip_whitespace=True)
                self._add_rules(nodes, is_sure=applies is True)
                room = max(room - len(css), 0)

    def values(self, element: Element, style: str, hints: Values) -> tuple[Values, Values]:
        """Return the values of an element by what surely applies, and by all that may.

        Args:
            element: Any of the document.
            style: Its style attribute.
            hints: What its other attributes say, which counts least.
        """
        blocks = [(each.declarations, each.is_sure) for each in sorted(self._rules.get(element, ()))]
        blocks.append((parse_style(style), True))
        certain, possible = dict(hints), dict(hints)
        for important in (False, True):
            for declarations, is_sure in blocks:
                values = {name: value for name, value, its in declarations if its is important}
                possible |= values
                certain |= values if is_sure else {}
        return certain, possible

    def _add_rules(self, nodes: Sequence[Node], *, is_sure: bool, parent: str = "", depth: int = 0) -> None:
        for node in nodes if depth <= _DEPTH_MAX else ():
            if node.type == "qualified-rule":
                self._add_rule(node, is_sure=is_sure, parent=parent, depth=depth)
            elif (
                node.type == "at-rule" and node.lower_at_keyword in _CONDITIONAL and node.content is not None
            ):
                query = tinycss2.serialize(node.prelude)
                applies = media_applies(query) if node.lower_at_keyword == "media" else None
                if applies is not False:
                    inner = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
                    self._add_rules(inner, is_sure=is_sure and applies is True, depth=depth + 1)

    def _add_rule(self, node: Node, *, is_sure: bool, parent: str, depth: int) -> None:
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
            self._add_selector(selector.strip().replace("*|", ""), declarations, is_sure=is_sure)
        nested = [each for each in inner if each.type == "qualified-rule"]
        self._add_rules(nested, is_sure=False, parent=prelude, depth=depth + 1)

    def _add_selector(self, selector: str, declarations: tuple[Declaration, ...], *, is_sure: bool) -> None:
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
        is_sure = is_sure and _STRUCTURAL.search(selector) is None
        for element in found:
            self._rules[element].append(_Rule(specificity, self._selectors, declarations, is_sure))


def _measure(root: Element) -> tuple[int, int]:
    """Count the elements of a tree and its levels."""
    elements = depth = 0
    level = [root]
    while level:
        elements, depth = elements + len(level), depth + 1
        level = [child for each in level for child in each.children if isinstance(child, Element)]
    return elements, depth


@lru_cache(maxsize=512)
def media_applies(media: str) -> bool | None:
    """Return whether a media query list applies to a window on a desktop; None if that isn't known."""
    found = [_query_applies(" ".join(each.lower().split())) for each in media.split(",") if media.strip()]
    return True if True in found or not found else None if None in found else False


def _query_applies(query: str) -> bool | None:
    is_known = True
    for condition in query.removeprefix("only ").split(" and "):
        width = _FEATURE.fullmatch(condition)
        if width is not None:
            limit_px = float(width[2]) * (1 if width[3] == "px" else 16)
            if limit_px > _WIDTH_PX if width[1] == "min" else limit_px < _WIDTH_PX:
                return False
        elif _OTHER_SCREENS.fullmatch(condition):
            return False
        is_known &= width is not None or condition in ("all", "screen")
    return True if is_known else None
