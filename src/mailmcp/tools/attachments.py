"""Attachments in a reply: listed, and the text of those that are text."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from mailmcp.envelope import limits
from mailmcp.envelope.markdown import code, escape
from mailmcp.envelope.outcome import Untrusted
from mailmcp.mail.attachment import Attachment, list_attachments
from mailmcp.mail.body import BodyText, body_text
from mailmcp.mail.structure import Part, find
from mailmcp.mail.text_parts import TextParts, choose_text_parts
from mailmcp.tools.message_parts import MessageParts

_TEXTUAL = frozenset(
    {"application/json", "application/xml", "application/xhtml+xml", "application/ics", "application/sql"}
)
"""Types that are text though their names do not say so; others are not extracted."""


class AttachmentRow(BaseModel):
    """One attachment."""

    filename: str
    content_type: str
    size_bytes: int
    part_id: str
    extracted_text: str | None = None


def is_textual(attachment: Attachment) -> bool:
    """Tell whether an attachment holds text that can be shown."""
    return attachment.content_type.startswith("text/") or attachment.content_type in _TEXTUAL


def extractable(attachments: Sequence[Attachment], root: Part) -> list[Part]:
    """Choose the parts whose text can be extracted."""
    found = (find(root, each.part_id) for each in attachments if is_textual(each))
    return [part for part in found if part is not None]


@dataclass(frozen=True, slots=True)
class ShownAttachments:
    """Rows, and what there is to say of their text."""

    rows: list[AttachmentRow]
    warnings: tuple[str, ...] = ()


def show_attachments(mode: str, max_chars: int, parts: MessageParts) -> ShownAttachments:
    """Make the rows that `attachment_mode` asks for: none, all, or all with the text of the textual ones."""
    root = parts.view.structure
    attachments = list_attachments(root, choose_text_parts(root)) if mode != "none" else ()
    rows: list[AttachmentRow] = []
    warnings: list[str] = []
    for each in attachments:
        read = _read(each, root, parts) if mode == "extract_text" and is_textual(each) else None
        text = read.text if read else None
        rows.append(
            AttachmentRow(
                filename=each.filename,
                content_type=each.content_type,
                size_bytes=each.size_octets,
                part_id=each.part_id,
                extracted_text=None if text is None else text[:max_chars],
            )
        )
        if read is not None:
            warnings += taken_out(read, f"part {each.part_id}")
        if text is not None and len(text) > max_chars:
            warnings.append(
                f"The text of part {each.part_id} was cut after {max_chars} of {len(text)} characters; send "
                f"attachment_text_max_chars up to {limits.ATTACHMENT_TEXT_CHARS_MAX} for more."
            )
        elif text is None and mode == "extract_text":
            warnings.append(f"No text can be extracted from part {each.part_id} ({each.content_type}).")
    return ShownAttachments(rows, tuple(warnings))


def _read(attachment: Attachment, root: Part | None, parts: MessageParts) -> BodyText:
    part = find(root, attachment.part_id)
    return body_text(TextParts(plain=(part,) if part is not None else ()), parts.octets)


def taken_out(body: BodyText, where: str) -> list[str]:
    """Say what was taken out of a text, in warnings that end with `where`: what nobody saw is counted."""
    warnings: list[str] = []
    if body.hidden_removed:
        warnings.append(f"{body.hidden_removed} hidden passages were taken out of {where}.")
    if body.invisible_removed:
        warnings.append(f"{body.invisible_removed} invisible characters were taken out of {where}.")
    return warnings


def attachment_lines(rows: Sequence[AttachmentRow]) -> tuple[str | Untrusted, ...]:
    """Write the rows as Markdown; their text comes fenced."""
    lines: list[str | Untrusted] = ["Attachments:"] if rows else []
    for row in rows:
        name = escape(row.filename) or "(unnamed)"
        lines.append(
            f"- {name} ({escape(row.content_type)}, {row.size_bytes} bytes, part {code(row.part_id)})"
        )
        if row.extracted_text:
            lines.append(Untrusted(label="extracted_text", text=row.extracted_text))
    return tuple(lines)
