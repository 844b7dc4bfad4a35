"""Text that HTML hides from people: removed where that is certain, marked where it may be so.

What counts is what a person sees who reads the mail in a window on a desk, with images off and
nothing clicked. Each text is judged twice: by the styles that certainly apply, and by all that may
apply (`html.cascade`). Hidden by both, it is removed; not known to show by one, it is marked.

Not hidden: `aria-hidden` (it hides from screen readers alone), `mso-hide` (it hides from Outlook
alone, and stands on buttons whose twin only Outlook shows).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from mailmcp.mail.clean import clean_text
from mailmcp.mail.html.hidden.cascade import Cascade, Family
from mailmcp.mail.html.hidden.hints import STYLED
from mailmcp.mail.html.hidden.overflow import OverflowEstimate
from mailmcp.mail.html.hidden.selector import Element
from mailmcp.mail.html.hidden.sheet import parse_sheets
from mailmcp.mail.html.hidden.shown import inherit
from mailmcp.mail.html.hidden.state import State
from mailmcp.mail.html.hidden.values import MAYBE
from mailmcp.mail.html.normalize import StyleSheet, normalize_html
from mailmcp.mail.html.tags import BLOCKS, TABLE_PARTS, TAG_ATTRIBUTE

MARK_OPENING: Final = "[may be hidden: "
"""What is written before text that may be hidden, with a bracket after it; those within it become round."""

_REPLACED: Final = frozenset(
    {"canvas", "meter", "progress", "template"}
    | {"annotation", "annotation-xml", "mphantom"}  # MathML
    | {"defs", "desc", "metadata", "symbol"}  # SVG
)
"""Elements that browsers draw something else for than their content, or nothing at all."""

_MAYBE_REPLACED: Final = frozenset(
    {"audio", "details", "marquee", "math", "noscript", "object", "option", "svg", "video"}
)
"""Elements whose content some programs show, or show a part of."""

_SPECIAL: Final = _REPLACED | _MAYBE_REPLACED | STYLED.keys() | {"dialog", "datalist", "rp", "summary"}
_BRACKETS_MAX: Final = 2  # characters in `rp`, which is shown only where ruby is not understood
_ROUND: Final = str.maketrans("[]", "()")


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlDocument:
    """A parsed document, and the style sheets that were in it."""

    tree: LexborHTMLParser
    sheets: tuple[StyleSheet, ...]
    complete: bool = True
    """False if elements were left out whose styles may have hidden text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """What was removed from a document, and what was marked in it."""

    by_technique: Mapping[str, int]
    """Removed passages by how they were hidden: an element with text in it is one passage, and so are
    texts hidden alike with nothing shown between them."""

    chars: int
    """Of all removed passages, as they would read: runs of white space as one, invisible characters not
    at all."""

    marked: int
    """Passages that may be hidden, from 0: each stands in a mark."""

    marked_chars: int
    """Of all marked passages."""

    complete: bool
    """False if the style sheets were too long or too costly to be followed to the end."""

    judged: bool
    """False if text that is not marked may be hidden as well."""


@dataclass(slots=True)
class _Level:
    """An open element: what it hands down, and what its children know of each other."""

    certain: State
    possible: State
    family: Family
    block: int = 0
    """Which block of text it is in."""

    summary: State | None = None
    """What the first summary of a closed `details` inherits: it alone is shown."""


def parse_html(html: str) -> HtmlDocument:
    """Parse HTML of any kind in linear time."""
    normalized = normalize_html(html)
    # Without events: the parser then does not copy content on its own.
    tree = LexborHTMLParser(normalized.html, options=LexborDocumentOptions.WO_EVENTS)
    return HtmlDocument(tree=tree, sheets=normalized.sheets, complete=normalized.complete)


def remove_hidden(document: HtmlDocument) -> Hidden:
    """Remove the hidden elements and texts of a document, and mark what may be hidden."""
    rules = parse_sheets(document.sheets)
    search = _Search(Cascade(rules.rules))
    root = document.tree.root
    state = State()
    node, levels = root, [_Level(state, state, Family())]
    while node is not None:
        level = search.visit(node, levels[-1])
        if level is not None and node.first_child is not None:
            levels.append(level)
            node = node.first_child
            continue
        while node is not None and node.next is None and len(levels) > 1:
            levels.pop()
            node = node.parent
        node = node.next if node is not None and len(levels) > 1 else None
    hidden = Hidden(
        by_technique=search.passages,
        chars=sum(map(_chars, search.hidden)),
        marked=len(search.maybe_hidden),
        marked_chars=sum(_chars(node) for run in search.maybe_hidden for node in run),
        complete=rules.complete and search.cascade.complete,
        judged=rules.judged and search.judged and document.complete,
    )
    for run in search.maybe_hidden:  # only now: changing them changes what is next
        _mark(run)
    for each in search.hidden:
        each.decompose()
    return hidden


class _Search:
    """What was found to be hidden so far."""

    __slots__ = (
        "blocks",
        "cascade",
        "goes_on",
        "hidden",
        "judged",
        "maybe_hidden",
        "overflow",
        "passages",
        "states",
        "verdicts",
    )

    def __init__(self, cascade: Cascade) -> None:
        self.cascade = cascade
        self.hidden: list[LexborNode] = []
        self.passages: Counter[str] = Counter()
        self.maybe_hidden: list[list[LexborNode]] = []
        self.goes_on: object = ""  # how the last text was hidden, or in which block it may be
        self.blocks = 0
        self.judged = True
        self.overflow = OverflowEstimate()
        self.verdicts: dict[State, str] = {}
        self.states: dict[tuple[str, int, int], tuple[State, Mapping[str, str], State]] = {}

    def visit(self, node: LexborNode, level: _Level) -> _Level | None:
        """Judge one node, and note it if it is hidden: None then."""
        if node.is_text_node:
            return self._visit_text(node, level)
        attributes = {name: value or "" for name, value in node.attributes.items()}
        tag = attributes.get(TAG_ATTRIBUTE) or node.tag or ""
        is_block = tag in BLOCKS or tag in TABLE_PARTS
        self.blocks += is_block
        block = self.blocks if is_block else level.block
        if not attributes and tag not in _SPECIAL and self.cascade.is_empty:
            return _Level(level.certain, level.possible, level.family, block)  # most of most mail
        element = Element(tag=tag, attributes=attributes, first_child=level.family.eldest)
        styles, family = self.cascade.values(element, level.family)
        before = level.possible
        if tag == "summary" and level.summary is not None:
            before, level.summary = level.summary, None
        certain = self._inherit(tag, styles.certain, level.certain)
        possible = self._inherit(tag, styles.possible, before)
        technique = "display" if _is_gone(tag, node) else _certainly(certain.box, possible.box)
        self.judged = self.judged and not possible.covers and "shadowrootmode" not in attributes
        if technique not in ("", MAYBE):
            self.hidden += node.iter() if tag == "html" else [node]  # a document keeps its root
            if node.text().strip():
                self.passages[technique] += 1
            self.goes_on = ""
            return None
        if possible.room and possible is not before:
            possible = self._fit(node, possible, before)
        found = _Level(certain, possible, family, block)
        if tag in _MAYBE_REPLACED and "open" not in attributes:
            found.summary = possible if tag == "details" else None
            found.possible = replace(possible, box=MAYBE)
        return found

    def _fit(self, node: LexborNode, state: State, outer: State) -> State:
        """Change what an element hands down if its content does not fit in it."""
        if state.room is None or not self.overflow.overflows(node, state.room, state.font_px):
            return state
        if state.painted:  # only its background ends there
            return replace(state, backgrounds=state.backgrounds + outer.backgrounds)
        return replace(state, box=MAYBE)

    def _inherit(self, tag: str, values: Mapping[str, str], outer: State) -> State:
        """Find what children inherit, once for equal elements."""
        if not values:
            return outer
        key = tag, id(values), id(outer)
        known = self.states.get(key)
        if known is None:  # with what its key is made of, which thus stays where it is
            known = self.states[key] = inherit(tag, values, outer), values, outer
        return known[0]

    def _visit_text(self, node: LexborNode, level: _Level) -> _Level | None:
        # Texts that people do not see hide beside elements which they do see.
        if not (node.text_content or "").strip():
            return level
        technique = _certainly(self._judge(level.certain), self._judge(level.possible))
        goes_on = (technique, level.block) if technique == MAYBE else technique
        if technique == MAYBE:
            if goes_on != self.goes_on:
                self.maybe_hidden.append([])
            self.maybe_hidden[-1].append(node)
        elif technique:
            self.hidden.append(node)
            self.passages[technique] += goes_on != self.goes_on
        self.goes_on = goes_on
        return level if technique in ("", MAYBE) else None

    def _judge(self, state: State) -> str:
        verdict = self.verdicts.get(state)
        if verdict is None:
            verdict = self.verdicts[state] = state.judge_text()
        return verdict


def _certainly(first: str, second: str) -> str:
    """Join the verdicts by what certainly applies, and by all that may: MAYBE if one hides alone."""
    if not first and not second:
        return ""
    return MAYBE if MAYBE in (first, second) or not (first and second) else first


def _is_gone(tag: str, node: LexborNode) -> bool:
    return tag in _REPLACED or (tag == "rp" and len(node.text().strip()) > _BRACKETS_MAX)


def _mark(run: list[LexborNode]) -> None:
    """Write a mark around the texts of a passage."""
    texts = [(node.text_content or "").translate(_ROUND) for node in run]
    texts[0] = MARK_OPENING + texts[0].lstrip()
    texts[-1] = f"{texts[-1].rstrip()}]"
    for node, text in zip(run, texts, strict=True):
        node.replace_with(text)


def _chars(node: LexborNode) -> int:
    text = node.text_content if node.is_text_node else node.text()
    return len(" ".join(clean_text(text or "").text.split()))
