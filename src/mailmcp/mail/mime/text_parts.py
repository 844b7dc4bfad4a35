"""Which parts of a message make up the text a person reads.

The rules are those of JMAP's textBody and htmlBody (RFC 8621 section 4.1.4),
less the inline images. Everything they leave over is an attachment.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.mime.smime import is_wrapped
from mailmcp.mail.mime.structure import REPORT_TYPES, Part, walk

_PLAIN: Final = frozenset({"text/plain", "text/markdown", "text/x-markdown"})
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TextParts:
    """The two ways to read one message; both are in reading order, either may be empty."""

    plain: tuple[Part, ...] = ()
    """Plain text preferred. An HTML part stands here where it has no plain alternative."""

    html: tuple[Part, ...] = ()
    """HTML preferred. A plain part stands here where it has no HTML alternative, or a part of the plain
    alternative before it: what is read if the text of `plain` is blank."""

    @property
    def shown(self) -> tuple[Part, ...]:
        """Every part that a reply shows as text or as HTML, once."""
        html = filter(is_html, self.html)
        return tuple({part.part_id: part for part in (*self.plain, *html)}.values())

    @property
    def all(self) -> tuple[Part, ...]:
        """Every part of either, once."""
        return tuple({part.part_id: part for part in (*self.plain, *self.html)}.values())


def choose_text_parts(root: Part | None) -> TextParts:
    """Find the parts that are text to read, from the structure alone.

    Attachments and messages inside are left out; what is signed in one piece with its text
    (S/MIME) counts as text, whatever its disposition. Of multipart/alternative the
    last HTML alternative counts and the last plain one, or the last before the HTML; of
    multipart/related, signed and report the first part; of all others every inline text
    part. Where there is none, the first report for machines is read: some hold prose.
    """
    found = _read(root) if root is not None else TextParts()
    if found.all:
        return found
    reports = tuple(part for part in walk(root) if part.content_type in REPORT_TYPES)[:1]
    return TextParts(plain=reports, html=reports)


def _read(part: Part) -> TextParts:
    return _READERS.get(part.content_type, _read_mixed)(part) if part.is_multipart else _read_leaf(part)


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
        found = _read(child)
        plain.extend(found.plain)
        html.extend(found.html)
    return TextParts(plain=tuple(plain), html=tuple(html))


def _read_alternative(part: Part) -> TextParts:
    """Read the last alternative that can be read (RFC 2046 section 5.1.4); what is empty cannot.

    A plain one behind the HTML is not asked for: some servers take the epilogue for it.
    """
    choices = [choice for child in part.parts if (choice := _read(child)).all]
    found = [each for each in choices if any(part.size_octets for part in each.all)] or choices
    if not found:
        return TextParts()
    plain: TextParts | None = None
    for each in found:
        if not any(map(is_html, each.plain)):
            plain = each
        elif plain is not None:
            break
    others = [each for each in found if each is not plain] or found
    html = next((each for each in reversed(found) if any(map(is_html, each.html))), others[-1])
    return TextParts(plain=(plain or found[-1]).plain, html=html.html)


def _read_root(part: Part) -> TextParts:
    """Read the root of multipart/related: the one `start` names, else the first (RFC 2387 section 3.2)."""
    start = part.params.get("start", "").strip("<>")
    roots = [child for child in part.parts if start and child.content_id == start] or part.parts[:1]
    return _read(roots[0]) if roots else TextParts()


def _read_first(part: Part) -> TextParts:
    """Read the first child: what was signed, or the part of a report that is for people (RFC 6522)."""
    return _read(part.parts[0]) if part.parts else TextParts()


_READERS: Final[dict[str, Callable[[Part], TextParts]]] = {
    "multipart/alternative": _read_alternative,
    "multipart/related": _read_root,
    "multipart/signed": _read_first,
    "multipart/report": _read_first,
}
