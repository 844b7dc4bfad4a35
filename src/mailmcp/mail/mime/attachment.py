"""Attachments of a message: every part that is not the text itself."""

from dataclasses import dataclass

from mailmcp.mail.mime.smime import is_wrapped
from mailmcp.mail.mime.structure import Part, walk
from mailmcp.mail.mime.text_parts import TextParts


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """One part that can be fetched as a file."""

    part_id: str
    """Section number to fetch it by (RFC 9051 section 6.4.5.1)."""

    filename: str
    """Clean last component of its name; "" when it has none."""

    content_type: str
    """Type and subtype in lower case."""

    size_octets: int
    """Octets after decoding, estimated (see `decoded_size`), from 0."""

    inline: bool
    """Shown within the text (an image of the HTML) rather than beside it."""

    content_id: str
    """What HTML refers to it by (``cid:``), without angle brackets; "" when there is none."""

    subject: str = ""
    """Of the message that it is, decoded, on one clean line; "" where it is none or that is not known."""


def list_attachments(root: Part | None, text_parts: TextParts) -> tuple[Attachment, ...]:
    """List every leaf, and every message inside, that is not shown as text; in order.

    What is signed in one piece (S/MIME) is listed too: besides the text it may hold files. An
    empty text without a name is not.
    """
    read = {part.part_id for part in text_parts.shown if not is_wrapped(part)}
    leaves = (part for part in walk(root) if part.part_id not in read)
    return tuple(_describe(part) for part in leaves if part.size_octets or not part.is_bare)


def decoded_size(part: Part) -> int:
    """Estimate the decoded length of a part from its encoded one.

    Base64 holds three octets in four, and lines of 76 characters end with CRLF:
    size x 3/4 x 76/78, exact but for the last line. Uuencode: 45 octets a line
    of 63. Quoted-printable and the others: the encoded size, which is the upper bound.
    """
    if part.encoding == "base64":
        return part.size_octets * 3 * 76 // (4 * 78)
    if "uue" in part.encoding or "uuencode" in part.encoding:
        return part.size_octets * 45 // 63
    return part.size_octets


def _describe(part: Part) -> Attachment:
    return Attachment(
        part_id=part.part_id,
        filename=part.filename,
        content_type=part.content_type,
        size_octets=decoded_size(part),
        inline=part.disposition == "inline" or (part.disposition == "" and part.content_id != ""),
        content_id=part.content_id,
        subject=part.subject,
    )
