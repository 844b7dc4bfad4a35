"""Style sheets to the rules that can hide text, in the order of the cascade.

At-rules: `@media` by `html.media`, `@supports` unless it begins with ``not``,
`@layer` as if it were not there. `@import` and other remote things are never followed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import tinycss2

from mailmcp.envelope.limits import CSS_CHARS_MAX, CSS_SELECTORS_MAX
from mailmcp.mail.html.media import media_holds
from mailmcp.mail.html.selector import Selector, parse_selectors
from mailmcp.mail.html.style import Declaration, parse_block
from mailmcp.mail.html.tame import StyleSheet

_NESTING_MAX: Final = 4  # of at-rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One selector, and what it declares."""

    selector: Selector
    declarations: tuple[Declaration, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of a document that can hide text."""

    rules: tuple[Rule, ...]
    """In the order written."""

    complete: bool
    """False if style sheets were longer than is read of them."""


def parse_sheets(sheets: Iterable[StyleSheet]) -> Rules:
    """Read style sheets, CSS_CHARS_MAX characters and CSS_SELECTORS_MAX selectors at most."""
    found: list[Rule] = []
    room, complete = CSS_CHARS_MAX, True
    for sheet in sheets:
        if not media_holds(sheet.media):
            continue
        complete = complete and len(sheet.css) <= room
        nodes = tinycss2.parse_stylesheet(sheet.css[:room], skip_comments=True, skip_whitespace=True)
        room -= min(len(sheet.css), room)
        for rule in _rules(nodes, _NESTING_MAX):
            if len(found) == CSS_SELECTORS_MAX:
                return Rules(rules=tuple(found), complete=False)
            found.append(rule)
    return Rules(rules=tuple(found), complete=complete)


def _rules(nodes: Iterable[Any], depth: int) -> Iterator[Rule]:
    for node in nodes:
        if node.type == "qualified-rule":
            content = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
            declarations = parse_block(content)
            if declarations:
                for selector in parse_selectors(_trim(node.prelude)):
                    yield Rule(selector=selector, declarations=declarations)
        elif node.type == "at-rule" and node.content is not None and depth and _holds(node):
            inner = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
            yield from _rules(inner, depth - 1)


def _trim(prelude: list[Any]) -> list[Any]:
    """Leave out comments, which may stand between any two tokens."""
    return [token for token in prelude if token.type != "comment"]


def _holds(rule: Any) -> bool:
    if rule.lower_at_keyword == "layer":
        return True
    condition = _words(rule.prelude)
    if rule.lower_at_keyword == "supports":
        return not condition.strip().startswith("not")
    return rule.lower_at_keyword == "media" and media_holds(condition)


def _words(tokens: Iterable[Any]) -> str:
    """Write a condition as text, with "?" for deeper brackets than are understood."""
    text = ""
    for token in tokens:
        if token.type == "() block" and not any(map(_has_brackets, token.content)):
            text += f"({tinycss2.serialize(token.content)})"
        else:
            text += "?" if _has_brackets(token) else token.serialize()
    return text


def _has_brackets(token: Any) -> bool:
    """Tell whether a token holds others; serialising them recurses."""
    return hasattr(token, "content") or hasattr(token, "arguments")
