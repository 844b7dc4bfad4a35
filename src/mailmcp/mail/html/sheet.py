"""Style sheets to the rules that can hide text, in the order of the cascade.

At-rules: `@media` by `html.media`, `@supports` unless it begins with ``not``,
`@layer` as if it were not there. `@import` and other remote things are never followed.
Of what is not followed either, such as nested rules, it is noted whether it may hide text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import tinycss2

from mailmcp.limits import CSS_CHARS_MAX, CSS_SELECTORS_MAX
from mailmcp.mail.html.media import media_holds
from mailmcp.mail.html.selector import Selector, parse_selector, split_selectors
from mailmcp.mail.html.style import Declaration, parse_block
from mailmcp.mail.html.tame import StyleSheet
from mailmcp.mail.html.unfollowed import hides, names_needed

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

    unfollowed: frozenset[frozenset[str]] = frozenset()
    """What a message must have, all of it, for a rule that is not followed to hide text: see
    `html.unfollowed`."""


def parse_sheets(sheets: Iterable[StyleSheet]) -> Rules:
    """Read style sheets, CSS_CHARS_MAX characters and CSS_SELECTORS_MAX selectors at most."""
    found: list[Rule] = []
    unfollowed: set[frozenset[str]] = set()
    room, complete = CSS_CHARS_MAX, True
    for sheet in sheets:
        if not media_holds(sheet.media):
            continue
        complete = complete and len(sheet.css) <= room
        nodes = tinycss2.parse_stylesheet(sheet.css[:room], skip_comments=True, skip_whitespace=True)
        room -= min(len(sheet.css), room)
        for rule in _rules(nodes, _NESTING_MAX):
            if not isinstance(rule, Rule):
                unfollowed.add(rule)
            elif len(found) == CSS_SELECTORS_MAX:
                complete = False
                break
            else:
                found.append(rule)
    return Rules(rules=tuple(found), complete=complete, unfollowed=frozenset(unfollowed))


def _rules(nodes: Iterable[Any], depth: int) -> Iterator[Rule | frozenset[str]]:
    """Yield the rules that are followed, and what is needed for those that are not."""
    for node in nodes:
        if node.type == "qualified-rule":
            yield from _rules_of(node, depth)
        elif node.type == "at-rule" and node.content is not None:
            if depth and _holds(node):
                yield from _rules(_rule_list(node), depth - 1)
            elif not depth or _may_hold(node):
                yield from _hidden_by(_rule_list(node), depth - 1)


def _rules_of(node: Any, depth: int) -> Iterator[Rule | frozenset[str]]:
    content = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
    declarations = parse_block(content)
    for group in split_selectors(_trim(node.prelude)) if declarations else ():
        selector = parse_selector(group)
        if selector is not None:
            yield Rule(selector=selector, declarations=declarations)
        elif group and (needed := names_needed(group)) is not None and hides(declarations):
            yield needed
    yield from _hidden_by(content, depth - 1)


def _hidden_by(nodes: Iterable[Any], depth: int) -> Iterator[frozenset[str]]:
    """Yield what is needed for rules among these nodes, and within them, that hide text."""
    for node in nodes:
        if node.type not in ("qualified-rule", "at-rule") or not node.content:
            continue
        if depth <= 0:
            yield frozenset()  # too deep to be looked at
            continue
        if node.type == "at-rule" and not (_holds(node) or _may_hold(node)):
            continue
        content = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
        if hides(parse_block(content)):
            groups = [] if node.type == "at-rule" else [*split_selectors(_trim(node.prelude))]
            yield from (needed for each in groups if (needed := names_needed(each)) is not None)
            if node.type == "at-rule":
                yield frozenset()
        yield from _hidden_by(content, depth - 1)


def _rule_list(node: Any) -> list[Any]:
    rules: list[Any] = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
    return rules


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


def _may_hold(rule: Any) -> bool:
    """Tell whether an at-rule that does not hold here may hold elsewhere: what it asks is not known."""
    if rule.lower_at_keyword == "media":
        return "?" in _words(rule.prelude)
    return rule.lower_at_keyword in ("container", "scope", "supports")


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
