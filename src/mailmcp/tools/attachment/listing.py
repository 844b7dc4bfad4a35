"""Attachments of a message in its reply: listed, and on request with their text."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel

from mailmcp import limits
from mailmcp.mail.mime.body_parts import Attachment, choose_text_parts, list_attachments
from mailmcp.mail.mime.structure import Part, find_part
from mailmcp.mail.notices import INVITATION, Notice, choose_notice_parts
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.attachment.text import AttachmentText, can_have_text, octets_wanted, read_attachment_text
from mailmcp.tools.errors import about_message
from mailmcp.tools.message_parts import MessageParts, WantedPart
from mailmcp.tools.names import GET_ATTACHMENT
from mailmcp.tools.tool import Call
from mcp_envelope import Issue, Untrusted, code
from mcp_envelope.markdown import quote


class AttachmentRow(BaseModel):
    """One attachment."""

    filename: str
    content_type: str
    size_bytes: int
    part_id: str
    subject: str | None = None
    """Of a message that is attached."""

    extracted_text: str | None = None


def choose_documents(root: Part) -> list[WantedPart]:
    """Choose the attachments whose text is read along with their message: the first few, none too large."""
    parts = (find_part(root, each.part_id) for each in list_attachments(root, choose_text_parts(root)))
    wanted = [
        WantedPart(part, octets_wanted(part))
        for part in parts
        if part is not None
        and can_have_text(part.content_type, part.filename)
        and part.size_octets <= limits.ATTACHMENT_WITH_MESSAGE_OCTETS_MAX
    ]
    return wanted[: limits.ATTACHMENTS_WITH_MESSAGE_MAX]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a reply says of a message besides its attachments."""

    notices: Sequence[Notice] = ()
    body: str = ""


_NOTHING = Told()


@dataclass(slots=True)
class ShownAttachments:
    """Rows, and what there is to say of their text."""

    rows: list[AttachmentRow] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)


async def show_attachments(
    call: Call, ref: MessageRef, parts: MessageParts, *, mode: str, max_chars: int, told: Told = _NOTHING
) -> ShownAttachments:
    """Make the rows that `attachment_mode` asks for: none, all, or all with the text of those that have any.

    Args:
        call: Reads documents in another process.
        ref: The message.
        parts: With the octets of what `choose_documents` chose.
        mode: `none`, `metadata` or `extract_text`.
        max_chars: Longest text of one attachment.
        told: What the reply says besides, which is not said again.
    """
    shown = ShownAttachments()
    root = parts.view.structure
    for each in list_attachments(root, choose_text_parts(root)) if mode != "none" else ():
        row = AttachmentRow(
            filename=each.filename,
            content_type=each.content_type,
            size_bytes=each.size_octets,
            part_id=each.part_id,
            subject=each.subject or None,
        )
        if mode == "extract_text":
            read = await _extract(call, ref, each, parts, shown)
            if read is not None:
                text = _untold(told, root, each.part_id, read.text)
                row.extracted_text = text[:max_chars] if text or not read.text else None
                shown.warnings += _text_warnings(each, read, text, max_chars)
        shown.rows.append(row)
    return shown


async def _extract(
    call: Call, ref: MessageRef, attachment: Attachment, parts: MessageParts, shown: ShownAttachments
) -> AttachmentText | None:
    """Read the text of an attachment; None, and why, if there is none."""
    where = f"part {attachment.part_id}"
    part = find_part(parts.view.structure, attachment.part_id)
    octets = parts.octets.get(attachment.part_id)
    if not can_have_text(attachment.content_type, attachment.filename) or part is None:
        shown.warnings.append(f"No text can be extracted from {where} ({quote(attachment.content_type)}).")
        return None
    if octets is None:
        shown.warnings.append(f"The text of {where} was not read along; imap_get_attachment reads it.")
        return None
    read = await read_attachment_text(call, part, octets, cut=attachment.part_id in parts.cut)
    if read.issue is not None:
        message = f"{where.capitalize()}: {read.issue.message}"
        shown.issues.append(replace(read.issue, message=message, about=about_message(ref)))
        return None
    return read


def _untold(told: Told, root: Part | None, part_id: str, text: str) -> str:
    """Leave out of the text of a calendar what the reply says already as an invitation, and in its body."""
    invitations = [each for each in told.notices if each.kind == INVITATION]
    calendars = {part.part_id for part in choose_notice_parts(root) if part.is_calendar}
    own = [each for each in invitations if each.part_id == part_id]
    if part_id not in calendars or 1 not in {len(own), len(invitations)}:  # what is told twice counts once
        return text
    description = text.partition("\n\n")[2].strip()
    return "" if " ".join(description.split()) in " ".join(told.body.split()) else description


def _text_warnings(attachment: Attachment, read: AttachmentText, text: str, max_chars: int) -> list[str]:
    warnings = [*read.warnings]
    if len(text) > max_chars:
        onward = f" from text_offset {max_chars}" if text == read.text else ""
        warnings.append(
            f"The text was cut after {max_chars} of {len(text)} characters; {GET_ATTACHMENT} reads on"
            f"{onward}, or send attachment_text_max_chars up to {limits.ATTACHMENT_TEXT_CHARS_MAX}."
        )
    return [f"Of part {attachment.part_id}: {warning}" for warning in warnings]


def attachment_lines(rows: Sequence[AttachmentRow]) -> tuple[str | Untrusted, ...]:
    """Write the rows as Markdown; their text comes fenced."""
    lines: list[str | Untrusted] = ["Attachments:"] if rows else []
    for row in rows:
        name = quote(row.filename) or (f"message {quote(row.subject)}" if row.subject else "unnamed")
        lines.append(
            f"- {name} ({quote(row.content_type)}, {row.size_bytes} bytes, part {code(row.part_id)})"
        )
        if row.extracted_text:
            lines.append(Untrusted(label="extracted_text", text=row.extracted_text))
    return tuple(lines)
