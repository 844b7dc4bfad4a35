"""Which parts of a message are its text, which are attachments, and which a person would call files.

The text follows JMAP's textBody and htmlBody (RFC 8621 section 4.1.4), without the inline images.
Everything else is an attachment.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.mime.structure import REPORT_TYPES, Part, leaf_parts

_TEXT_TYPES: Final = frozenset({"text/plain", "text/markdown", "text/x-markdown"})
_NEVER_FILES: Final = REPORT_TYPES | frozenset(
    {"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"}
    | {"application/pgp-encrypted", "application/ms-tnef", "text/rfc822-headers"}
)
"""Signatures and wrappers, which mail programs hide or take apart, and the parts of reports."""


_OF_ONE_THING: Final = frozenset({"multipart/related", "multipart/encrypted", "multipart/signed"})
"""Multiparts whose parts are of use together only (RFC 2387, RFC 1847)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextParts:
    """The two ways to read one message. Both are in reading order; either may be empty."""

    plain: tuple[Part, ...] = ()
    """Plain text preferred. Holds an HTML part where it has no plain alternative."""

    html: tuple[Part, ...] = ()
    """HTML preferred. Holds a plain part where it has no HTML alternative, or a part of the plain
    alternative before it. This is what is read if the text of `plain` is blank."""

    @property
    def shown(self) -> tuple[Part, ...]:
        """Every part that a reply shows as text or as HTML, once."""
        return _unique((*self.plain, *(part for part in self.html if part.is_html)))

    @property
    def all(self) -> tuple[Part, ...]:
        """Every part of either, once."""
        return _unique((*self.plain, *self.html))


def choose_text_parts(root: Part | None) -> TextParts:
    """Choose the parts that are text to read, from the structure alone.

    Attachments and messages inside are left out. Text that is signed in one piece (S/MIME)
    counts, whatever its disposition. Of multipart/alternative, the last HTML alternative counts
    and the last plain one, or the last before the HTML; of multipart/related, signed and report,
    the first part; of all others every inline text part. If there is none, attached HTML is
    read if it is the only text at all; it stays an attachment. Else the first machine-readable
    report is read: some hold prose.
    """
    found = _read(root) if root is not None else TextParts()
    if found.plain or found.html:
        return found
    leaves = list(leaf_parts(root))
    texts = tuple(part for part in leaves if part.content_type in _TEXT_TYPES or part.is_html)
    if len(texts) == 1 and texts[0].is_html:
        return TextParts(plain=texts, html=texts)
    reports = tuple(part for part in leaves if part.content_type in REPORT_TYPES)[:1]
    return TextParts(plain=reports, html=reports)


def list_attachments(root: Part | None, text_parts: TextParts) -> tuple[Part, ...]:
    """List every leaf, and every attached message, that is not shown as text; in order.

    Parts that are signed in one piece (S/MIME) are listed too: besides the text they may hold
    files. So is a text that is shown though it is attached. An empty text without a name is not.
    """
    read = {part.part_id for part in text_parts.shown if not (part.is_opaque_signed or _is_attached(part))}
    return tuple(
        part
        for part in leaf_parts(root)
        if part.part_id not in read and (part.size_octets or not part.is_bare)
    )


def list_files(root: Part | None) -> tuple[Part, ...]:
    """List the leaves that a person who reads the message would call files; in order.

    A leaf is a file if it has a file name or the disposition "attachment", if it is an attached
    message, or if it is neither text nor an image, as a PDF that nothing describes. It is not if it is
    text of the message, an image that the HTML shows (of multipart/related, with a Content-ID), an
    alternative to the text without a file name, or a signature. A multipart/report has none. A message
    of one part that is not text is a file.
    """
    if root is None:
        return ()
    texts = {part.part_id for part in choose_text_parts(root).all if not _is_attached(part)}
    return tuple(part for part in _file_candidates(root, "") if part.part_id not in texts)


def _is_attached(part: Part) -> bool:
    return part.disposition == "attachment" and not part.is_opaque_signed


def _unique(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple({part.part_id: part for part in parts}.values())


def _read(part: Part) -> TextParts:
    match part.content_type:
        case "multipart/alternative":
            return _read_alternative(part)
        case "multipart/related":  # the root that `start` names, else the first (RFC 2387 section 3.2)
            start = part.params.get("start", "").strip("<>")
            roots = [child for child in part.parts if start and child.content_id == start] or part.parts
            return _read(roots[0]) if roots else TextParts()
        case "multipart/signed" | "multipart/report":  # the first part is for people (RFC 6522)
            return _read(part.parts[0]) if part.parts else TextParts()
        case _ if part.is_multipart:
            # A text part with a file name, unless it comes first, is a file.
            read = [
                _read(child)
                for number, child in enumerate(part.parts)
                if not (number and child.filename and not child.is_multipart)
            ]
            return TextParts(
                plain=tuple(each for found in read for each in found.plain),
                html=tuple(each for found in read for each in found.html),
            )
        case _:
            pass
    is_text = part.disposition != "attachment" and (part.content_type in _TEXT_TYPES or part.is_html)
    return TextParts(plain=(part,), html=(part,)) if is_text or part.is_opaque_signed else TextParts()


def _read_alternative(part: Part) -> TextParts:
    """Read the last alternative that can be read (RFC 2046 section 5.1.4). An empty one can't.

    A plain one after the HTML doesn't count: some servers take the epilogue for it.
    """
    choices = [choice for child in part.parts if (choice := _read(child)).all]
    found = [each for each in choices if any(part.size_octets for part in each.all)] or choices
    if not found:
        return TextParts()
    plain: TextParts | None = None
    for each in found:
        if not any(part.is_html for part in each.plain):
            plain = each
        elif plain is not None:
            break
    others = [each for each in found if each is not plain] or found
    html = next((each for each in reversed(found) if any(part.is_html for part in each.html)), others[-1])
    return TextParts(plain=(plain or found[-1]).plain, html=html.html)


def _file_candidates(part: Part, parent_type: str) -> Iterator[Part]:
    if part.is_multipart:
        for child in part.parts if part.content_type != "multipart/report" else ():
            yield from _file_candidates(child, part.content_type)
        return
    is_shown_image = (
        parent_type == "multipart/related" and part.content_id and part.content_type.startswith("image/")
    )
    if part.content_type in _NEVER_FILES or is_shown_image:
        return
    if parent_type == "multipart/alternative":
        is_file = bool(part.filename) and part.disposition == "attachment"
    else:
        alone = not parent_type  # the whole message, and not its text
        described = bool(part.filename) or part.disposition == "attachment" or part.is_message
        shown_inline = part.content_type.startswith(("text/", "image/")) or parent_type in _OF_ONE_THING
        is_file = alone or described or not shown_inline
    if is_file:
        yield part
