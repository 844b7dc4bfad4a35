"""Style sheets to the rules that can hide text, in the order of the cascade.

`@media` is judged by `media`; other at-rules that hold rules may apply or not, and so may nested
rules: they aren't certain. Nothing remote is ever fetched.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import tinycss2

from mailmcp.limits import CSS_CHARS_MAX, CSS_SELECTORS_MAX
from mailmcp.mail.html.hidden.declarations import (
    Declaration,
    has_odd_tokens,
    parse_block,
    serialize,
    serialize_exactly,
)
from mailmcp.mail.html.hidden.media import media_matches
from mailmcp.mail.html.hidden.selector import HEAVIEST, Selector, parse_selector
from mailmcp.mail.html.hidden.values import WIDE
from mailmcp.mail.html.style_elements import StyleSheet

_NESTING_MAX: Final = 6
_NO_RULES: Final = frozenset(
    {"charset", "font-feature-values", "page", "viewport", "-ms-viewport"}
    | {"keyframes", "-webkit-keyframes", "-moz-keyframes", "-o-keyframes", "-ms-keyframes", "font-face"}
)
"""At-rules that apply to no element by themselves."""

_KNOWN: Final = _NO_RULES | {"media", "supports", "container", "import", "-moz-document"}
"""The others change how rules are weighed or what values are (`@layer`, `@scope`, `@property`), draw text
(`@counter-style`), or aren't known."""

_ROOTS: Final = re.compile(r"(?:body ?, ?)?(?:html|:root|\*)(?: ?, ?(?:html|body|:root|\*))*")
"""Selectors of the root: what they set, all elements inherit."""

_FIRST: Final = re.compile(r"::?first-l(?:ine|etter)|::details-content")
_UNDRAWN: Final = re.compile(
    r"::(?:selection|(?:-(?:webkit|moz|ms)-)?(?:input-)?placeholder|-(?:ms|o)-.*|-moz-(?:focus-inner|selection)"
    r"|-webkit-(?:search-.*|(?:inner|outer)-spin-button|file-upload-button|calendar-.*))"
)
"""Pseudo-elements without content of their own, or parts of controls, which aren't read."""

_EMPTY: Final = re.compile(
    r"content:(?:none|normal|[\"']\s*\.?\s*[\"'])|(?:display|clear|visibility|overflow|color|box-sizing|zoom):.*"
    r"|(?:height|width|font-size|line-height):0(?:px)?|font-(?:family|weight|style):.*"
    r"|text-(?!shadow|decoration|emphasis).*|-(?!webkit-).*|-webkit-font-smoothing:.*"
)
"""Declarations of a pseudo-element that draw nothing: clearing floats takes no more."""


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

    variables: Mapping[str, str]
    """Custom properties that have one value in the whole document, by name."""

    unchecked: bool
    """Whether text may be hidden by what isn't in the rules: a font, a pseudo-element, a sheet within a
    sheet, or what lies beyond the limits."""


def parse_sheets(sheets: Iterable[StyleSheet]) -> Rules:
    """Parse style sheets, up to CSS_CHARS_MAX characters and CSS_SELECTORS_MAX selectors."""
    reader = _Reader({})
    sheets = tuple(sheets)
    reader.read_all(sheets)
    # A keyword for all properties makes a custom one invalid: the fallback of `var()` applies.
    variables = {
        name: values.pop()
        for name, values in reader.variables.items()
        if len(values) == 1 and not values <= WIDE | {"revert-layer"}
    }
    if variables:
        reader = _Reader(variables)
        reader.read_all(sheets)
    return Rules(
        rules=tuple(reader.rules[:CSS_SELECTORS_MAX]),
        variables=variables,
        unchecked=reader.unchecked or len(reader.rules) > CSS_SELECTORS_MAX,
    )


class _Reader:
    """Collects rules."""

    __slots__ = ("known", "rules", "unchecked", "variables")

    def __init__(self, known: Mapping[str, str]) -> None:
        self.known = known
        self.rules: list[Rule] = []
        self.variables: dict[str, set[str]] = defaultdict(set)
        self.unchecked = False

    def read_all(self, sheets: Iterable[StyleSheet]) -> None:
        room = CSS_CHARS_MAX
        for sheet in sheets:
            matches = media_matches(sheet.media)
            if matches is False:
                continue
            css = sheet.css[:room]
            self.unchecked = self.unchecked or len(sheet.css) > room or has_odd_tokens(css)
            room -= min(len(sheet.css), room)
            try:
                nodes = tinycss2.parse_stylesheet(css, skip_comments=False, skip_whitespace=True)
            except ValueError:  # a number with more digits than Python reads
                self.unchecked = True
                continue
            self.read(nodes, (), _NESTING_MAX, certain=matches is True)

    def read(self, nodes: Iterable[Any], outer: tuple[Selector, ...], depth: int, *, certain: bool) -> None:
        """Read rules; `outer` are the selectors of the rule that they are nested in, if they are."""
        for node in nodes:
            if node.type == "qualified-rule":
                self.unchecked |= "&" in node.prelude
                selectors = tuple(parse_selector(text) for text in _split(node.prelude))
                if outer:
                    selectors = _make_heaviest(selectors)
                self.unchecked |= not all(each.is_plain for each in selectors)
                # One selector that a browser doesn't understand makes it drop the rule.
                is_certain = certain and not outer and all(each.certain for each in selectors)
                self._read_block(node, selectors, depth, certain=is_certain)
            elif node.type == "at-rule":
                self._read_at_rule(node, outer, depth, certain=certain)

    def _read_block(self, node: Any, selectors: tuple[Selector, ...], depth: int, *, certain: bool) -> None:
        content = tinycss2.parse_blocks_contents(node.content, skip_comments=False, skip_whitespace=True)
        declared = [each for each in content if each.type == "declaration"]
        pseudo_elements = {each.pseudo_element for each in selectors} - {""}
        drawn = [each for each in pseudo_elements if _UNDRAWN.fullmatch(each) is None]
        if drawn and not all(
            _EMPTY.fullmatch(f"{each.lower_name}:{serialize(each.value).lower()}") for each in declared
        ):
            self.unchecked = True
        self.unchecked |= any(map(_FIRST.fullmatch, drawn))
        prelude = serialize(node.prelude).lower()
        is_root = _ROOTS.fullmatch(prelude) if certain else None
        for each in declared:
            if each.name.startswith("--"):
                value = serialize(each.value).lower()
                self.variables[each.name].add(value if is_root and "!" not in value else "")
        selectors = tuple(each for each in selectors if each.matches)
        self.unchecked |= any(max(each.specificity) > max(HEAVIEST) for each in selectors)
        if declarations := parse_block(content, self.known):
            self.rules += (
                Rule(selector=each, declarations=declarations, certain=certain) for each in selectors
            )
        nested = [each for each in content if each.type in ("qualified-rule", "at-rule")]
        # `&` weighs what the rules around weigh, `:not(&)` is what they don't match, `--x:{}` ends elsewhere.
        self.unchecked |= any(token.type == "{} block" for token in node.content)
        if selectors and nested:
            self.read(nested if depth else (), _make_heaviest(selectors), depth - 1, certain=False)

    def _read_at_rule(self, node: Any, outer: tuple[Selector, ...], depth: int, *, certain: bool) -> None:
        name = node.lower_at_keyword
        if name in ("font-face", "import"):
            text = re.sub("[\0-\x20]+", "", serialize(node.content or node.prelude)).lower()
            # Fonts may have no letters; those on other servers aren't fetched, and the next font is used.
            self.unchecked |= bool(re.search(r"data:|cid:|-adjust|-override|\?$|\\", text))
        self.unchecked |= name not in _KNOWN
        if node.content is None or name in _NO_RULES:
            return
        matches = media_matches(serialize(node.prelude)) if name == "media" else None
        if matches is False:
            return
        self.unchecked = self.unchecked or not depth
        if depth and outer:
            self._read_block(node, outer, depth - 1, certain=False)
        elif depth:
            rules = tinycss2.parse_rule_list(node.content, skip_comments=False, skip_whitespace=True)
            self.read(rules, (), depth - 1, certain=certain and matches is True)


def _split(prelude: Iterable[Any]) -> list[str]:
    """Part the selectors of a rule at their commas."""
    groups: list[list[Any]] = [[]]
    for node in prelude:
        if node == ",":
            groups.append([])
        else:
            groups[-1].append(node)
    return [serialize_exactly(group) for group in groups]


def _make_heaviest(selectors: tuple[Selector, ...]) -> tuple[Selector, ...]:
    """Weigh selectors of nested rules: what the heaviest selector around weighs, and their own."""
    return tuple(replace(each, specificity=HEAVIEST) for each in selectors)
