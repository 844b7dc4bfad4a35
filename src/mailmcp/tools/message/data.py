"""The reply of imap_get_message: the published models, header fields, and the message as Markdown.

A header field that is too long is cut between addresses or words, and a warning says so.
"""

from datetime import tzinfo
from typing import Final

from pydantic import BaseModel, Field

from mailmcp import limits
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.people import people_of
from mailmcp.mail.text.snippet import make_snippet
from mailmcp.tools.attachment_row import AttachmentRow, attachment_line
from mailmcp.tools.columns import time_column
from mailmcp.tools.names import GET_MESSAGE_RAW
from mailmcp.tools.published import Fields, Row, Strings
from mailmcp.wording import counted
from mcp_envelope import Untrusted, code
from mcp_envelope.markdown import quote

_PEOPLE: Final = ("From", "To", "Cc")
_ADDRESSES: Final = frozenset({"from", "to", "sender", "reply-to"})
_SHOWN: Final = _ADDRESSES | {
    "date",
    "subject",
    "message-id",
    "in-reply-to",
    "references",
    "list-id",
    "list-unsubscribe",
    "auto-submitted",
    "precedence",
}
"""Fields that matter for replies and lists, and the four that clients of similar servers expect."""


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


def people_fields(headers: Headers) -> tuple[dict[str, str], list[str]]:
    """Format From, To and Cc under their names in the reply; also return a warning for each that was cut."""
    values: dict[str, str] = {}
    warnings: list[str] = []
    for name in _PEOPLE:
        people = people_of(headers, name, max_chars=limits.HEADER_CHARS_MAX)
        values[name.lower()] = people.text
        if people.shown < people.total:
            more_than = "more than " if headers.is_cut(name) else ""
            warnings.append(
                f"{name} has {more_than}{people.total} addresses, of which {people.shown} are shown; "
                f"{GET_MESSAGE_RAW} has all of them."
            )
    return values, warnings


def header_fields(headers: Headers) -> tuple[dict[str, str], list[str]]:
    """Format the header fields that matter for replies and lists, by name.

    Values of a field that occurs more than once are on lines of their own. Addresses are parsed and written
    again, so that no name can pass for one. Also return a warning if any value was cut.
    """
    values: dict[str, list[str]] = {}
    cut = 0
    for field in headers.fields:
        if field.name.lower() in _SHOWN:
            people = people_of(Headers(fields=(field,)), field.name, max_chars=limits.HEADER_CHARS_MAX)
            value, was_cut = people.text, people.shown < people.total
            if field.name.lower() not in _ADDRESSES or not people.total:
                whole = clean_line(field.value).text
                value = make_snippet(whole, limits.HEADER_CHARS_MAX)
                was_cut = len(whole) > limits.HEADER_CHARS_MAX
            cut += was_cut
            values.setdefault(field.name, []).append(value)
    shown = {name: "\n".join(several) for name, several in values.items()}
    warning = f"Cut {counted(cut, 'header value')}; {GET_MESSAGE_RAW} has the whole source."
    return shown, [warning] if cut else []
