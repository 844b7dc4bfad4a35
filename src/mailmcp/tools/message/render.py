"""A message as Markdown: one line for each field, and what strangers wrote in fences."""

from mailmcp.tools.message.data import AttachmentRow, MessageDetail, NoticeRow
from mailmcp.wording import counted
from mcp_envelope import Untrusted, code
from mcp_envelope.markdown import quote


def message_blocks(detail: MessageDetail) -> tuple[str | Untrusted, ...]:
    """Format a message."""
    fields = (
        ("Date", detail.date),
        ("From", quote(detail.from_)),
        ("To", quote(detail.to)),
        ("Cc", quote(detail.cc)),
        ("Subject", quote(detail.subject)),
        ("Flags", code(" ".join(detail.flags)) if detail.flags else ""),
        ("Authentication", detail.authentication),
    )
    blocks: list[str | Untrusted] = [f"{name}: {value}" for name, value in fields if value]
    blocks += map(_notice_line, detail.notices or ())
    if detail.headers:
        lines = (f"{name}: {line}" for name, value in detail.headers.items() for line in value.split("\n"))
        blocks.append(Untrusted(label="headers", text="\n".join(lines)))
    bodies = (
        ("body_text", detail.body_text),
        ("body_html", detail.body_html),
        ("not_in_html", detail.not_in_html),
    )
    fenced = [Untrusted(label=label, text=text) for label, text in bodies if text]
    blocks += fenced or ["(no text)"]
    if detail.quoted_lines_collapsed:
        blocks.append(f'(quotes="keep" shows {counted(detail.quoted_lines_collapsed, "quoted line")})')
    if detail.links:
        blocks.append('(body_mode="html" shows where numbered links lead)')
    if detail.attachments:
        blocks.append("Attachments:")
    for row in detail.attachments:
        blocks.append(_attachment_line(row))
        if row.extracted_text:
            blocks.append(Untrusted(label="extracted_text", text=row.extracted_text))
    return tuple(blocks)


def _notice_line(notice: NoticeRow) -> str:
    name = notice.kind.replace("_", " ").capitalize()
    fields = "; ".join(f"{key.replace('_', ' ')}: {quote(value)}" for key, value in notice.fields.items())
    return f"{name} (part {code(notice.part_id)}): {fields or 'nothing in it can be read'}"


def _attachment_line(row: AttachmentRow) -> str:
    names = (quote(row.filename), f"message {quote(row.subject)}" if row.subject else "")
    name = ": ".join(filter(None, names)) or "unnamed"
    size = counted(row.size_bytes, "byte")
    return f"- {name} ({quote(row.content_type)}, {size}, part {code(row.part_id)})"
