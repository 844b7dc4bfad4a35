"""HTML of any kind to a tree of elements, as browsers build it, in time linear in its length.

turbohtml builds it by the rules of the HTML standard (section 13.2), and nests no deeper than 512 elements.
"""

import re
from dataclasses import dataclass
from typing import Final

import turbohtml
from turbohtml import Document, Element, Namespace

from mailmcp.mail.trust.link import parse_link

_SURROGATE: Final = re.compile("[\ud800-\udfff]")  # which turbohtml refuses


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A parsed document, and what in it is about the whole of it."""

    root: Element
    sheets: tuple[tuple[str, str], ...]
    """The content of each style sheet, and its media query list."""

    base: str
    """Of relative targets; "" if there is none with a host (HTML standard, section 4.2.3)."""


def parse_html(html: str) -> Page:
    """Parse HTML; never raises."""
    document = turbohtml.parse(_SURROGATE.sub("\ufffd", html))
    sheets = [(each.text, attributes_of(each)) for each in document.find_all("style")]
    return Page(
        root=document.root or turbohtml.Element("html"),
        sheets=tuple(
            (css, attributes.get("media", ""))
            for css, attributes in sheets
            if attributes.get("type", "").strip().lower() in ("", "text/css")
        ),
        base=_find_base(document),
    )


def attributes_of(element: Element) -> dict[str, str]:
    """Return the attributes of an element as written; an empty one is ""."""
    return {
        name: " ".join(value) if isinstance(value, list) else value or ""
        for name, value in element.attrs.items()
    }


def _find_base(document: Document) -> str:
    for element in document.find_all("base"):
        href = element.attr("href", None)
        if href is not None and element.namespace is Namespace.HTML:
            base = parse_link(href).target.replace("\\", "/")
            return base if base.partition(":")[2].startswith("//") else ""
    return ""
