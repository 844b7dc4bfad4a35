"""Which resources there are: templates, and one entry an account; made without a connection."""

from collections.abc import Sequence
from typing import Final

from mcp.server.caching import CacheableMethod, CacheHint
from mcp.types import Resource, ResourceTemplate

from mailmcp.imap.account import Account
from mailmcp.model.resource_uri import (
    ATTACHMENT_TEMPLATE,
    MESSAGE_TEMPLATE,
    RAW_TEMPLATE,
    format_mailboxes_uri,
)

TEXT_TYPE: Final = "text/markdown"
"""Of resources that are made for reading."""

_LISTS_TTL_MS: Final = 3_600_000
"""Lists and templates change only with the settings, that is, with a new process."""

_TEXT_TTL_MS: Final = 60_000
"""Text has flags and counts in it, which change."""

CACHE_HINTS: Final[dict[CacheableMethod, CacheHint]] = {
    "resources/list": CacheHint(ttl_ms=_LISTS_TTL_MS, scope="private"),
    "resources/templates/list": CacheHint(ttl_ms=_LISTS_TTL_MS, scope="public"),
    "resources/read": CacheHint(ttl_ms=_TEXT_TTL_MS, scope="private"),
}

TEMPLATES: Final = (
    ResourceTemplate(
        name="message",
        title="Message",
        uri_template=MESSAGE_TEMPLATE,
        description="A message as text, as imap_get_message gives it.",
        mime_type=TEXT_TYPE,
    ),
    ResourceTemplate(
        name="message_raw",
        title="Message source",
        uri_template=RAW_TEMPLATE,
        description="A message as it is stored, octet by octet.",
        mime_type="message/rfc822",
    ),
    ResourceTemplate(
        name="attachment",
        title="Attachment",
        uri_template=ATTACHMENT_TEMPLATE,
        description="An attachment, or any other part of a message, decoded.",
    ),
)


def list_resources(accounts: Sequence[Account]) -> list[Resource]:
    """List the mailboxes of each account as one resource; messages are too many to be listed."""
    return [
        Resource(
            name=f"mailboxes of {account.account_id}",
            title=f"Mailboxes of {account.account_id}",
            uri=format_mailboxes_uri(account.account_id),
            description="The mailboxes of the account, as imap_list_mailboxes gives them.",
            mime_type=TEXT_TYPE,
        )
        for account in accounts
    ]
