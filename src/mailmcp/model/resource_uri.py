"""URIs of mail as resources (RFC 3986), and the templates that they fit (RFC 6570 level 1).

`mailmcp.model.message_ref` writes those of messages; this module reads them. A mailbox is one segment,
however many separators its name has, and is decoded exactly once. `mailmcp.imap` finds out whether the
resource exists.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import unquote_to_bytes

from mailmcp.model.message_ref import MessageRef, make_ref
from mailmcp.reasons import Reason
from mcp_envelope import InvalidInputError

URI_CHARS_MAX: Final = 15_000
"""A resource URI: the longest mailbox name that a message id can hold, percent-encoded."""

MAILBOX_TEMPLATE: Final = "imap://{account}/mailbox/{mailbox}"
MESSAGE_TEMPLATE: Final = MAILBOX_TEMPLATE + "/message/{uidvalidity}/{uid}"
RAW_TEMPLATE: Final = MESSAGE_TEMPLATE + "/raw"
ATTACHMENT_TEMPLATE: Final = MESSAGE_TEMPLATE + "/attachment/{part_id}"

_URI: Final = re.compile(
    r"imap://(?P<account>[A-Za-z0-9_-]{1,64})/mailbox"
    r"(?:/(?P<mailbox>(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+)"
    r"(?:/message/(?P<uidvalidity>[1-9]\d{0,9})/(?P<uid>[1-9]\d{0,9})"
    r"(?:(?P<raw>/raw)|/attachment/(?P<part_id>[1-9]\d{0,4}(?:\.[1-9]\d{0,4}){0,63}))?)?)?",
    re.ASCII,
)


class ResourceKind(StrEnum):
    """The kind of a resource."""

    MAILBOXES = "mailboxes"
    MAILBOX = "mailbox"
    MESSAGE = "message"
    RAW = "raw"
    ATTACHMENT = "attachment"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceUri:
    """A parsed URI."""

    kind: ResourceKind
    account_id: str
    ref: MessageRef | None = None
    """The message; None for mailboxes."""

    mailbox: str = ""
    """The decoded name of a mailbox."""

    part_id: str = ""
    """Of an attachment."""


def format_mailboxes_uri(account_id: str) -> str:
    """Return the URI of the list of an account's mailboxes."""
    return f"imap://{account_id}/mailbox"


def parse_resource_uri(text: str) -> ResourceUri:
    """Parse a URI; escapes may be in either case, and of characters that need none.

    Raises:
        InvalidInputError: With reason `malformed_id`, if it has another form, or names a
            mailbox that is not UTF-8 or contains CR, LF or NUL.
    """
    match = _URI.fullmatch(text) if len(text) <= URI_CHARS_MAX else None
    if match is not None and not match["mailbox"]:
        return ResourceUri(kind=ResourceKind.MAILBOXES, account_id=match["account"])
    if match is not None and (ref := _ref(match)) is not None:
        if not match["uid"]:
            kind = ResourceKind.MAILBOX
            return ResourceUri(kind=kind, account_id=ref.account_id, mailbox=ref.mailbox)
        kind = ResourceKind.RAW if match["raw"] else ResourceKind.MESSAGE
        kind = ResourceKind.ATTACHMENT if match["part_id"] else kind
        return ResourceUri(kind=kind, account_id=ref.account_id, ref=ref, part_id=match["part_id"] or "")
    raise InvalidInputError.of(
        "uri",
        Reason.MALFORMED_ID,
        "is not a resource of this server. Send one that it returned, such as message_uri, or of the form "
        f"{MESSAGE_TEMPLATE}, with the mailbox percent-encoded.",
    )


def _ref(match: re.Match[str]) -> MessageRef | None:
    try:
        mailbox = unquote_to_bytes(match["mailbox"]).decode()
    except UnicodeDecodeError:
        return None
    return make_ref(match["account"], mailbox, match["uidvalidity"] or "1", match["uid"] or "1")
