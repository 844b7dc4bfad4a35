"""HTML to readable text, and HTML to HTML that loads and runs nothing."""

import re
from dataclasses import dataclass
from html import escape
from typing import Final

import nh3

from mailmcp.mail.clean import clean_line
from mailmcp.mail.html.hidden import Hidden, walk
from mailmcp.mail.html.links import LinkBook
from mailmcp.mail.html.marks import ROUND, mark, write_marks
from mailmcp.mail.html.render import Renderer
from mailmcp.mail.html.style import MAYBE, Style
from mailmcp.mail.html.tree import parse_html
from mailmcp.mail.removed_content import Removed
from mailmcp.mail.trust.link import escape_odd, resolve_link

_DEPTH_MAX: Final = 128  # of sanitized HTML; nh3 takes quadratic time beyond
_ESCAPED: Final = str.maketrans({"[": "%5B", "]": "%5D"})
_TAG_BUT_IMG: Final = re.compile("<(?!img)[^>]*>")
_NUMBER: Final = re.compile("[0-9]{1,9}%?")
_ATTRIBUTES: Final = {
    "*": set[str](),  # by default nh3 lets titles and languages through, which nobody sees
    "a": {"href"},
    "img": {"alt", "width", "height"},  # no source: nothing remote is ever loaded
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
"""The attributes of sanitized HTML, by element; apart from `href` and `alt` they are numbers."""

_TAGS: Final = nh3.ALLOWED_TAGS - {"map", "area"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlText:
    """What a person would read, as text or as HTML."""

    text: str
    """Lines separated by newlines, with at most one blank line between; or a fragment of HTML. "" if there
    is nothing to read."""

    removed: Removed
    links: tuple[str, ...]
    """The targets of links that have a number in the text, in the order of their numbers."""


def html_to_text(html: str, *, first_link: int = 1, full_links: bool = False) -> HtmlText:
    """Convert HTML to text, in time linear in its length.

    Short cells of a table row share a line, separated by `` | ``; other tables flow. Quoted lines begin with
    ``> ``. Images are ``[alternative text]``, struck text is ``~~text~~``, raised digits after others have a
    ``^`` before them. How links are written is in `links`.

    Args:
        html: Of any kind.
        first_link: The number of the first long link.
        full_links: Whether to write long links as they are, where there is no place for `links`.
    """
    page, book = parse_html(html), LinkBook(first=first_link, in_full=full_links)
    renderer = Renderer(page.base, book)
    hidden = walk(page, renderer)
    return _html_text("\n".join(renderer.writer.finish()), hidden, book)


def sanitize_html(html: str) -> HtmlText:
    """Reduce HTML to a safe fragment: structure, text and links.

    Without scripts, styles, forms, comments, sources of images (so nothing remote is loaded) and hidden
    elements. Links keep http, https, mailto and tel.
    """
    page = parse_html(html)
    fragment = _Fragment(page.base)
    hidden = walk(page, fragment)
    safe = nh3.clean(
        "".join(fragment.out),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel=None,
        url_relative="deny",
    )
    return _html_text(safe, hidden, LinkBook())


class _Fragment:
    """A sink of `hidden.walk` that writes HTML, of which nh3 then keeps what is harmless."""

    def __init__(self, base: str) -> None:
        self.out: list[str] = []
        self._base = base
        self._open: list[tuple[str, int]] = []  # the end tag of each open element, and where it begins

    def open(self, tag: str, attributes: dict[str, str], style: Style) -> None:
        """Begin an element; one that isn't kept leaves what is in it."""
        is_kept = tag in _TAGS and len(self._open) < _DEPTH_MAX
        if tag == "img" and style.hides == MAYBE:
            self.text(f" ({clean_line(attributes.get('alt', '')).text}) ", style)
            is_kept = False
        elif tag == "img":
            is_kept &= style.visible
        kept: dict[str, str] = {}
        for name in sorted(_ATTRIBUTES.get(tag, ())):
            value = attributes.get(name, "")
            if name == "href" and name in attributes:
                kept[name] = escape_odd(resolve_link(value, self._base)).translate(_ESCAPED)
            elif name == "alt" or _NUMBER.fullmatch(value):
                kept[name] = clean_line(value).text.translate(ROUND)  # only marks have square brackets
        written = (f' {name}="{escape(value)}"' for name, value in kept.items() if value)
        self.out.append(f"<{tag}{''.join(written)}>" if is_kept else "")
        self._open.append((f"</{tag}>" if is_kept else "", len(self.out)))

    def close(self, _tag: str) -> None:
        """End it; a link that nobody can click has no target."""
        end, begun = self._open.pop()
        if end == "</a>" and not _TAG_BUT_IMG.sub("", "".join(self.out[begun:])).strip():
            self.out[begun - 1] = "<a>"
        self.out.append(end)

    def text(self, text: str, style: Style) -> None:
        """Write text."""
        is_marked = style.hides == MAYBE and text.strip()
        self.out.append(escape(mark(text) if is_marked else text, quote=False))


def _html_text(text: str, hidden: Hidden, book: LinkBook) -> HtmlText:
    marked, passages, chars = write_marks(text)
    return HtmlText(
        text=marked,
        removed=Removed(
            hidden=hidden.passages,
            hidden_chars=hidden.chars,
            maybe_hidden=passages,
            maybe_hidden_chars=chars,
            invisible=hidden.invisible,
            misleading_links=book.misleading,
            sheets_cut=hidden.sheets_cut,
        ),
        links=book.targets,
    )
