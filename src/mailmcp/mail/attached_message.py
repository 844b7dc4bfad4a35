"""A message inside a message, as text: who wrote what, and its words.

For attachments of type message/rfc822 and for files that hold one (``.eml``).
"""

from dataclasses import replace
from typing import Final

from mailmcp.mail.calendar.invitation import bounded_line
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import format_address, parse_addresses
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.message import read_message
from mailmcp.mail.mime.attachment import list_attachments
from mailmcp.mail.mime.structure import walk
from mailmcp.mail.mime.text_parts import choose_text_parts
from mailmcp.mail.text.body import BodyText, body_text

_ADDRESSES: Final = ("From", "To", "Cc")
_ATTACHMENTS_NAMED: Final = 20


def message_text(octets: bytes, *, part_id: str = "") -> BodyText:
    """Write a message as text: Subject, From, To, Cc and Date, then its text, then what is attached.

    Args:
        octets: The message, transfer encoding already taken off.
        part_id: Of the part that it is, where its own parts can be had by their ids (RFC 9051
            section 6.4.5.1); "" where they cannot, as in a file.

    Returns:
        The text; empty header fields are left out. Messages inside this one are named, not entered.
    """
    view = read_message(octets, complete=True)
    text_parts = choose_text_parts(view.structure)
    spans = view.tree.spans
    found = {
        part.part_id: octets[spans[part.part_id].start : spans[part.part_id].end]
        for part in walk(view.structure)
        if part.part_id in spans
    }
    body = body_text(text_parts, found)
    attached = list_attachments(view.structure, text_parts)
    lines = [
        f"Attachment: {each.filename or each.subject or '(unnamed)'} "
        f"({each.content_type}{f', part {part_id}.{each.part_id}' if part_id else ''})"
        for each in attached[:_ATTACHMENTS_NAMED]
    ]
    if len(attached) > _ATTACHMENTS_NAMED:
        lines.append(f"and {len(attached) - _ATTACHMENTS_NAMED} more attachments")
    blocks = ("\n".join(_head(view.headers)), body.text, "\n".join(lines))
    return replace(
        body,
        text="\n\n".join(block for block in blocks if block),
        defects=tuple(dict.fromkeys((*view.defects, *body.defects))),
    )


def _head(headers: Headers) -> list[str]:
    values = {"Subject": clean_line(headers.get("Subject")).text}
    for name in _ADDRESSES:
        values[name] = ", ".join(map(format_address, parse_addresses(*headers.raw_all(name))))
    values["Date"] = headers.get("Date")
    return [f"{name}: {bounded_line(value)}" for name, value in values.items() if value]
