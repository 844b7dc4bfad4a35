"""The published models of imap_list_mailboxes."""

from pydantic import BaseModel, Field


class MailboxRow(BaseModel):
    """One mailbox."""

    account_id: str | None = None
    """Set in a list of all accounts."""

    name: str = Field(description="Send it as `mailbox`, exactly.")
    delimiter: str
    special_use: str = Field(description='RFC 6154 attribute such as "\\\\Sent", or "".')
    special_use_guessed: bool | None = Field(None, description="true: guessed from the name.")
    selectable: bool = Field(description="false: holds no messages.")
    messages: int | None = None
    unseen: int | None = None


class ListMailboxesData(BaseModel):
    """The mailboxes, INBOX first, then by name."""

    account_id: str
    mailboxes: list[MailboxRow]
