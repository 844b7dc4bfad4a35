"""The published models of imap_get_attachment."""

from pydantic import BaseModel


class SectionRow(BaseModel):
    """A page, sheet or slide."""

    name: str
    offset: int


class GetAttachmentData(BaseModel):
    """The attachment. Fields that were not requested are absent."""

    account_id: str
    message_id: str
    part_id: str
    filename: str
    content_type: str
    size_bytes: int
    text: str | None = None
    text_total_chars: int | None = None
    next_offset: int | None = None
    sections: list[SectionRow] | None = None
    width: int | None = None
    height: int | None = None
    uri: str | None = None
    saved_path: str | None = None
    sha256: str | None = None
