"""The attachments of a message in its reply: listed and, on request, with their text."""

from dataclasses import dataclass, field, replace
from typing import Final

from mailmcp import limits
from mailmcp.documents.kind import Kind, guess_kind
from mailmcp.mail.clean import cut_text
from mailmcp.mail.mime.body_parts import choose_text_parts, list_attachments
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.notices import INVITATION, choose_notice_parts
from mailmcp.mail.read import ReadMessage
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.attachment.text import AttachmentText, can_have_text, octets_wanted, read_attachment_text
from mailmcp.tools.errors import about_message
from mailmcp.tools.message.data import AttachmentRow
from mailmcp.tools.message.fetch import MessageParts, WantedPart
from mailmcp.tools.names import GET_ATTACHMENT
from mailmcp.tools.tool import Call
from mcp_envelope import Issue
from mcp_envelope.markdown import quote

_SHOW: Final = f" {GET_ATTACHMENT} with mode=image shows it."


@dataclass(slots=True)
class AttachmentRows:
    """Rows, and the warnings and issues about their text."""

    rows: list[AttachmentRow] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    winmail: str = ""
    """The part id of a winmail.dat that was listed and not read; "" if there is none."""


def choose_documents(root: Part) -> list[WantedPart]:
    """Choose the attachments whose text to fetch with their message: the first few that are small enough."""
    wanted = [
        WantedPart(part, octets_wanted(part))
        for part in list_attachments(root, choose_text_parts(root))
        if can_have_text(part.content_type, part.filename)
        and part.size_octets <= limits.ATTACHMENT_WITH_MESSAGE_OCTETS_MAX
    ]
    return wanted[: limits.ATTACHMENTS_WITH_MESSAGE_MAX]


def list_rows(parts: MessageParts) -> AttachmentRows:
    """List the attachments without their text."""
    root = parts.view.structure
    attachments = list_attachments(root, choose_text_parts(root))
    listed = AttachmentRows([_row(each) for each in attachments])
    for each in attachments:
        if guess_kind(each.content_type, each.filename) is Kind.TNEF:
            listed.winmail = each.part_id
            listed.warnings.append(
                f"Part {each.part_id} is a message in Outlook's own format, perhaps with files: "
                f"{GET_ATTACHMENT} reads it."
            )
    return listed


async def extract_rows(
    call: Call, ref: MessageRef, parts: MessageParts, message: ReadMessage, *, max_chars: int
) -> AttachmentRows:
    """List the attachments with the text of those that have any, each up to `max_chars`.

    Args:
        call: For the process that reads documents.
        ref: The message.
        parts: With the octets of `choose_documents`.
        message: What else the reply shows. Text that it shows already is left out.
        max_chars: The limit of one text.
    """
    listed = AttachmentRows()
    root = parts.view.structure
    for each in list_attachments(root, choose_text_parts(root)):
        row = _row(each)
        listed.rows.append(row)
        read = await _extract(call, ref, each, parts, listed)
        if read is None:
            continue
        text = _without_shown(message, root, each.part_id, read.text)
        shown = cut_text(text, max_chars)
        row.extracted_text = shown if text or not read.text else None
        listed.warnings += [f"Part {each.part_id}: {warning}" for warning in read.warnings]
        if len(text) > max_chars:
            offset = f" with text_offset {len(shown)}" if text == read.text else ""
            listed.warnings.append(
                f"Part {each.part_id}: The text was cut after {len(shown)} of {len(text)} characters. "
                f"For more, call {GET_ATTACHMENT}{offset} or send attachment_text_max_chars up to "
                f"{limits.ATTACHMENT_TEXT_CHARS_MAX}."
            )
    return listed


def _row(attachment: Part) -> AttachmentRow:
    return AttachmentRow(
        filename=attachment.filename,
        content_type=attachment.content_type,
        size_bytes=attachment.decoded_size,
        part_id=attachment.part_id,
        subject=attachment.subject or None,
    )


async def _extract(
    call: Call, ref: MessageRef, attachment: Part, parts: MessageParts, listed: AttachmentRows
) -> AttachmentText | None:
    """Read the text of an attachment, or return None and add the reason to `listed`."""
    part_id = attachment.part_id
    octets = parts.octets.get(part_id)
    if not can_have_text(attachment.content_type, attachment.filename):
        listed.warnings.append(
            f"No text can be extracted from part {part_id} ({quote(attachment.content_type)})."
            + (_SHOW if guess_kind(attachment.content_type, attachment.filename) is Kind.IMAGE else "")
        )
        return None
    if octets is None:
        listed.warnings.append(f"The text of part {part_id} was not fetched; {GET_ATTACHMENT} gets it.")
        return None
    read = await read_attachment_text(call, attachment, octets, cut=part_id in parts.cut)
    if read.issue is None:
        return read
    message = f"Part {part_id}: {read.issue.message}"
    listed.issues.append(replace(read.issue, message=message, about=about_message(ref)))
    return None


def _without_shown(message: ReadMessage, root: Part | None, part_id: str, text: str) -> str:
    """Leave out of a calendar's text what the reply already shows as an invitation and in its body."""
    invitations = [each for each in message.notices if each.kind == INVITATION]
    calendars = {part.part_id for part in choose_notice_parts(root) if part.is_calendar}
    own = [each for each in invitations if each.part_id == part_id]
    if part_id not in calendars or 1 not in {len(own), len(invitations)}:  # copies of one event count once
        return text
    description = text.partition("\n\n")[2].strip()
    return "" if " ".join(description.split()) in " ".join(message.text.split()) else description
