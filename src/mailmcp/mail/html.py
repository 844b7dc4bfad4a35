"""HTML to readable text, and HTML to HTML that loads and runs nothing.

Composes `html_tame` (bounded parsing), `html_hidden` and `html_render`. Link
targets stay beside their text, since what a link says need not be where it goes.
"""

from dataclasses import dataclass
from typing import Final

import nh3

from mailmcp.mail.clean import clean_text
from mailmcp.mail.html_hidden import parse_html, remove_hidden
from mailmcp.mail.html_render import render_text

_ATTRIBUTES: Final = {
    "a": {"href", "title"},
    "img": {"alt", "title", "width", "height"},  # no source: nothing remote is ever loaded
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlText:
    """What a person would read."""

    text: str
    """Lines parted by newlines, at most one blank line between; "" when there is nothing to read."""

    hidden_removed: int
    """Elements with text which the HTML hid, from 0."""

    invisible_removed: int
    """Invisible and bidirectional control characters taken out of the shown text, from 0."""


def html_to_text(html: str) -> HtmlText:
    """Convert HTML to text, in time linear in its length.

    Cells of a table row stand on one line, parted by `` | ``, unless one of them
    holds several lines. Links are ``text <target>``, or the target alone where
    the text says the same; a target longer than LINK_CHARS_MAX is cut to its
    host and ``…``. Images are ``[alternative text]``.
    """
    document = parse_html(html)
    hidden = remove_hidden(document)
    rendered = render_text(document.body)
    return HtmlText(
        text=rendered.text,
        hidden_removed=hidden,
        invisible_removed=rendered.invisible_removed,
    )


def sanitize_html(html: str) -> str:
    """Reduce HTML to a safe fragment: structure, text and links.

    Without scripts, styles, forms, comments, sources of images (so nothing
    remote is loaded) and hidden elements. Links keep http, https, mailto and tel.
    """
    document = parse_html(html)
    remove_hidden(document)
    body = document.body
    safe = nh3.clean(
        (body.inner_html if body is not None else "") or "",
        tags=nh3.ALLOWED_TAGS - {"map", "area"},
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel=None,
        url_relative="deny",
    )
    return clean_text(safe).text
