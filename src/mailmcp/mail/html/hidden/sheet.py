"""Style sheets to the rules that can hide text, in the order of the cascade.

At-rules: `@media` by `html.media`; what else holds rules may apply or not, and so may nested
rules: they are not certain. Nothing remote is ever followed.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import tinycss2

from mailmcp.limits import CSS_CHARS_MAX, CSS_SELECTORS_MAX
from mailmcp.mail.html.hidden.media import media_holds
from mailmcp.mail.html.hidden.selector import Selector, parse_selector
from mailmcp.mail.html.hidden.style import Declaration, parse_block, serialize
from mailmcp.mail.html.normalize import StyleSheet

_NESTING_MAX: Final = 6
_NO_RULES: Final = frozenset(
    {"charset", "counter-style", "font-feature-values", "page", "property", "viewport", "-ms-viewport"}
    | {"keyframes", "-webkit-keyframes", "-moz-keyframes", "-o-keyframes", "-ms-keyframes", "font-face"}
)
"""At-rules that apply to no element by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One selector, and what it declares."""

    selector: Selector
    declarations: tuple[Declaration, ...]
    certain: bool
    """False if it may apply or not, or to fewer elements than the selector matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of a document that can hide text."""

    rules: tuple[Rule, ...]
    """In the order written."""

    complete: bool
    """False if style sheets were longer, or more deeply nested, than is read of them."""

    judged: bool
    """False if text may be hidden by what is not in the rules: a font, or a sheet within a sheet."""


def parse_sheets(sheets: Iterable[StyleSheet]) -> Rules:
    """Read style sheets, CSS_CHARS_MAX characters and CSS_SELECTORS_MAX selectors at most."""
    reader = _Reader()
    room = CSS_CHARS_MAX
    for sheet in sheets:
        holds = media_holds(sheet.media)
        if holds is False:
            continue
        reader.complete = reader.complete and len(sheet.css) <= room
        nodes = tinycss2.parse_stylesheet(sheet.css[:room], skip_comments=True, skip_whitespace=True)
        room -= min(len(sheet.css), room)
        reader.read(nodes, (), _NESTING_MAX, certain=holds is True)
    return Rules(
        rules=tuple(reader.rules[:CSS_SELECTORS_MAX]),
        complete=reader.complete and len(reader.rules) <= CSS_SELECTORS_MAX,
        judged=reader.judged,
    )


class _Reader:
    """Collects rules."""

    __slots__ = ("complete", "judged", "rules")

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.complete = self.judged = True

    def read(self, nodes: Iterable[Any], outer: tuple[Selector, ...], depth: int, *, certain: bool) -> None:
        """Read rules; `outer` are the selectors of the rule that they are nested in, if they are."""
        for node in nodes:
            if node.type == "qualified-rule":
                self._read_rule(node, depth, certain=certain and not outer)
            elif node.type == "at-rule":
                self._read_at_rule(node, outer, depth, certain=certain)

    def _read_rule(self, node: Any, depth: int, *, certain: bool) -> None:
        selectors = [parse_selector(text) for text in _split(node.prelude)]
        # One selector that a browser does not understand makes it drop the rule.
        certain = certain and all(each.certain for each in selectors)
        self._read_block(node, tuple(each for each in selectors if each.matches), depth, certain=certain)

    def _read_block(self, node: Any, selectors: tuple[Selector, ...], depth: int, *, certain: bool) -> None:
        content = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
        if declarations := parse_block(content):
            self.rules += (
                Rule(selector=each, declarations=declarations, certain=certain) for each in selectors
            )
        nested = [each for each in content if each.type in ("qualified-rule", "at-rule")]
        if nested and selectors:
            self.complete = self.complete and depth > 0
            self.read(nested if depth else (), selectors, depth - 1, certain=False)

    def _read_at_rule(self, node: Any, outer: tuple[Selector, ...], depth: int, *, certain: bool) -> None:
        name = node.lower_at_keyword
        if name in ("font-face", "import", "namespace"):
            text = serialize(node.content or node.prelude).lower()
            # Fonts may have no letters; what is fetched from elsewhere is not: then the next font is used.
            self.judged = self.judged and name != "namespace" and not re.search(r"data:|-adjust|\?$", text)
        if node.content is None or name in _NO_RULES:
            return
        holds = media_holds(serialize(node.prelude)) if name == "media" else None
        if holds is False:
            return
        self.complete = self.complete and depth > 0
        if depth and outer:
            self._read_block(node, outer, depth - 1, certain=False)
        elif depth:
            rules = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
            self.read(rules, (), depth - 1, certain=certain and holds is True)


def _split(prelude: Iterable[Any]) -> list[str]:
    """Part the selectors of a rule at their commas."""
    groups: list[list[Any]] = [[]]
    for node in prelude:
        if node == ",":
            groups.append([])
        else:
            groups[-1].append(node)
    return [serialize(group) for group in groups]
