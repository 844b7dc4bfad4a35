"""The calls and reads that every client makes, and how each ends.

Success, partial and error of each tool, as far as it can end so. A timeout takes its time and looks alike
everywhere, so one tool has it.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from clients.site import ALONE_UID, BROKEN_UID, ODD, ODD_UID, RICH_UID, UIDVALIDITY, rich_message
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.resource_uri import format_mailboxes_uri
from mcp_envelope import Code

JsonObject = dict[str, Any]
Era = Literal["legacy", "modern"]

ACCOUNTS, MAILBOXES = "imap_list_accounts", "imap_list_mailboxes"
SEARCH, GET = "imap_search_messages", "imap_get_message"
ATTACHMENT, RAW = "imap_get_attachment", "imap_get_message_raw"


class Case(NamedTuple):
    """One call, and how it ends."""

    tool: str
    arguments: dict[str, object] = {}  # noqa: RUF012 - nobody changes it
    status: str | None = None
    """`data.status` of a success; None where there is none."""

    code: Code | None = None
    """Of an error."""


class Read(NamedTuple):
    """One resource, and how reading it ends."""

    uri: str
    content_type: str = "text/markdown"
    text: str = ""
    octets: bytes | None = None
    code: Code | None = None


def _ref(uid: int, mailbox: str = "INBOX", *, uidvalidity: int = UIDVALIDITY) -> MessageRef:
    return MessageRef(account_id="work", mailbox=mailbox, uidvalidity=uidvalidity, uid=uid)


_WORK: dict[str, object] = {"account_id": "work"}
_RICH = _ref(RICH_UID, "Archive")
_PART: dict[str, object] = {"message_id": _RICH.message_id}
_EVERYTHING = {"body_mode": "html", "include_headers": True, "attachment_mode": "extract_text"}

CASES = (
    Case(tool=ACCOUNTS),
    Case(tool=ACCOUNTS, arguments={"x": 1}, code=Code.INVALID_INPUT),
    Case(tool=MAILBOXES, arguments=_WORK | {"include_counts": True}, status="partial"),
    Case(tool=MAILBOXES, arguments={"account_id": "locked"}, code=Code.AUTH_FAILED),
    Case(tool=MAILBOXES, arguments={"account_id": "silent"}, code=Code.TIMEOUT),
    Case(tool=SEARCH, arguments=_WORK | {"mailbox": "Archive", "snippet_max_chars": 50}, status="ok"),
    Case(tool=SEARCH, arguments=_WORK | {"mailbox": "Archive", "subject": "unheard of"}, status="ok"),
    Case(tool=SEARCH, arguments=_WORK | {"limit": 3}, status="partial"),
    Case(
        tool=SEARCH, arguments={"limit": 1000, "since": "yesterday", "unread": True}, code=Code.INVALID_INPUT
    ),
    Case(tool=SEARCH, arguments=_WORK | {"mailbox": "Nowhere"}, code=Code.NOT_FOUND),
    Case(tool=SEARCH, arguments=_WORK | {"mailbox": "Alone"}, code=Code.INTERNAL),
    Case(tool=GET, arguments={"message_id": _RICH.message_id, **_EVERYTHING}, status="ok"),
    Case(tool=GET, arguments={"message_id": _ref(99).message_id}, code=Code.NOT_FOUND),
    Case(tool=GET, arguments={"message_id": _ref(6, uidvalidity=1).message_id}, code=Code.CONFLICT),
    Case(tool=GET, arguments={"message_id": _ref(BROKEN_UID).message_id}, code=Code.INTERNAL),
    Case(tool=GET, arguments={"message_id": _ref(ALONE_UID, "Alone").message_id}, code=Code.INTERNAL),
    Case(tool=ATTACHMENT, arguments=_PART | {"part_id": "3", "mode": "content"}, status="ok"),
    Case(tool=ATTACHMENT, arguments=_PART | {"part_id": "4", "mode": "image"}, status="ok"),
    Case(tool=ATTACHMENT, arguments=_PART | {"part_id": "5", "member": "in.csv"}, status="ok"),
    Case(tool=ATTACHMENT, arguments=_PART | {"part_id": "3"}, code=Code.INVALID_INPUT),
    Case(tool=ATTACHMENT, arguments=_PART | {"part_id": "9"}, code=Code.NOT_FOUND),
    Case(tool=RAW, arguments={"message_id": _RICH.message_id, "max_bytes": 500}, status="ok"),
    Case(tool=RAW, arguments={"message_id": _ref(6).message_id, "offset": 100_000}, code=Code.INVALID_INPUT),
)

READS = (
    Read(uri=format_mailboxes_uri("work"), text=f"`{ODD}`"),
    Read(uri=_ref(ODD_UID, ODD).message_uri, text="Text of message 31."),
    Read(uri=_RICH.message_raw_uri, content_type="message/rfc822", octets=rich_message()),
    Read(uri=_RICH.attachment_uri("3"), content_type="application/octet-stream", octets=b"\x00\x01"),
    Read(uri="test://nothing", code=Code.INVALID_INPUT),
    Read(uri=_ref(99).message_uri, code=Code.NOT_FOUND),
    Read(uri=_ref(6, uidvalidity=1).message_raw_uri, code=Code.CONFLICT),
    Read(uri=_ref(BROKEN_UID).message_raw_uri, code=Code.INTERNAL),
    Read(uri=format_mailboxes_uri("locked"), code=Code.AUTH_FAILED),
)

RPC_CODES: Mapping[Code, Mapping[Era, int]] = {
    Code.INVALID_INPUT: {"legacy": -32602, "modern": -32602},
    Code.NOT_FOUND: {"legacy": -32002, "modern": -32602},
    Code.AUTH_FAILED: {"legacy": -32600, "modern": -32600},
    Code.CONFLICT: {"legacy": -32600, "modern": -32600},
    Code.INTERNAL: {"legacy": -32603, "modern": -32603},
}

REQUESTS = [
    *({"tool": case.tool, "arguments": case.arguments} for case in CASES),
    {"tool": "imap_delete_everything", "arguments": {}},
    *({"method": "resources/read", "params": {"uri": read.uri}} for read in READS),
]
"""What a client is given to do, on one connection."""
