"""What a click or a form leads to: the targets of a document, as a browser finds them.

A target counts where the first `base` leads it (HTML standard, section 4.2.3). Links are what
has an `href`, `a` and `area` and in SVG and MathML any element, and what sends a form
(sections 4.6, 4.10.18): a button with the target of its form or its own, or the form
itself where it has none.
"""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from mailmcp.mail.html.tags import TAG_ATTRIBUTE
from mailmcp.mail.trust.link import LinkKind, parse_link, resolve_link

_MARK: Final = "data-target"
_SUBMITS: Final = frozenset({"submit", "image"})
_ANIMATED: Final = ("to", "values", "from")
_HREF: Final = re.compile(r"(?:xlink:)?href", re.IGNORECASE)


def mark_targets(tree: LexborHTMLParser) -> None:
    """Mark each element that leads somewhere with its target, before anything is removed."""
    for node in tree.css(f"[{_MARK}]"):
        del node.attrs[_MARK]
    base = _find_base(tree)
    for node in tree.css(r"[href], [xlink\:href]"):
        _mark(node, _value(node, "href", "xlink:href"), base)
    for node in tree.css("animate, set"):
        if _HREF.fullmatch(_value(node, "attributename") or ""):
            _mark(_link_around(node), (_value(node, *_ANIMATED) or "").split(";")[-1], base)
    _mark_forms(tree, base)


def marked_targets(root: LexborNode) -> dict[int, str]:
    """Return the targets within an element by the `mem_id` of those that have them."""
    return {node.mem_id: node.attributes.get(_MARK) or "" for node in root.css(f"[{_MARK}]")}


def point_links(tree: LexborHTMLParser) -> None:
    """Set the `href` of every `a` to its marked target."""
    for node in tree.css(f"a[{_MARK}]"):
        node.attrs["href"] = node.attributes.get(_MARK) or ""


def _find_base(tree: LexborHTMLParser) -> str:
    """Return the base of the document's relative addresses; "" if there is none, or none on the web."""
    node = tree.css_first("base[href]")
    link = parse_link((node.attributes.get("href") or "") if node is not None else "")
    return link.target if link.kind is LinkKind.WEB else ""


def _mark_forms(tree: LexborHTMLParser, base: str) -> None:
    forms = tree.css(f"[{TAG_ATTRIBUTE}=form]")
    by_id = {node.attributes.get("id") or "": node for node in reversed(forms)}
    with_button: set[int] = set()
    around: dict[int, LexborNode | None] = {}
    for node in tree.css(f"input, [{TAG_ATTRIBUTE}=button]"):
        kind = _value(node, "type") or ("text" if node.tag == "input" else "submit")
        if kind.lower() not in _SUBMITS:
            continue
        named = _value(node, "form")
        form = _form_around(node, around) if named is None else by_id.get(named)
        if form is not None:
            with_button.add(form.mem_id)
        _mark(
            node, _value(node, "formaction") or (_value(form, "action") if form is not None else None), base
        )
    for node in forms:
        if node.mem_id not in with_button:
            _mark(node, _value(node, "action"), base)


def _value(node: LexborNode, *names: str) -> str | None:
    """Return the first of some attributes that is present; the parser gives None for an empty one."""
    attributes = node.attributes
    return next((attributes[name] or "" for name in names if name in attributes), None)


def _mark(node: LexborNode | None, target: str | None, base: str) -> None:
    if node is not None and target is not None:
        node.attrs[_MARK] = resolve_link(target, base)


def _form_around(node: LexborNode, known: dict[int, LexborNode | None]) -> LexborNode | None:
    """Find the form that an element is in; `known` are those of parents that were looked at."""
    parent = above = node.parent
    if parent is None or parent.mem_id in known:
        return known[parent.mem_id] if parent is not None else None
    while above is not None and (above.tag != "div" or _value(above, TAG_ATTRIBUTE) != "form"):
        above = above.parent
    known[parent.mem_id] = above
    return above


def _link_around(node: LexborNode) -> LexborNode | None:
    above = node.parent
    while above is not None and above.tag != "a":
        above = above.parent
    return above
