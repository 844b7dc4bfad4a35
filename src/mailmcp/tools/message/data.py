"""The published models of imap_get_message."""

from pydantic import BaseModel, Field


class NoticeRow(BaseModel):
    """A calendar invitation, a delivery report or a read receipt."""

    kind: str
    part_id: str
    fields: dict[str, str]


class AttachmentRow(BaseModel):
    """One attachment."""

    filename: str
    content_type: str
    size_bytes: int
    part_id: str
    subject: str | None = None
    """The subject of an attached message."""

    extracted_text: str | None = None


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
    """What is odd about the sender, by kind; the warnings explain it."""

    headers: dict[str, str] | None = None
    notices: list[NoticeRow] | None = None
    body_text: str | None = None
    body_html: str | None = None
    links: dict[str, str] | None = None
    """The targets of the links that have numbers in `body_text`."""

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
