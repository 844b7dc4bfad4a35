"""What imap_search_messages returns, for programs."""

from pydantic import BaseModel

from mailmcp.tools.published import Row, Strings
from mailmcp.tools.rows import LeanMessageRow, MessageRow
from mailmcp.tools.search.coverage import CoverageData


class GroupRow(Row):
    """One group. `key` is "" for messages that lack what they are grouped by."""

    key: str
    name: str | None = None
    count: int
    unread: int
    newest: str | None = None
    message_id: str | None = None
    """Of the newest message."""

    unsubscribe: Strings | None = None
    """Web and mail addresses that end the subscription."""

    one_click: bool | None = None
    """Whether a POST to the first of them is enough (RFC 8058)."""


class LeanSearchMessagesData(BaseModel):
    """One page. `attempted` is `returned` and `failed` together: messages, or with `group_by` groups."""

    account_id: str
    mailbox: str
    total: int
    total_at_most: bool | None = None
    attempted: int
    returned: int
    failed: int
    messages: tuple[LeanMessageRow, ...]
    groups: tuple[GroupRow, ...] | None = None
    counted: int | None = None
    """Messages in the groups, each once: fewer than `total` if not all could be looked at."""

    coverage: CoverageData


class SearchMessagesData(LeanSearchMessagesData):
    """The same with full rows."""

    messages: tuple[MessageRow, ...]
