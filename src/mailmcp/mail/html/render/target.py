"""What a click or a form leads to: the targets of a document, as a browser finds them.

A target counts where the first `base` leads it (HTML standard, section 4.2.3). Links are what
has an `href`, `a` and `area` and in SVG and MathML any element, and what sends a form
(sections 4.6, 4.10.18): a button with the target of its form or its own, its label, and the form itself.
"""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from mailmcp.mail.html.tags import FORM_ATTRIBUTE, TAG_ATTRIBUTE, TARGET_ATTRIBUTE
from mailmcp.mail.trust.link import escape_odd, parse_link, resolve_link

_FORM: Final = f"[{TAG_ATTRIBUTE}=form]"
_FOREIGN: Final = frozenset({"svg", "math"})
_LINKS: Final = _FOREIGN | {"a", "area"}
_HTML_AGAIN: Final = frozenset({"foreignobject", "desc", "annotation-xml", "mi", "mn", "mo", "ms", "mtext"})
"""Elements of SVG and MathML whose content is HTML (HTML standard, section 13.2.6)."""

SUBMITS: Final = frozenset({"submit", "image"})
_NO_FIELDS: Final = frozenset({"hidden", "button", "reset"})
_ANIMATED: Final = ("to", "values", "from")
_HREF: Final = re.compile(r"(?:xlink:)?href", re.ASCII | re.IGNORECASE)


def mark_targets(tree: LexborHTMLParser) -> None:
    """Mark each element that leads somewhere with its target, before anything is removed."""
    base = _find_base(tree)
    in_html: dict[int, bool] = {}
    for node in tree.css(r"[href], [xlink\:href]"):
        if node.tag not in _LINKS and _is_in_html(node, in_html):
            continue
        _mark(node, _value(node, "href", "xlink:href"), base)
    for node in tree.css("animate, set"):
        if _HREF.fullmatch(_value(node, "attributename") or ""):
            _mark(_link_around(node), (_value(node, *_ANIMATED) or "").split(";")[-1], base)
    _mark_forms(tree, base)


def marked_targets(root: LexborNode) -> dict[int, str]:
    """Return the targets within an element by the `mem_id` of those that have them."""
    return {
        node.mem_id: node.attributes.get(TARGET_ATTRIBUTE) or "" for node in root.css(f"[{TARGET_ATTRIBUTE}]")
    }


def point_links(tree: LexborHTMLParser) -> None:
    """Set the `href` of every `a` to its marked target; one that nobody can click has none."""
    for node in tree.css(f"a[{TARGET_ATTRIBUTE}]"):
        node.attrs["href"] = escape_odd(node.attributes.get(TARGET_ATTRIBUTE) or "")
        if not node.text().strip() and node.css_first("img") is None:
            del node.attrs["href"]


def _find_base(tree: LexborHTMLParser) -> str:
    """Return the base of the document's relative addresses; "" if it has none, or one without a host."""
    in_html: dict[int, bool] = {}
    in_template = {node.mem_id for node in tree.css(f"[{TAG_ATTRIBUTE}=template] base")}
    for node in tree.css("base[href]"):
        if node.mem_id not in in_template and _is_in_html(node, in_html):
            link = parse_link(node.attributes.get("href") or "")
            base = link.target.replace("\\", "/")
            if link.disguised:  # by a user name, which targets have from it
                base = base.replace("://", "://user@", 1)
            return base if base.partition(":")[2].startswith("//") else ""
    return ""


def _is_in_html(node: LexborNode, known: dict[int, bool]) -> bool:
    """Return whether an element is one of HTML, not of SVG or MathML; `known` are parents already judged."""
    passed: list[int] = []
    found = True
    above = node.parent
    while above is not None:
        name = _value(above, TAG_ATTRIBUTE) or above.tag or ""
        if above.mem_id in known or name in _FOREIGN or name in _HTML_AGAIN:
            found = known.get(above.mem_id, name in _HTML_AGAIN)
            break
        passed.append(above.mem_id)
        above = above.parent
    known.update(dict.fromkeys(passed, found))
    return found


def _mark_forms(tree: LexborHTMLParser, base: str) -> None:
    """Mark what sends a form: its buttons, their labels, and the form itself if Enter in a field sends it.

    `render` shows the target of a form only where no button has shown it.
    """
    forms = tree.css(_FORM)
    by_id = {node.attributes.get("id") or "": node for node in reversed(forms)}
    by_number = {_value(node, FORM_ATTRIBUTE): node for node in forms}
    labelled: dict[str, str | None] = {}
    with_field: set[int] = set()
    with_button: set[int] = set()
    for node in tree.css(f"input, [{TAG_ATTRIBUTE}=button]"):
        named, number = _value(node, "form"), _value(node, FORM_ATTRIBUTE)
        form = by_id.get(named) if named is not None else by_number.get(number) if number else None
        kind = (_value(node, "type") or ("text" if node.tag == "input" else "submit")).lower()
        if form is not None and kind not in _NO_FIELDS:
            if kind not in SUBMITS and form.first_child is None and form.mem_id not in with_field:
                # A form between the cells of a table is closed at once: its field shows the target.
                _mark(node, _value(form, "action"), base)
            (with_button if kind in SUBMITS else with_field).add(form.mem_id)
        if kind in SUBMITS:
            target = _value(node, "formaction") or (_value(form, "action") if form is not None else None)
            _mark(node, target, base)
            labelled.setdefault(node.attributes.get("id") or "", target)
    for node in forms:
        if node.mem_id in with_field or node.mem_id not in with_button:
            _mark(node, _value(node, "action"), base)
    for label in tree.css("label"):
        named = _value(label, "for")
        first = label.css_first(f"input, [{TAG_ATTRIBUTE}=button]") if named is None else None
        target = labelled.get(named or "") if first is None else first.attributes.get(TARGET_ATTRIBUTE)
        _mark(label, target, base)


def _value(node: LexborNode, *names: str) -> str | None:
    """Return the first of some attributes that is present; the parser gives None for an empty one."""
    attributes = node.attributes
    return next((attributes[name] or "" for name in names if name in attributes), None)


def _mark(node: LexborNode | None, target: str | None, base: str) -> None:
    if node is not None and target is not None:
        node.attrs[TARGET_ATTRIBUTE] = resolve_link(target, base)


def _link_around(node: LexborNode) -> LexborNode | None:
    above = node.parent
    while above is not None and above.tag != "a":
        above = above.parent
    return above
