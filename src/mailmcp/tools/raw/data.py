"""The published model of imap_get_message_raw."""

from typing import Literal

from pydantic import BaseModel


class GetMessageRawData(BaseModel):
    """A window of the message."""

    account_id: str
    message_id: str
    message_uri: str
    message_raw_uri: str
    size_bytes: int
    offset: int
    returned_bytes: int
    next_offset: int | None = None
    encoding: Literal["utf-8", "base64"]
    content: str
