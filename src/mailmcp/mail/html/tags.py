"""What the tags of HTML mean to a parser, as far as `normalize` must know.

Content models of the HTML standard (sections 13.1.2 and 13.2.6), reduced to the elements that occur in
mail.
"""

import string
from typing import Final

SPACES: Final = "\t\n\f\r\x20"
"""White space of HTML, which is less than that of Unicode."""

_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def to_lower(text: str) -> str:
    """Return text in lower case as browsers do: letters of ASCII alone change (Infra section 4.7)."""
    return text.lower() if text.isascii() else text.translate(_LOWER)


VOID: Final = frozenset(("area", "br", "col", "colgroup", "hr", "img", "input", "wbr", "image", "base"))

DROPPED: Final = frozenset(("script", "style", "title", "iframe", "noembed", "noframes", "textarea", "xmp"))
"""Without elements in them: their content is never text, or read as text by rules of their own."""

IGNORED: Final = frozenset(
    {"basefont", "bgsound", "embed", "frame", "frameset", "head", "html", "keygen"}
    | {"link", "meta", "param", "plaintext", "source", "track"}
)
"""Their tags alone are dropped: without content, or without meaning outside of a whole document."""

WRITTEN_AS: Final = {
    **dict.fromkeys(("fieldset", "form", "marquee", "template"), "div"),
    **dict.fromkeys(("iframe", "textarea", "applet", "button", "math", "noscript", "object"), "span"),
    **dict.fromkeys(("optgroup", "option", "select", "selectedcontent", "svg"), "span"),
    "xmp": "pre",
}
"""Their tags switch parsers to other rules; written as these, with the name kept as `TAG_ATTRIBUTE`."""

TAG_ATTRIBUTE: Final = "data-mailmcp"
"""Name of the element in the source, where it was written as another.

Mail can't set an attribute whose name begins so, and style sheets don't see it."""

FORM_ATTRIBUTE: Final = f"{TAG_ATTRIBUTE}-form"
"""Number of a form, and of that which a button or field sends."""

TARGET_ATTRIBUTE: Final = f"{TAG_ATTRIBUTE}-target"
"""What a click or a form leads to."""

WRITTEN_HERE: Final = frozenset({TAG_ATTRIBUTE, FORM_ATTRIBUTE, TARGET_ATTRIBUTE})
"""Attributes that are in the tree but weren't in the source."""

FORMATTING: Final = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)

BLOCKS: Final = frozenset(
    {"address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "dir", "div"}
    | {"dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"}
    | {"header", "hgroup", "hr", "li", "listing", "main", "marquee", "menu", "nav", "ol", "p", "pre"}
    | {"search", "section", "summary", "table", "template", "ul", "xmp"}
)
"""What closes an open paragraph."""

DISPLAYED_AS_BLOCKS: Final = BLOCKS | {"legend", "optgroup", "plaintext"}
"""What browsers display as blocks, parts of tables apart (HTML standard, section 15.3)."""

CELLS: Final = ("td", "th", "caption")

_SECTION_ENDS: Final = (*CELLS, "tr", "tbody", "thead", "tfoot")
TABLE_PARTS: Final = {
    **dict.fromkeys(CELLS, CELLS),
    "tr": (*CELLS, "tr"),
    **dict.fromkeys(("tbody", "thead", "tfoot"), _SECTION_ENDS),
}
"""Parts of a table, each with the open ones that it ends."""

SIBLINGS: Final = {"li": ("li",), "dd": ("dd", "dt"), "dt": ("dd", "dt")}
"""Items of lists, with those that they end."""
