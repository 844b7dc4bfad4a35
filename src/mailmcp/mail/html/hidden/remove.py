"""Hidden text of a document: removed where it is certain, marked where it is possible.

What counts is what a person sees who reads the mail in a window on a desktop, with images off and
nothing clicked. Each text is judged by the styles that certainly apply, by all that may apply
(`cascade`), and by what else is possible if these do for some elements and not for others. Text that
all hide is removed. Text that any of them may hide is marked.

`aria-hidden` and `mso-hide` don't hide: the first is for screen readers, the second for Outlook.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from mailmcp.mail.clean import clean_text
from mailmcp.mail.html.hidden.boxes import INDENTS_PX
from mailmcp.mail.html.hidden.cascade import Cascade, Family, Styles
from mailmcp.mail.html.hidden.fit import fits, is_cut
from mailmcp.mail.html.hidden.hints import STYLED, parse_legacy_colour
from mailmcp.mail.html.hidden.painting import BACKGROUNDS, ODD_BOXES, is_raised
from mailmcp.mail.html.hidden.picture import judge_picture
from mailmcp.mail.html.hidden.possible import PossibleStyles
from mailmcp.mail.html.hidden.selector import Element, parse_selector
from mailmcp.mail.html.hidden.style import ComputedStyle
from mailmcp.mail.html.hidden.stylesheet import Rule, parse_sheets
from mailmcp.mail.html.hidden.traits import RAISED_MIN, Traits
from mailmcp.mail.html.hidden.values import MAYBE, TRANSITIONS, WIDE
from mailmcp.mail.html.marks import MARK_OPENING, ROUND
from mailmcp.mail.html.normalize import normalize_html
from mailmcp.mail.html.style_elements import StyleSheet
from mailmcp.mail.html.tags import DISPLAYED_AS_BLOCKS, TABLE_PARTS, TAG_ATTRIBUTE, WRITTEN_HERE

_NOT_RENDERED: Final = frozenset({"meter", "progress", "template", "iframe", "textarea", "fencedframe"})
"""Elements that browsers draw something else for than their content, or nothing at all."""

LINE_ATTRIBUTE: Final = f"{TAG_ATTRIBUTE}-line"
"""Whether an element has lines of its own, if its style makes it unlike its kind."""

_IN_LINE: Final = frozenset({"inline", "contents"})
_EITHER: Final = frozenset(
    {"", "none", "inline-block", "inline-flex", "inline-grid", "inline-table", "ruby", *WIDE}
)
_MAYBE_RENDERED: Final = frozenset(
    {"audio", "canvas", "video", "math", "svg"}
    | {"details", "marquee", "noscript", "object", "optgroup", "option", "select"}
    | {"camera", "geolocation", "install", "microphone", "permission", "usermedia"}  # of Chromium
    | {"menubar", "menuitem", "menulist", "submenu"}
)
"""Elements whose content some programs show, or show a part of."""

_SPECIAL: Final = (
    _NOT_RENDERED | _MAYBE_RENDERED | INDENTS_PX.keys() | STYLED.keys() | ODD_BOXES | {"caption", "datalist"}
)
_ODD: Final = frozenset({"autofocus", "overscrollarea", "overscrollcontainer", "shadowrootmode"})
"""Attributes that make rules with `:focus-within` apply, move an element, or show a shadow tree."""

_FADING_MAX: Final = 2  # each of a second, after as much delay
_LOW_LINE_CHARS: Final = 60  # more may be two lines, which lie on each other with an old doctype
_COLUMN_STYLES: Final = BACKGROUNDS | {"visibility"}
_BRACKETS: Final = re.compile(r"[^\w]{0,2}")
"""What `rp` may have, which is shown only where ruby isn't supported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlDocument:
    """A parsed document, and the style sheets that were in it."""

    tree: LexborHTMLParser
    sheets: tuple[StyleSheet, ...]
    unchecked: bool = False
    """Whether browsers may read the document otherwise."""


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
    """Passages that may be hidden."""

    marked_chars: int
    """Of all marked passages."""

    unchecked: bool
    """Whether text that isn't marked may be hidden as well."""


@dataclass(slots=True)
class _Level:
    """An open element: what it hands down, and what its children know of each other."""

    certain: ComputedStyle
    possible: ComputedStyle
    family: Family
    mixed: tuple[ComputedStyle, ...] = ()
    """What it hands down if what may apply does so for some of the elements around, and not for others."""

    block: int = 0
    """Which block of text it is in."""

    raised: int = 0
    """How many inline elements around it raise or lower their text; annotations count as two."""

    fading: int = 0
    """How many elements around it have transitions: they wait for each other if what changes is inherited."""

    is_removed: bool = False
    """Whether what is in it only matters for what follows."""

    summary: ComputedStyle | None = None
    """What the first summary of a closed `details` inherits: it alone is shown."""


def parse_html(html: str) -> HtmlDocument:
    """Parse HTML of any kind in linear time."""
    normalized = normalize_html(html)
    # Without events: the parser then doesn't copy content on its own.
    tree = LexborHTMLParser(normalized.html, options=LexborDocumentOptions.WO_EVENTS)
    return HtmlDocument(tree=tree, sheets=normalized.sheets, unchecked=normalized.ambiguous)


def remove_hidden(document: HtmlDocument) -> Hidden:
    """Remove the hidden elements and texts of a document, and mark what may be hidden."""
    rules = parse_sheets(document.sheets)
    visitor = _Visitor(Cascade((*_link_rules(document.tree), *rules.rules), rules.variables))
    style = ComputedStyle()
    node, levels = document.tree.root, [_Level(style, style, Family())]
    while node is not None:
        level = visitor.visit(node, levels[-1])
        if level is not None and node.first_child is not None:
            levels.append(level)
            node = node.first_child
            continue
        while node is not None and node.next is None and len(levels) > 1:
            levels.pop()
            node = node.parent
        node = node.next if node is not None and len(levels) > 1 else None
    hidden = Hidden(
        by_technique=visitor.passages,
        chars=sum(_count_chars(node) for node in visitor.hidden if node.tag != "img"),
        marked=len(visitor.marked),
        marked_chars=sum(_count_chars(node) for run in visitor.marked for node in run),
        unchecked=visitor.unchecked
        or document.unchecked
        or rules.unchecked
        or visitor.cascade.unchecked
        or visitor.styles.unchecked
        or visitor.traits.may_hide,
    )
    for run in visitor.marked:  # only now: changing them changes what is next
        _mark(run)
    for each in visitor.hidden:
        each.decompose()
    return hidden


def _link_rules(tree: LexborHTMLParser) -> tuple[Rule, ...]:
    """Return what `link` of the body does, and `vlink` may do; all other rules come after them."""
    found: list[Rule] = []
    for name, is_certain in (("link", True), ("vlink", False)):
        colour = (tree.body.attributes.get(name) if tree.body else None) or ""
        if declarations := parse_legacy_colour("color", colour):
            selector = parse_selector(":where(a:link)")
            found.append(Rule(selector=selector, declarations=declarations, certain=is_certain))
    return tuple(found)


class _Visitor:
    """Judges the nodes of a document in order, and collects what is hidden."""

    __slots__ = (
        "blocks",
        "cascade",
        "hidden",
        "last",
        "marked",
        "passages",
        "styles",
        "traits",
        "unchecked",
        "verdicts",
    )

    def __init__(self, cascade: Cascade) -> None:
        self.cascade = cascade
        self.hidden: list[LexborNode] = []
        self.passages: Counter[str] = Counter()
        self.marked: list[list[LexborNode]] = []
        self.last: object = ""  # how the last text was hidden, or in which block it was marked
        self.blocks = 0
        self.traits = Traits()
        self.unchecked = False
        self.verdicts: dict[ComputedStyle, str] = {}
        self.styles = PossibleStyles()

    def visit(self, node: LexborNode, level: _Level) -> _Level | None:
        """Judge one node; None if what is in it doesn't matter."""
        if node.is_text_node:
            return None if level.is_removed else self._visit_text(node, level)
        attributes = {name: value or "" for name, value in node.attributes.items()}
        tag = attributes.get(TAG_ATTRIBUTE) or node.tag or ""
        if not WRITTEN_HERE.isdisjoint(attributes):  # of these no selector knows
            attributes = {name: value for name, value in attributes.items() if name not in WRITTEN_HERE}
        is_block = tag in DISPLAYED_AS_BLOCKS or tag in TABLE_PARTS
        self.blocks += is_block
        block = self.blocks if is_block else level.block
        inner = level.possible
        reaches = not is_block or (inner.block_backgrounds == inner.backgrounds and not inner.letters)
        is_plain = not (attributes or tag in _SPECIAL or inner.layout or inner.low_line or level.mixed)
        if is_plain and self.cascade.is_empty and reaches:
            # So is most of most mail.
            certain, family = level.certain, level.family
            return _Level(certain, inner, family, (), block, level.raised, level.fading, level.is_removed)
        element = Element(tag=tag, attributes=attributes)
        values, family = self.cascade.values(element, level.family)
        parent = inner
        if tag == "summary" and level.summary is not None:
            parent, level.summary = level.summary, None
        raised = level.raised + (0 if is_block else _count_raised(tag, values.possible))
        fading = level.fading + _fades(values.possible)
        parents = level.certain, parent, *level.mixed
        styles = certain, possible, *mixed = self.styles.compute(tag, values, parents)
        self.traits.add_element(element, values.possible, possible, raised)
        gone = tag in _NOT_RENDERED or (tag == "rp" and not _is_bracket(node))
        technique = "display" if gone else _join(style.removal for style in styles)
        if tag == "img":
            technique = self._visit_picture(node, values, styles, level)
        is_shown, has_place = technique in ("", MAYBE), _has_place(values.possible)
        # Out of what is removed but rendered, boxes can be positioned.
        if is_shown or has_place or (level.is_removed and values.possible.get("display") != "none"):
            self.unchecked |= any(style.unchecked for style in styles)
        is_late, is_low = fading > _FADING_MAX, tag == "br" and parent.low_line
        self.unchecked |= is_late or is_low or _is_odd(tag, attributes, values.possible)
        if level.is_removed or not is_shown:
            self._remove(node, tag, technique, level)
            certain, possible = (replace(style, clips=False, clipped=False) for style in (certain, possible))
            inside = _Level(certain, possible, family, fading=fading, is_removed=True)
            return inside if has_place and not gone else None
        if possible.capacity is not None and not parent.clipped and not fits(node, possible):
            possible = self._overflow(possible, parent)
        display = values.possible.get("display", "")
        if is_block != (display not in _IN_LINE) and display not in _EITHER:
            node.attrs[LINE_ATTRIBUTE] = "no" if is_block else "yes"
        found = _Level(certain, possible, family, tuple(mixed), block, raised, fading)
        is_alone = possible.low_line and not parent.low_line and not _is_beside_text(node)
        if is_alone or _is_maybe_rendered(tag, attributes):
            found.summary = possible if tag == "details" else None
            found.possible = replace(possible, box=MAYBE)
        return found

    def _remove(self, node: LexborNode, tag: str, technique: str, level: _Level) -> None:
        if level.is_removed:  # with the element around it
            return
        self.hidden += node.iter() if tag == "html" else [node]  # a document keeps its root
        if node.text().strip():
            self.passages[technique] += 1
        self.last = ""

    def _visit_picture(
        self, node: LexborNode, values: Styles, styles: tuple[ComputedStyle, ...], level: _Level
    ) -> str:
        """Judge a picture, and mark its alternative text if it may be hidden."""
        certain, *others = styles
        technique = _join(
            (
                judge_picture(values.certain, certain),
                *(judge_picture(values.possible, each) for each in others),
            )
        )
        if technique == MAYBE and not level.is_removed and _text_of(node):
            self._add_mark(node, level.block)
        elif not technique and _text_of(node):
            self.last = ""
        return technique

    def _add_mark(self, node: LexborNode, block: int) -> None:
        """Mark a text, together with those before it in the same block that nothing shown is between."""
        if self.last != (MAYBE, block):
            self.marked.append([])
        self.marked[-1].append(node)
        self.last = MAYBE, block

    def _overflow(self, style: ComputedStyle, parent: ComputedStyle) -> ComputedStyle:
        """Return the style of a box whose content may not fit in it."""
        if style.clipped:
            return replace(style, box=MAYBE)
        # The text runs over what follows, which may cover it, or out of the window.
        self.unchecked |= style.capacity == 0 or style.nowrap or parent.clips
        behind = dict.fromkeys((*style.backgrounds, *parent.seen_backgrounds))
        return replace(style, backgrounds=tuple(behind))

    def _visit_text(self, node: LexborNode, level: _Level) -> _Level | None:
        # An element that hides its own text may have children that people see.
        text = node.text_content or ""
        if not text.strip():
            return level
        self.traits.add_text(text, level.possible, level.block)
        technique = _join(map(self._judge, (level.certain, level.possible, *level.mixed)))
        is_low = level.possible.low_line and len(text) > _LOW_LINE_CHARS
        if not technique and (is_low or is_cut(text, level.possible)):
            technique = MAYBE
        if technique == MAYBE:
            self._add_mark(node, level.block)
            return level
        if technique:
            self.hidden.append(node)
            self.passages[technique] += technique != self.last
        self.last = technique
        return None if technique else level

    def _judge(self, style: ComputedStyle) -> str:
        verdict = self.verdicts.get(style)
        if verdict is None:
            verdict = self.verdicts[style] = style.judge_text()
        return verdict


def _is_odd(tag: str, attributes: Mapping[str, str], values: Mapping[str, str]) -> bool:
    """Return whether browsers show something else than an element's content, or paint cells around it."""
    is_styled = tag in ("col", "colgroup") and not _COLUMN_STYLES.isdisjoint(values)
    return is_styled or not _ODD.isdisjoint(attributes)


def _is_bracket(node: LexborNode) -> bool:
    return node.css_first("img") is None and _BRACKETS.fullmatch(node.text().strip()) is not None


def _count_raised(tag: str, values: Mapping[str, str]) -> int:
    if not is_raised(tag, values):
        return 0
    return RAISED_MIN if tag == "rt" else 1


def _fades(values: Mapping[str, str]) -> bool:
    return not TRANSITIONS.isdisjoint(values) and values.get("transition") != "none"


def _is_maybe_rendered(tag: str, attributes: Mapping[str, str]) -> bool:
    is_open = tag == "details" and "open" in attributes and "name" not in attributes
    return tag in _MAYBE_RENDERED and not is_open


def _is_beside_text(node: LexborNode) -> bool:
    """Return whether an element has text beside it, which gives their line a height with any doctype."""
    beside = (each for each in (node.prev, node.next) if each is not None and each.is_text_node)
    return any((each.text_content or "").strip() for each in beside)


def _has_place(values: Mapping[str, str]) -> bool:
    """Return whether what follows an element is where it is because of it."""
    return values.get("display") != "none" and values.get("position") not in ("absolute", "fixed")


def _join(verdicts: Iterable[str]) -> str:
    """Join the verdicts on the styles that an element may have: MAYBE if they differ.

    Even if all hide: of what hides in different ways, something between may show.
    """
    first, *others = verdicts
    return first if all(verdict == first for verdict in others) else MAYBE


def _mark(run: list[LexborNode]) -> None:
    """Write a mark around the texts of a passage."""
    texts = [_text_of(node).translate(ROUND) for node in run]
    texts[0] = MARK_OPENING + texts[0].lstrip()
    texts[-1] = f"{texts[-1].rstrip()}]"
    for node, text in zip(run, texts, strict=True):
        node.replace_with(text)


def _text_of(node: LexborNode) -> str:
    """Return the text of a node; of a picture, its alternative text in brackets, if it has any."""
    if node.tag == "img":
        alternative = (node.attributes.get("alt") or "").strip()
        return alternative and f"({alternative})"
    return (node.text_content if node.is_text_node else node.text()) or ""


def _count_chars(node: LexborNode) -> int:
    return len(" ".join(clean_text(_text_of(node)).text.split()))
