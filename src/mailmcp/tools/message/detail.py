"""One message in a reply: its row of data, and the same as text."""

from pydantic import BaseModel, Field

from mailmcp import limits
from mailmcp.mail.clean import clean_line
from mailmcp.mail.read import ReadMessage
from mailmcp.mail.text.snippet import make_snippet
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.attachment.listing import AttachmentRow, attachment_lines
from mailmcp.tools.message.headers import people_fields
from mailmcp.tools.message_parts import MessageParts
from mailmcp.tools.rows import date_of, id_values
from mailmcp.tools.wording import counted
from mcp_envelope import Untrusted, code
from mcp_envelope.markdown import quote


class NoticeRow(BaseModel):
    """What a calendar invitation, a delivery report or a read receipt says."""

    kind: str
    part_id: str
    fields: dict[str, str]


class MessageDetail(BaseModel):
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
    flags: list[str]
    size_bytes: int | None = None
    authentication: str = Field(description="SPF, DKIM, DMARC.")
    suspicions: list[str] | None = None
    """Kinds of what is odd about the sender; the warnings say it in words."""

    headers: dict[str, str] | None = None
    notices: list[NoticeRow] | None = None
    body_text: str | None = None
    body_html: str | None = None
    body_truncated: bool
    body_total_chars: int
    not_in_html: str | None = None
    """The first line of the plain text that people do not see."""

    quoted_lines_collapsed: int | None = None
    attachments: list[AttachmentRow]


def head_fields(ref: MessageRef, parts: MessageParts, message: ReadMessage) -> dict[str, object]:
    """Give the fields of `MessageDetail` that do not depend on how much of the body is shown."""
    headers, fetched = parts.view.headers, parts.fetched
    return {
        **id_values(ref),
        "date": date_of(headers, fetched),
        **people_fields(headers),
        "subject": make_snippet(clean_line(headers.get("Subject")).text, limits.HEADER_CHARS_MAX),
        "flags": list(fetched.flags),
        "size_bytes": fetched.size_octets,
        "authentication": message.authentication.text,
        "suspicions": [each.kind for each in message.suspicions] or None,
        "not_in_html": make_snippet(message.not_in_html.first, limits.PLAIN_ONLY_CHARS_MAX) or None,
        "notices": [
            NoticeRow(kind=each.kind, part_id=each.part_id, fields=dict(each.fields))
            for each in message.notices
        ]
        or None,
    }


def detail_blocks(detail: MessageDetail) -> tuple[str | Untrusted, ...]:
    """Write a message as Markdown: a line for each field, then what was written, fenced."""
    lines = [
        f"{name}: {value}"
        for name, value in (
            ("Date", detail.date),
            ("From", quote(detail.from_)),
            ("To", quote(detail.to)),
            ("Cc", quote(detail.cc)),
            ("Subject", quote(detail.subject)),
            ("Flags", code(" ".join(detail.flags)) if detail.flags else ""),
            ("Authentication", detail.authentication),
        )
        if value
    ]
    lines += [_notice_line(each) for each in detail.notices or ()]
    headers = "\n".join(
        f"{name}: {line}" for name, value in (detail.headers or {}).items() for line in value.split("\n")
    )
    fenced = [Untrusted(label="headers", text=headers)] if headers else []
    bodies = [
        Untrusted(label=label, text=text)
        for label, text in (
            ("body_text", detail.body_text),
            ("body_html", detail.body_html),
            ("not_in_html", detail.not_in_html),
        )
        if text
    ]
    no_text = [] if bodies else ["(no text)"]
    count = detail.quoted_lines_collapsed
    left_out = [f'(quotes="keep" shows {counted(count, "quoted line")})'] if count else []
    return (*lines, *fenced, *no_text, *bodies, *left_out, *attachment_lines(detail.attachments))


def _notice_line(notice: NoticeRow) -> str:
    name = notice.kind.replace("_", " ").capitalize()
    fields = "; ".join(f"{key.replace('_', ' ')}: {quote(value)}" for key, value in notice.fields.items())
    return f"{name} (part {code(notice.part_id)}): {fields}"
