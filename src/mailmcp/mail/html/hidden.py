"""Text that HTML hides from people: found by styles and style sheets, and taken out.

What counts is what a person sees who reads the mail in a window on a desk, with
images off and nothing clicked. `html.box` knows how boxes hide their content,
`html.colour` how colours do; this module follows what children inherit.

Not hidden: `aria-hidden` (it hides from screen readers alone), `mso-hide` (it hides from
Outlook alone, and stands on buttons whose twin only Outlook shows), `noscript`.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from mailmcp.mail.clean import clean_text
from mailmcp.mail.html.box import OPACITY_MIN, hidden_by, is_indented_away, opacity_of
from mailmcp.mail.html.cascade import Cascade, Family
from mailmcp.mail.html.colour import BLACK, LINK_BLUE, WHITE, Colour, is_unseen, lay_over, parse_colour
from mailmcp.mail.html.font import FONT_MIN_PX, FONT_PX, font_px, is_squeezed
from mailmcp.mail.html.selector import Element
from mailmcp.mail.html.sheet import parse_sheets
from mailmcp.mail.html.tags import TAG_ATTRIBUTE
from mailmcp.mail.html.tame import StyleSheet, tame_html
from mailmcp.mail.html.unfollowed import names_of

_REPLACED: Final = frozenset(
    {"canvas", "meter", "progress"}
    | {"annotation", "annotation-xml", "mphantom"}  # MathML
    | {"defs", "desc", "metadata", "symbol"}  # SVG
)
"""Elements that browsers draw something else for than their content, or nothing at all."""

_SHUT: Final = frozenset({"dialog", "datalist"})
"""Elements that are not displayed unless something opens them."""

_BRACKETS_MAX: Final = 2  # characters in `rp`, which is shown only where ruby is not understood

_MAY_BE_SHUT: Final = _REPLACED | _SHUT | {"rp"}

_NOT_KNOWN: Final = re.compile(r"\b(?:var|env|attr|if|calc|min|max|clamp|color-mix|light-dark)\(")
_TELLING: Final = ("display", "visibility", "opacity", "font-size", "color", "-webkit-text-fill-color")
"""Properties that mail has no reason to compute, but to hide text from whoever does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlDocument:
    """A parsed document, and the style sheets that were in it."""

    tree: LexborHTMLParser
    sheets: tuple[StyleSheet, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """What was taken out of a document."""

    by_technique: Mapping[str, int]
    """Passages by how they were hidden: an element with text in it is one passage, and so are texts
    hidden alike with nothing shown between them."""

    chars: int
    """Of all passages, as they would read: runs of white space as one, invisible characters not at all."""

    complete: bool
    """False if the style sheets were too long or too costly to be followed to the end."""

    judged: bool
    """False if what a style says of text depends on what is not known here (`var()`, `calc()`, a rule
    that is not followed)."""


@dataclass(frozen=True, slots=True)
class _Inherited:
    """What an element hands down to its children."""

    font_px: float = FONT_PX
    visible: bool = True
    indented_away: bool = False
    squeezed: bool = False
    opacity: float = 1.0
    colour: Colour = BLACK
    background: Colour | None = WHITE
    """What lies behind, opaque; None where it is an image."""

    paints_text: bool = True
    """False where the background shows through the letters."""

    def hides_text(self) -> str:
        """Name how text is hidden here; "" if it is not."""
        if not self.visible:
            return "visibility"
        if self.font_px < FONT_MIN_PX or self.squeezed:
            return "font size"
        if self.indented_away:
            return "position"
        return "colour" if self.paints_text and is_unseen(self.colour, self.background) else ""


@dataclass(slots=True)
class _Level:
    """An open element: what it hands down, and what its children know of each other."""

    inherited: _Inherited
    family: Family


def parse_html(html: str) -> HtmlDocument:
    """Parse HTML of any kind in linear time."""
    tame = tame_html(html)
    # Without events: the parser then does not copy content on its own.
    tree = LexborHTMLParser(tame.html, options=LexborDocumentOptions.WO_EVENTS)
    return HtmlDocument(tree=tree, sheets=tame.sheets)


def remove_hidden(document: HtmlDocument) -> Hidden:
    """Take hidden elements and texts out of a document."""
    rules = parse_sheets(document.sheets)
    search = _Search(Cascade(rules.rules), asks_names=bool(rules.unfollowed))
    root = document.tree.root
    node, levels = root, [_Level(_Inherited(), Family())]
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
    chars = sum(map(_chars, search.hidden))
    for each in search.hidden:  # only now: removing them changes what is next
        each.decompose()
    complete = rules.complete and search.cascade.complete
    judged = search.judged_all and not any(each <= search.names for each in rules.unfollowed)
    return Hidden(by_technique=search.passages, chars=chars, complete=complete, judged=judged)


class _Search:
    """What was found to be hidden so far."""

    __slots__ = (
        "asks_names",
        "cascade",
        "goes_on",
        "hidden",
        "judged",
        "judged_all",
        "names",
        "page",
        "passages",
    )

    def __init__(self, cascade: Cascade, *, asks_names: bool) -> None:
        self.cascade = cascade
        self.asks_names = asks_names
        self.names: set[str] = set()  # of the elements that are shown, if they are asked for
        self.hidden: list[LexborNode] = []
        self.passages: Counter[str] = Counter()
        self.goes_on = ""  # how the last text was hidden, by what it inherits
        self.judged: dict[_Inherited, str] = {}
        self.judged_all = True
        self.page: Family | None = None  # what the children of the root know of each other

    def visit(self, node: LexborNode, level: _Level) -> _Level | None:
        """Judge one node, and note it if it is hidden: None then."""
        if node.is_text_node:
            return self._visit_text(node, level)
        attributes = {name: value or "" for name, value in node.attributes.items()}
        plain = not attributes and self.cascade.is_empty and not self.asks_names
        if plain and node.tag not in _MAY_BE_SHUT:
            return level  # most elements of most mail: nothing can be said of them
        element = Element(
            tag=attributes.get(TAG_ATTRIBUTE) or node.tag or "",
            attributes=attributes,
            first_child=level.family.eldest,
        )
        siblings = level.family
        if element.tag == "body":  # the one of the source stands in the one that the parser makes
            siblings = self.page = self.page or siblings
        values, family = self.cascade.values(element, siblings)
        inherited = _inherit(element, values, level.inherited)
        technique = _technique(element, values, inherited)
        if element.tag == "rp" and len(node.text().strip()) > _BRACKETS_MAX:
            technique = "display"
        if not technique:
            self.judged_all = self.judged_all and not _depends(values)
            if self.asks_names:
                self.names |= names_of(element)
            return _Level(inherited, family)
        self.hidden += node.iter() if element.tag == "html" else [node]  # a document keeps its root
        if node.text().strip():
            self.passages[technique] += 1
        self.goes_on = ""
        return None

    def _visit_text(self, node: LexborNode, level: _Level) -> _Level | None:
        # Texts that people do not see hide beside elements which they do see.
        if not (node.text_content or "").strip():
            return level
        inherited = level.inherited
        technique = self.judged.get(inherited)
        if technique is None:
            technique = self.judged[inherited] = inherited.hides_text()
        if not technique:
            self.goes_on = ""
            return level
        self.hidden.append(node)
        if technique != self.goes_on:
            self.passages[technique] += 1
        self.goes_on = technique
        return None


def _chars(node: LexborNode) -> int:
    text = node.text_content if node.is_text_node else node.text()
    return len(" ".join(clean_text(text or "").text.split()))


def _technique(element: Element, values: Mapping[str, str], inherited: _Inherited) -> str:
    """Name how an element hides all that is in it; "" if it does not."""
    if _is_shut(element, values):
        return "display"
    technique = hidden_by(values, element.tag, inherited.font_px)
    return technique or ("opacity" if inherited.opacity < OPACITY_MIN else "")


def _depends(values: Mapping[str, str]) -> bool:
    """Tell whether a style computes what is better written down."""
    return any(_NOT_KNOWN.search(values[name]) for name in _TELLING if name in values)


def _is_shut(element: Element, values: Mapping[str, str]) -> bool:
    """Tell whether HTML itself does not display an element; most can be displayed by a style all the same."""
    attributes = element.attributes
    if element.tag in _REPLACED or (element.tag == "template" and "hidden" in attributes):
        return True
    shut = element.tag in _SHUT and "open" not in attributes
    return (shut or "hidden" in attributes or "popover" in attributes) and "display" not in values


def _inherit(element: Element, values: Mapping[str, str], outer: _Inherited) -> _Inherited:
    """Give what the children of an element inherit."""
    colour = _colour(element, values, outer.colour)
    background = _background(element, values, outer.background, colour)
    if not values and background == outer.background and colour == outer.colour:
        return outer
    size_px = font_px(values.get("font-size", ""), outer.font_px)
    visible, indented_away, squeezed = outer.visible, outer.indented_away, outer.squeezed
    if values.get("visibility", "inherit") not in ("inherit", "unset"):
        visible = values["visibility"] not in ("hidden", "collapse")
    if "text-indent" in values:
        indented_away = is_indented_away(values, size_px)
    if "letter-spacing" in values:
        squeezed = is_squeezed(values["letter-spacing"], size_px)
    clipped = values.get("background-clip") or values.get("-webkit-background-clip")
    inner = replace(outer, font_px=size_px, visible=visible, indented_away=indented_away)
    return replace(
        inner,
        squeezed=squeezed,
        opacity=outer.opacity * opacity_of(values),
        colour=colour,
        background=background,
        paints_text=outer.paints_text and clipped != "text",
    )


def _colour(element: Element, values: Mapping[str, str], outer: Colour) -> Colour:
    attribute = {"font": "color", "body": "text"}.get(element.tag, "")
    written = values.get("-webkit-text-fill-color")
    if written is None or parse_colour(written) is None:
        written = values.get("color")
    if written == "initial":
        return BLACK
    if written is None:
        written = element.attributes.get(attribute, "") if attribute else ""
        if element.tag == "a" and "href" in element.attributes:
            return LINK_BLUE  # what browsers give links, whatever stands around them
    return (parse_colour(written) if written else None) or outer


def _background(
    element: Element, values: Mapping[str, str], outer: Colour | None, own: Colour
) -> Colour | None:
    image = values.get("background-image", "none")
    if image != "none" or element.attributes.get("background", "").strip():
        return None
    written = values.get("background-color") or element.attributes.get("bgcolor", "")
    colour = own if written == "currentcolor" else parse_colour(written) if written else None
    if colour is None or colour.alpha == 0:
        return outer
    if colour.alpha == 1:
        return colour
    return None if outer is None else lay_over(colour, outer)
