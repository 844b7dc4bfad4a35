"""Which parts of a message make up the text a person reads.

The rules are those of JMAP's textBody and htmlBody (RFC 8621 section 4.1.4),
less the inline images. Everything they leave over is an attachment.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.mime.smime import is_wrapped
from mailmcp.mail.mime.structure import Part

_PLAIN: Final = frozenset({"text/plain", "text/markdown", "text/x-markdown"})
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TextParts:
    """The two ways to read one message; both are in reading order, either may be empty."""

    plain: tuple[Part, ...] = ()
    """Plain text preferred. An HTML part stands here where it has no plain alternative."""

    html: tuple[Part, ...] = ()
    """HTML preferred. A plain part stands here where it has no HTML alternative."""

    @property
    def all(self) -> tuple[Part, ...]:
        """Every part of either, once."""
        return tuple({part.part_id: part for part in (*self.plain, *self.html)}.values())


def choose_text_parts(root: Part | None) -> TextParts:
    """Find the parts that are text to read, from the structure alone.

    Attachments and messages inside are left out; what is signed in one piece with its text
    (S/MIME) counts as text, whatever its disposition. Of multipart/alternative the
    first plain and the last HTML alternative count; of multipart/related,
    signed and report the first part; of all others every inline text part.
    """
    if root is None:
        return TextParts()
    return _READERS.get(root.content_type, _read_mixed)(root) if root.is_multipart else _read_leaf(root)


def is_html(part: Part) -> bool:
    """Tell whether the text of a part is HTML."""
    return part.content_type in _HTML


def _read_leaf(part: Part) -> TextParts:
    if is_wrapped(part):
        return TextParts(plain=(part,), html=(part,))
    if part.disposition == "attachment" or part.content_type not in _PLAIN | _HTML:
        return TextParts()
    return TextParts(plain=(part,), html=(part,))


def _read_mixed(part: Part) -> TextParts:
    """Read every child; a text part with a file name, unless it comes first, is a file."""
    plain: list[Part] = []
    html: list[Part] = []
    for number, child in enumerate(part.parts):
        if number and child.filename and not child.is_multipart:
            continue
        found = choose_text_parts(child)
        plain.extend(found.plain)
        html.extend(found.html)
    return TextParts(plain=tuple(plain), html=tuple(html))


def _read_alternative(part: Part) -> TextParts:
    found = [choice for child in part.parts if (choice := choose_text_parts(child)).all]
    if not found:
        return TextParts()
    plain = next((choice.plain for choice in found if not any(map(is_html, choice.plain))), found[-1].plain)
    html = next((choice.html for choice in reversed(found) if any(map(is_html, choice.html))), found[-1].html)
    return TextParts(plain=plain, html=html)


def _read_root(part: Part) -> TextParts:
    """Read the root of multipart/related: the one `start` names, else the first (RFC 2387 section 3.2)."""
    start = part.params.get("start", "").strip("<>")
    roots = [child for child in part.parts if start and child.content_id == start] or part.parts[:1]
    return choose_text_parts(roots[0]) if roots else TextParts()


def _read_first(part: Part) -> TextParts:
    """Read the first child: what was signed, or the part of a report that is for people (RFC 6522)."""
    return choose_text_parts(part.parts[0]) if part.parts else TextParts()


_READERS: Final[dict[str, Callable[[Part], TextParts]]] = {
    "multipart/alternative": _read_alternative,
    "multipart/related": _read_root,
    "multipart/signed": _read_first,
    "multipart/report": _read_first,
}
