"""An attachment as a row: one shape in lists, conversations and messages."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import WithJsonSchema

from mailmcp import limits
from mailmcp.mail.clean import clean_line
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.text.snippet import ELLIPSIS, make_snippet
from mailmcp.tools.published import Row
from mailmcp.wording import counted
from mcp_envelope import code
from mcp_envelope.markdown import quote

ROW_FILENAME_CHARS_MAX: Final = 60


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


FirstAttachments = Annotated[list[AttachmentRow], WithJsonSchema({"type": "array"})]
"""The first attachments in a row; imap_get_message publishes their shape."""


def first_attachments(parts: Sequence[Part]) -> list[AttachmentRow]:
    """Build rows of the first attachments, with shortened names."""
    rows = map(attachment_row, parts[: limits.ROW_FILES_MAX])
    short = ROW_FILENAME_CHARS_MAX
    return [row.model_copy(update={"filename": make_snippet(row.filename, short)}) for row in rows]


def file_name(file: Part | AttachmentRow) -> str:
    """Return the name of a file; for an attached message its subject, for an unnamed part its type."""
    return file.filename or clean_line(file.subject or "").text or file.content_type


def files_column(rows: Sequence[AttachmentRow], total: int | None) -> list[str]:
    """Return one column that names the files, of which there are `total` if not all have rows; or none.

    An attached message is called one in front of the quotes, where no name can stand.
    """
    if not rows:
        return []
    written = [
        f"{'message ' if row.subject and not row.filename else ''}"
        f"{quote(make_snippet(file_name(row), ROW_FILENAME_CHARS_MAX))} (part {row.part_id})"
        for row in rows
    ]
    return [f"{counted(total or len(rows), 'file')}: {', '.join(written + [ELLIPSIS] * bool(total))}"]


def attachment_line(row: AttachmentRow) -> str:
    """Format a row as a line of its own. Names are strangers' and quoted."""
    names = (quote(row.filename), f"message {quote(row.subject)}" if row.subject else "")
    name = ": ".join(filter(None, names)) or "unnamed"
    size = counted(row.size_bytes, "byte")
    return f"- {name} ({quote(row.content_type)}, {size}, part {code(row.part_id)})"
