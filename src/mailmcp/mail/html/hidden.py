"""Walk over what people see of a document: what is certainly hidden is left out and counted.

`style` judges an element by the values that `stylesheet` finds for it. `aria-hidden` and `mso-hide` don't
hide: the first is for screen readers, the second for Outlook.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from turbohtml import Element, Node, Text

from mailmcp.mail.clean import clean_line, clean_text
from mailmcp.mail.html.style import HIDDEN, Style, compute_style, hints_of
from mailmcp.mail.html.stylesheet import StyleSheets
from mailmcp.mail.html.tree import Page, attributes_of

_NO_TEXT: Final = frozenset({"head", "script", "style", "title", "rp"})
"""Elements whose content isn't text of the page; browsers that know ruby show no `rp`."""

_NOT_SHOWN: Final = frozenset(
    ["template", "noscript", "iframe", "noembed", "noframes", "textarea", "meter", "progress"]
)
"""Elements that browsers show nothing of, or something else than their content."""


@dataclass(slots=True)
class Hidden:
    """What was left out of a document, or removed from its text."""

    passages: int = 0
    """An element with all in it is one, and so are texts with nothing shown between."""

    chars: int = 0
    """Of all passages, as they would read: white space as one space, invisible characters not at all."""

    invisible: int = 0
    """Invisible and bidirectional control characters removed from what is shown."""

    sheets_cut: bool = False
    in_passage: bool = False
    """Whether the text before is hidden, by itself."""


class Sink(Protocol):
    """What writes a page."""

    def open(self, tag: str, attributes: dict[str, str], style: Style) -> None:
        """Begin an element of which people see something."""

    def close(self, tag: str) -> None:
        """End it."""

    def text(self, text: str, style: Style) -> None:
        """Write clean text; `style.hides` isn't HIDDEN."""


@dataclass(slots=True)
class _Level:
    """An open element."""

    children: Iterator[Node]
    tag: str
    style: Style
    outside: Style
    """The style of what it is in: a closed `details` hides all but its summary."""


def walk(page: Page, sink: Sink) -> Hidden:
    """Write what people see of a page to a sink, in order and without recursion."""
    sheets = StyleSheets(page)
    hidden = Hidden(sheets_cut=sheets.is_cut)
    levels = [_Level(iter([page.root]), "", Style(), Style())]
    while levels:
        level = levels[-1]
        node = next(level.children, None)
        if node is None:
            levels.pop()
            if level.tag:
                sink.close(level.tag)
        elif isinstance(node, Text):
            _write_text(node.text, level.style, sink, hidden)
        elif isinstance(node, Element) and node.tag not in _NO_TEXT:
            tag, attributes = node.tag, attributes_of(node)
            is_summary = tag == "summary" and level.tag == "details"
            parent = level.outside if is_summary else level.style
            values = sheets.values(node, attributes.get("style", ""), hints_of(tag, attributes))
            kind = "div" if tag == "details" and "open" in attributes else tag
            style = compute_style(parent, kind, values)
            if style.gone != HIDDEN and tag not in _NOT_SHOWN:
                if tag == "img" and style.visible and attributes.get("alt"):
                    hidden.in_passage = False
                sink.open(tag, attributes, style)
                levels.append(_Level(iter(node.children), tag, style, level.style))
            elif chars := sum(len(clean_line(text).text) for text in _texts(node)):
                hidden.passages += 1
                hidden.chars += chars
                hidden.in_passage = False
    return hidden


def _write_text(text: str, style: Style, sink: Sink, hidden: Hidden) -> None:
    """Write a text if people see it, else count it."""
    if style.hides == HIDDEN:
        if chars := len(clean_line(text).text):
            hidden.passages += not hidden.in_passage
            hidden.chars += chars
            hidden.in_passage = True
        return
    cleaned = clean_text(text)
    hidden.invisible += cleaned.removed
    if cleaned.text.strip():
        hidden.in_passage = False
    sink.text(cleaned.text, style)


def _texts(node: Node) -> Iterator[str]:
    """Yield the texts in an element, but for style sheets and scripts."""
    todo = [node]
    while todo:
        each = todo.pop()
        if isinstance(each, Text):
            yield each.text
        elif not (isinstance(each, Element) and each.tag in _NO_TEXT):
            todo += each.children
