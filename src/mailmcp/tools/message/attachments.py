"""The attachments of a message in its reply: listed and, on request, with their text."""

from dataclasses import dataclass, field, replace
from typing import Final

from mailmcp.documents.extraction import UnreadableError
from mailmcp.documents.kind import Kind, guess_kind
from mailmcp.mail.mime.body_parts import choose_text_parts, list_attachments
from mailmcp.mail.mime.structure import Part
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.attachment.text import can_have_text, document_error, octets_wanted, read_attachment_text
from mailmcp.tools.attachment_row import AttachmentRow, attachment_row
from mailmcp.tools.errors import about_message
from mailmcp.tools.message.fetch import MessageParts, WantedPart
from mailmcp.tools.names import GET_ATTACHMENT
from mailmcp.tools.tool import Call
from mcp_envelope import Issue
from mcp_envelope.markdown import quote

_READ_MAX: Final = 10
"""Attachments whose text is read together with their message."""

_CHARS_MAX: Final = 4_000
"""Of each text; imap_get_attachment has windows of any size."""

_READ_OCTETS_MAX: Final = 8_388_608
"""Larger attachments, as stored, are read on their own: that takes time, and reports progress."""


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
        if can_have_text(part.content_type, part.filename) and part.size_octets <= _READ_OCTETS_MAX
    ]
    return wanted[:_READ_MAX]


async def list_rows(call: Call, ref: MessageRef, parts: MessageParts, *, texts: bool) -> AttachmentRows:
    """List the attachments; on request with the beginnings of the texts that `choose_documents` chose."""
    listed = AttachmentRows()
    root = parts.view.structure
    for each in list_attachments(root, choose_text_parts(root)):
        row = attachment_row(each)
        listed.rows.append(row)
        if texts:
            await _add_text(call, ref, parts, each, row, listed)
        elif guess_kind(each.content_type, each.filename) is Kind.TNEF:
            listed.winmail = each.part_id
            listed.warnings.append(
                f"Part {each.part_id} is a message in Outlook's own format, perhaps with files: "
                f"{GET_ATTACHMENT} reads it."
            )
    return listed


async def _add_text(
    call: Call, ref: MessageRef, parts: MessageParts, part: Part, row: AttachmentRow, listed: AttachmentRows
) -> None:
    octets, name = parts.octets.get(part.part_id), f"Part {part.part_id}"
    if not can_have_text(part.content_type, part.filename):
        is_image = guess_kind(part.content_type, part.filename) is Kind.IMAGE
        shown = f" {GET_ATTACHMENT} with mode=image shows it." if is_image else ""
        listed.warnings.append(
            f"No text can be extracted from part {part.part_id} ({quote(part.content_type)}).{shown}"
        )
        return
    if octets is None:
        listed.warnings.append(f"The text of part {part.part_id} was not fetched; {GET_ATTACHMENT} gets it.")
        return
    try:
        read = await read_attachment_text(call, part, octets, cut=part.part_id in parts.cut)
    except UnreadableError as error:
        issue = Issue.of(document_error(error, "attachment_mode"), stage="extract", **about_message(ref))
        listed.issues.append(replace(issue, message=f"{name}: {error.message}"))
        return
    listed.warnings += [f"{name}: {warning}" for warning in read.notes]
    if read.files:
        listed.warnings.append(f"{name}: {GET_ATTACHMENT} with member reads a file listed in it.")
    row.text = read.text[:_CHARS_MAX]
    if len(row.text) < len(read.text):
        row.next_offset, row.total_chars = len(row.text), len(read.text)
        listed.warnings.append(
            f"{name}: The text was cut after {row.next_offset} of {row.total_chars} characters. "
            f"For more, call {GET_ATTACHMENT} with text_offset {row.next_offset}."
        )
