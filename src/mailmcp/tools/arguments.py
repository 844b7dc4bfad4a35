"""Base classes of the tools' arguments; `mcp_envelope.arguments` reads them."""

import re
from typing import ClassVar, Final

from pydantic import Field, ValidationInfo, field_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

import mcp_envelope
from mailmcp import limits
from mailmcp.model.query import ARGUMENT_CRITERIA
from mcp_envelope import BaseReason

_FORBIDDEN: Final = re.compile(r"[\r\n\0\ud800-\udfff]")
"""What would end an IMAP command, and surrogates, which UTF-8 can't encode."""
_FORBIDDEN_IN_TEXTS: Final = re.compile(r"[\0\ud800-\udfff]")

_ALIASES: Final = {row.argument: row.aliases for row in ARGUMENT_CRITERIA} | {
    "account_id": "account account_name",
    "mailbox": "folder folder_name folder_id label mailbox_name mailbox_id",
    "mailboxes": "folders labels",
    "exclude_mailboxes": "exclude_folders exclude_mailbox exclude_folder except_mailboxes skip_mailboxes",
    "attachment_mode": "include_attachments attachments",
    "dates": "date_field date_type which_date",
    "last_days": "days last_n_days since_days",
    "sort": "order order_by sort_by sort_order",
    "limit": "max_results results count max page_size per_page top n max_messages",
    "group_by": "groupby group aggregate aggregate_by count_by",
    "snippet_max_chars": "snippet snippets snippet_length",
    "cursor": "page_token next_page_token next_cursor continuation page",
    "message_id": "id ids uid uids msg_id email_id message message_uri uri thread_id conversation_id",
    "part_id": "attachment_id attachment part part_number filename file_name section",
    "member": "entry inner_file file path archive_member",
    "page": "page_number",
    "body_mode": "format body_format mode",
    "mode": "format",
    "body_offset": "offset",
    "text_offset": "offset",
    "body_max_chars": "max_chars max_length max_body_chars",
    "text_max_chars": "max_chars max_length",
    "max_chars": "body_max_chars max_length",
    "max_bytes": "max_chars max_length length",
    "include_headers": "headers",
}
"""By our name. If a name may mean several arguments, the first one that the tool has is used."""

ARGUMENT_ALIASES: Final = tuple((name, ours) for ours, names in _ALIASES.items() for name in names.split())
"""For errors that ask "Did you mean …?"."""


class Arguments(mcp_envelope.Arguments):
    """Base of the input models."""

    hints = ARGUMENT_ALIASES
    long_arguments: ClassVar = frozenset({"cursor"})
    """Those that may be as long as a cursor."""

    texts: ClassVar = frozenset[str]()
    """Those that may have several lines, and be as long as a body."""

    @field_validator("*", mode="before")
    @classmethod
    def _check_text(cls, value: object, info: ValidationInfo) -> object:
        """Refuse strings that have several lines or are too long, before anything else looks at them."""
        is_text = info.field_name in cls.texts
        limit = limits.BODY_CHARS_MAX if is_text else limits.ARGUMENT_CHARS_MAX
        limit = limits.CURSOR_CHARS_MAX if info.field_name in cls.long_arguments else limit
        forbidden = _FORBIDDEN_IN_TEXTS if is_text else _FORBIDDEN
        for text in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(text, str) and forbidden.search(text):
                raise PydanticCustomError(
                    BaseReason.FORBIDDEN_CHARACTER.value,
                    "contains a NUL or a lone surrogate. Leave it out."
                    if is_text
                    else "contains a line break, a NUL or a lone surrogate. Send it on one line.",
                )
            if isinstance(text, str) and len(text) > limit:
                raise PydanticCustomError(
                    BaseReason.OUT_OF_RANGE.value, f"is too long. Send at most {limit} characters."
                )
        return value


class MessageArguments(Arguments):
    """Base of the input models that take a message id.

    The id names the account. Clients of similar servers send the account too, so it is accepted, but no
    schema publishes it and no next action contains it.
    """

    account_id: SkipJsonSchema[str] = Field("", exclude=True)
