"""An attachment as a row: one shape in lists, conversations and messages."""

from mailmcp.mail.mime.structure import Part
from mailmcp.tools.published import Row
from mailmcp.wording import counted
from mcp_envelope import code
from mcp_envelope.markdown import quote


class AttachmentRow(Row):
    """One attachment."""

    part_id: str
    filename: str
    content_type: str
    size_bytes: int
    subject: str | None = None
    """The subject of an attached message."""

    text: str | None = None
    """Only if it was requested; the beginning, if there is more."""

    next_offset: int | None = None
    total_chars: int | None = None


def attachment_row(part: Part) -> AttachmentRow:
    """Build the row of an attachment, without its text."""
    return AttachmentRow(
        part_id=part.part_id,
        filename=part.filename,
        content_type=part.content_type,
        size_bytes=part.decoded_size,
        subject=part.subject or None,
    )


def attachment_line(row: AttachmentRow) -> str:
    """Format a row as a line of its own. Names are strangers' and quoted."""
    names = (quote(row.filename), f"message {quote(row.subject)}" if row.subject else "")
    name = ": ".join(filter(None, names)) or "unnamed"
    size = counted(row.size_bytes, "byte")
    return f"- {name} ({quote(row.content_type)}, {size}, part {code(row.part_id)})"
