"""HTML to readable text, and HTML to HTML that loads and runs nothing.

Composes `html.normalize` (bounded parsing), `html.hidden` (what no one sees) and
`html.render`. Link targets stay next to their text, since what a link says need not
be where it goes (`render.link_note`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import nh3

from mailmcp.mail.clean import clean_text
from mailmcp.mail.html.hidden.remove import Hidden, parse_html, remove_hidden
from mailmcp.mail.html.marks import ROUND
from mailmcp.mail.html.render.render import render_text
from mailmcp.mail.html.render.target import mark_targets, point_links

_CODE: Final = frozenset({"script", "style"})
_ESCAPED: Final = str.maketrans({"[": "%5B", "]": "%5D"})
_WORDS: Final = re.compile("(?s:.*)")
_NUMBER: Final = re.compile("[0-9]{1,9}%?")
_ATTRIBUTES: Final = {
    "*": dict[str, re.Pattern[str]](),  # by default nh3 lets titles and languages through, which nobody sees
    "a": {"href": _WORDS},
    # No source: nothing remote is ever loaded.
    "img": {"alt": _WORDS, "width": _NUMBER, "height": _NUMBER},
    "ol": {"start": _NUMBER},
    "td": {"colspan": _NUMBER, "rowspan": _NUMBER},
    "th": {"colspan": _NUMBER, "rowspan": _NUMBER},
}
"""The attributes of sanitized HTML, by element, and what their values may be."""

_ATTRIBUTE_NAMES: Final = {tag: set(values) for tag, values in _ATTRIBUTES.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlText:
    """What a person would read, as text or as HTML."""

    text: str
    """Lines separated by newlines, with at most one blank line between; or a fragment of HTML. "" if there
    is nothing to read."""

    hidden_removed: int
    """Passages that the HTML certainly hides, which were removed."""

    hidden_chars: int
    """Characters of these passages, as they would read."""

    maybe_hidden: int
    """Passages that the HTML may hide: each is marked."""

    maybe_hidden_chars: int
    """Characters of these passages, from 0."""

    hidden_by: Mapping[str, int]
    """The same by technique: display, visibility, opacity, font size, extent, position, clip, transform,
    colour. Only those that were found."""

    invisible_removed: int
    """Invisible and bidirectional control characters removed from the text."""

    misleading_links: int
    """Links whose text names another site: see `render.link_note`. In HTML none are looked for."""

    styles_unchecked: bool
    """Whether styles may hide text that is neither removed nor marked."""


def html_to_text(html: str) -> HtmlText:
    """Convert HTML to text, in time linear in its length.

    Short cells of a table row share a line, separated by `` | ``; other tables
    flow. Links are ``text <target>``, shorter where that says enough (the rules are in
    `render.link_note`). Quoted lines begin with ``> ``. Images are ``[alternative text]``, struck
    text is ``~~text~~``, raised digits after others have a ``^`` before them.
    """
    document = parse_html(html)
    mark_targets(document.tree)
    hidden = remove_hidden(document)
    rendered = render_text(document.tree.body)
    return _html_text(rendered.text, hidden, rendered.invisible_removed, rendered.misleading_links)


def sanitize_html(html: str) -> HtmlText:
    """Reduce HTML to a safe fragment: structure, text and links.

    Without scripts, styles, forms, comments, sources of images (so nothing
    remote is loaded) and hidden elements. Links keep http, https, mailto and tel.
    """
    document = parse_html(html)
    mark_targets(document.tree)
    hidden = remove_hidden(document)
    point_links(document.tree)
    inner = ""
    if (body := document.tree.body) is not None:
        # Elements of SVG and MathML; their text stays, with the marks of possibly hidden text.
        names = {node.tag or "" for node in body.css("*")} - nh3.ALLOWED_TAGS - _CODE
        body.unwrap_tags([name for name in names if _is_dropped(name)])
        inner = body.inner_html or ""
    safe = nh3.clean(
        inner,
        tags=nh3.ALLOWED_TAGS - {"map", "area"},
        attributes=_ATTRIBUTE_NAMES,
        url_schemes={"http", "https", "mailto", "tel"},
        attribute_filter=_filter_attribute,
        link_rel=None,
        url_relative="deny",
    )
    cleaned = clean_text(safe)
    return _html_text(cleaned.text, hidden, cleaned.removed)


@lru_cache(maxsize=1_024)
def _is_dropped(name: str) -> bool:
    """Return whether nh3 drops the text of an element, rather than its tags alone."""
    return "x" not in nh3.clean(f"<{name}>x</{name}>")


def _html_text(text: str, hidden: Hidden, invisible_removed: int, misleading_links: int = 0) -> HtmlText:
    return HtmlText(
        text=text,
        hidden_removed=sum(hidden.by_technique.values()),
        hidden_chars=hidden.chars,
        maybe_hidden=hidden.marked,
        maybe_hidden_chars=hidden.marked_chars,
        hidden_by=hidden.by_technique,
        invisible_removed=invisible_removed,
        misleading_links=misleading_links,
        styles_unchecked=hidden.unchecked,
    )


def _filter_attribute(tag: str, name: str, value: str) -> str | None:
    """Leave out words where nobody sees them, and brackets, so that only marks have any in a reply's tags."""
    allowed = _ATTRIBUTES.get(tag, {}).get(name)
    if allowed is None or not allowed.fullmatch(value):
        return None
    return value.translate(_ESCAPED if name == "href" else ROUND)
