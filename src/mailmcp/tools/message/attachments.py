"""The attachments of a message in its reply: listed and, on request, with their text."""

from dataclasses import dataclass, field
from typing import Final

from mailmcp.documents.extraction import UnreadableError
from mailmcp.documents.kind import Kind, guess_kind
from mailmcp.mail.clean import cut_text
from mailmcp.mail.mime.body_parts import choose_text_parts, list_attachments
from mailmcp.mail.mime.structure import Part
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.attachment.text import can_have_text, code_of, octets_wanted, read_attachment_text
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


def list_rows(parts: MessageParts) -> AttachmentRows:
    """List the attachments without their text."""
    root = parts.view.structure
    attachments = list_attachments(root, choose_text_parts(root))
    listed = AttachmentRows([attachment_row(each) for each in attachments])
    for each in attachments:
        if guess_kind(each.content_type, each.filename) is Kind.TNEF:
            listed.winmail = each.part_id
            listed.warnings.append(
                f"Part {each.part_id} is a message in Outlook's own format, perhaps with files: "
                f"{GET_ATTACHMENT} reads it."
            )
    return listed


async def extract_rows(call: Call, ref: MessageRef, parts: MessageParts) -> AttachmentRows:
    """List the attachments with the beginnings of their texts; `parts` has what `choose_documents` chose."""
    listed = AttachmentRows()
    root = parts.view.structure
    for each in list_attachments(root, choose_text_parts(root)):
        row, part_id = attachment_row(each), each.part_id
        listed.rows.append(row)
        octets = parts.octets.get(part_id)
        if not can_have_text(each.content_type, each.filename):
            is_image = guess_kind(each.content_type, each.filename) is Kind.IMAGE
            listed.warnings.append(
                f"No text can be extracted from part {part_id} ({quote(each.content_type)})."
                + (f" {GET_ATTACHMENT} with mode=image shows it." if is_image else "")
            )
        elif octets is None:
            listed.warnings.append(f"The text of part {part_id} was not fetched; {GET_ATTACHMENT} gets it.")
        else:
            try:
                read = await read_attachment_text(call, each, octets, cut=part_id in parts.cut)
            except UnreadableError as error:
                problem, about = f"Part {part_id}: {error.message}", about_message(ref)
                issue = Issue(code=code_of(error), stage="extract", message=problem, about=about)
                listed.issues.append(issue)
                continue
            listed.warnings += [f"Part {part_id}: {warning}" for warning in read.notes]
            if read.files:
                listed.warnings.append(
                    f"Part {part_id}: {GET_ATTACHMENT} with member reads a file listed in it."
                )
            row.text = cut_text(read.text, _CHARS_MAX)
            if len(row.text) < len(read.text):
                row.next_offset, row.total_chars = len(row.text), len(read.text)
                listed.warnings.append(
                    f"Part {part_id}: The text was cut after {row.next_offset} of {row.total_chars} "
                    f"characters. For more, call {GET_ATTACHMENT} with text_offset {row.next_offset}."
                )
    return listed
