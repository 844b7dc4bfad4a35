"""Lists resources and templates, without a connection: one resource for each account."""

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
"""The type of resources rendered as text."""

_LISTS_TTL_MS: Final = 3_600_000
"""Lists and templates change only with the settings, and so with a new process."""

_TEXT_TTL_MS: Final = 60_000
"""Text shows flags and counts, which change."""

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
        description="A message as text, as from imap_get_message.",
        mime_type=TEXT_TYPE,
    ),
    ResourceTemplate(
        name="message_raw",
        title="Message source",
        uri_template=RAW_TEMPLATE,
        description="A message exactly as stored.",
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
    """List one resource for each account: its mailboxes. Messages are too many to list."""
    return [
        Resource(
            name=f"mailboxes of {account.account_id}",
            title=f"Mailboxes of {account.account_id}",
            uri=format_mailboxes_uri(account.account_id),
            description="The mailboxes of the account, as from imap_list_mailboxes.",
            mime_type=TEXT_TYPE,
        )
        for account in accounts
    ]
