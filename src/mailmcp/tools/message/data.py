"""The reply of imap_get_message: the published models, and the message as Markdown."""

from datetime import tzinfo

from pydantic import BaseModel, Field

from mailmcp.tools.attachment_row import AttachmentRow, attachment_line
from mailmcp.tools.columns import time_column
from mailmcp.tools.published import Fields, Row, Strings
from mailmcp.wording import counted
from mcp_envelope import Untrusted, code
from mcp_envelope.markdown import quote


class NoticeRow(Row):
    """A calendar invitation, a delivery report or a read receipt."""

    kind: str
    part_id: str
    fields: Fields


class MessageDetail(Row):
    """One message."""

    message_id: str
    message_uri: str
    message_raw_uri: str
    mailbox: str
    uidvalidity: int
    uid: int
    date: str
    from_: str = Field(alias="from")
    to: str
    cc: str
    subject: str
    flags: Strings
    kinds: Strings | None = None
    """`newsletter`, `automatic`, or both; set unless a person wrote it to people."""

    size_bytes: int | None = None
    authentication: str
    """The results of SPF, DKIM and DMARC, or "not known"."""

    suspicions: Strings | None = None
    """What is odd about the sender, by kind; the warnings explain it."""

    headers: Fields | None = None
    notices: list[NoticeRow] | None = None
    body_text: str | None = None
    body_html: str | None = None
    links: Fields | None = None
    """The targets of the links that have numbers in `body_text`."""

    body_offset: int | None = None
    """Where the body begins, unless at its start."""

    body_truncated: bool
    body_total_chars: int
    not_in_html: str | None = None
    """The first line of the plain text that the HTML doesn't show."""

    quoted_lines_collapsed: int | None = None
    attachments: list[AttachmentRow]


class GetMessageData(BaseModel):
    """The message."""

    account_id: str
    message: MessageDetail


def message_blocks(
    detail: MessageDetail, *, zone: tzinfo, arrived: str | None = None
) -> tuple[str | Untrusted, ...]:
    """Format a message: one line for each field, and what strangers wrote in fences.

    `arrived` is its date, if that is when the server received it.
    """
    fields = (
        ("Date", f"{time_column(detail.date, zone, arrived=arrived)} ({zone})" if detail.date else ""),
        ("From", quote(detail.from_)),
        ("To", quote(detail.to)),
        ("Cc", quote(detail.cc)),
        ("Subject", quote(detail.subject)),
        ("Flags", code(" ".join(detail.flags)) if detail.flags else ""),
        ("Kind", ", ".join(detail.kinds or ())),
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
        blocks.append(attachment_line(row))
        if row.text:
            blocks.append(Untrusted(label="text", text=row.text))
    return tuple(blocks)


def _notice_line(notice: NoticeRow) -> str:
    name = notice.kind.replace("_", " ").capitalize()
    fields = "; ".join(f"{key.replace('_', ' ')}: {quote(value)}" for key, value in notice.fields.items())
    return f"{name} (part {code(notice.part_id)}): {fields or 'nothing in it can be read'}"
