"""The calls that every client makes, and what their replies must be.

Success, partial and error of each tool, as far as it can end so:

| tool                 | success | partial     | error                                                |
|----------------------|---------|-------------|------------------------------------------------------|
| imap_list_accounts   | yes     | never (1)   | invalid_input; no other, since it asks no server     |
| imap_list_mailboxes  | yes     | not counted | invalid_input, not_found, auth_failed, timeout;      |
|                      |         |             | never conflict: it takes nothing with a UIDVALIDITY  |
| imap_search_messages | yes     | not fetched | invalid_input, not_found, auth_failed, conflict,     |
|                      |         |             | internal                                             |
| imap_get_message     | yes     | never (2)   | invalid_input, not_found, auth_failed, conflict,     |
|                      |         |             | internal                                             |
| imap_get_attachment  | yes     | never (2)   | the same                                             |
| imap_get_message_raw | yes     | never (2)   | the same                                             |

(1) It answers from the settings: there is nothing that could not be had, and no status.
(2) It is asked for one item: there it is, if need be with warnings, or it is an error.

Timeout takes its time and looks alike everywhere, so one tool has it. A tool that is not
there gives no result but a JSON-RPC error.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from clients.site import ALONE_UID, BROKEN_UID, RICH_UID, UIDVALIDITY
from mailmcp.model.cursor import SearchCursor, Source, format_search_cursor
from mcp_envelope import Code

ACCOUNTS, MAILBOXES = "imap_list_accounts", "imap_list_mailboxes"
SEARCH, GET = "imap_search_messages", "imap_get_message"
ATTACHMENT, RAW = "imap_get_attachment", "imap_get_message_raw"

UNKNOWN_TOOL = "imap_delete_everything"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call, and how it ends."""

    name: str
    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    status: str | None = None
    """`data.status` of a success; None where there is none."""

    code: Code | None = None
    """Of an error."""

    def call(self) -> dict[str, object]:
        """Write the call as the drivers read it."""
        return {"tool": self.tool, "arguments": dict(self.arguments)}


def _id(uid: int, mailbox: str = "INBOX", *, account: str = "work", uidvalidity: int = UIDVALIDITY) -> str:
    return f"imap:{account}:{mailbox}:{uidvalidity}:{uid}"


_STALE_CURSOR = format_search_cursor(
    SearchCursor(
        sources=(Source(account_id="work", mailbox="INBOX", uidvalidity=1, uid=4),),
        total=6,
        arguments={"limit": "2"},
    )
)

_IN_WORK: dict[str, object] = {"account_id": "work"}
_PART: dict[str, object] = {"message_id": _id(RICH_UID, "Archive")}
_EVERYTHING: dict[str, object] = {
    "body_mode": "html",
    "include_headers": True,
    "attachment_mode": "extract_text",
}

CASES = (
    Case(name="accounts", tool=ACCOUNTS),
    Case(name="accounts: unknown argument", tool=ACCOUNTS, arguments={"x": 1}, code=Code.INVALID_INPUT),
    Case(name="mailboxes", tool=MAILBOXES, arguments=_IN_WORK, status="ok"),
    Case(
        name="mailboxes: one not counted",
        tool=MAILBOXES,
        arguments=_IN_WORK | {"include_counts": True},
        status="partial",
    ),
    Case(name="mailboxes: bad cursor", tool=MAILBOXES, arguments={"cursor": "m1.x"}, code=Code.INVALID_INPUT),
    Case(
        name="mailboxes: no such account",
        tool=MAILBOXES,
        arguments={"account_id": "home"},
        code=Code.NOT_FOUND,
    ),
    Case(
        name="mailboxes: wrong password",
        tool=MAILBOXES,
        arguments={"account_id": "locked"},
        code=Code.AUTH_FAILED,
    ),
    Case(
        name="mailboxes: silent server",
        tool=MAILBOXES,
        arguments={"account_id": "silent"},
        code=Code.TIMEOUT,
    ),
    Case(
        name="search",
        tool=SEARCH,
        arguments=_IN_WORK | {"mailbox": "Archive", "limit": 2, "snippet_max_chars": 50},
        status="ok",
    ),
    Case(
        name="search: nothing found",
        tool=SEARCH,
        arguments=_IN_WORK | {"mailbox": "Archive", "subject": "unheard of"},
        status="ok",
    ),
    Case(name="search: one not fetched", tool=SEARCH, arguments=_IN_WORK | {"limit": 3}, status="partial"),
    Case(
        name="search: several problems",
        tool=SEARCH,
        arguments={"limit": 1000, "start_date": "yesterday", "unread": True},
        code=Code.INVALID_INPUT,
    ),
    Case(
        name="search: no such mailbox",
        tool=SEARCH,
        arguments=_IN_WORK | {"mailbox": "Nowhere"},
        code=Code.NOT_FOUND,
    ),
    Case(
        name="search: wrong password",
        tool=SEARCH,
        arguments={"account_id": "locked"},
        code=Code.AUTH_FAILED,
    ),
    Case(name="search: stale cursor", tool=SEARCH, arguments={"cursor": _STALE_CURSOR}, code=Code.CONFLICT),
    Case(
        name="search: none fetched",
        tool=SEARCH,
        arguments=_IN_WORK | {"mailbox": "Alone"},
        code=Code.INTERNAL,
    ),
    Case(name="get", tool=GET, arguments={"message_id": _id(6)}, status="ok"),
    Case(
        name="get: everything of a rich message",
        tool=GET,
        arguments={"message_id": _id(RICH_UID, "Archive"), **_EVERYTHING},
        status="ok",
    ),
    Case(name="get: not an id", tool=GET, arguments={"message_id": "6"}, code=Code.INVALID_INPUT),
    Case(name="get: gone", tool=GET, arguments={"message_id": _id(99)}, code=Code.NOT_FOUND),
    Case(
        name="get: wrong password",
        tool=GET,
        arguments={"message_id": _id(6, account="locked")},
        code=Code.AUTH_FAILED,
    ),
    Case(
        name="get: stale id",
        tool=GET,
        arguments={"message_id": _id(6, uidvalidity=1)},
        code=Code.CONFLICT,
    ),
    Case(name="get: refused", tool=GET, arguments={"message_id": _id(BROKEN_UID)}, code=Code.INTERNAL),
    Case(
        name="get: refused alone",
        tool=GET,
        arguments={"message_id": _id(ALONE_UID, "Alone")},
        code=Code.INTERNAL,
    ),
    Case(name="attachment: text", tool=ATTACHMENT, arguments=_PART | {"part_id": "2"}, status="ok"),
    Case(
        name="attachment: the file",
        tool=ATTACHMENT,
        arguments=_PART | {"part_id": "3", "mode": "content"},
        status="ok",
    ),
    Case(
        name="attachment: a picture",
        tool=ATTACHMENT,
        arguments=_PART | {"part_id": "4", "mode": "image"},
        status="ok",
    ),
    Case(
        name="attachment: a file inside",
        tool=ATTACHMENT,
        arguments=_PART | {"part_id": "5", "member": "in.csv"},
        status="ok",
    ),
    Case(
        name="attachment: no text",
        tool=ATTACHMENT,
        arguments=_PART | {"part_id": "3"},
        code=Code.INVALID_INPUT,
    ),
    Case(
        name="attachment: no part", tool=ATTACHMENT, arguments=_PART | {"part_id": "9"}, code=Code.NOT_FOUND
    ),
    Case(
        name="attachment: bad arguments",
        tool=ATTACHMENT,
        arguments=_PART | {"part_id": "HEADER", "mode": "print"},
        code=Code.INVALID_INPUT,
    ),
    Case(
        name="attachment: stale id",
        tool=ATTACHMENT,
        arguments={"message_id": _id(6, uidvalidity=1), "part_id": "1"},
        code=Code.CONFLICT,
    ),
    Case(
        name="raw: a window",
        tool=RAW,
        arguments={"message_id": _id(RICH_UID, "Archive"), "max_bytes": 500},
        status="ok",
    ),
    Case(
        name="raw: past the end",
        tool=RAW,
        arguments={"message_id": _id(6), "offset": 100_000},
        code=Code.INVALID_INPUT,
    ),
    Case(name="raw: gone", tool=RAW, arguments={"message_id": _id(99)}, code=Code.NOT_FOUND),
    Case(
        name="raw: stale id",
        tool=RAW,
        arguments={"message_id": _id(6, uidvalidity=1)},
        code=Code.CONFLICT,
    ),
    Case(name="raw: refused", tool=RAW, arguments={"message_id": _id(BROKEN_UID)}, code=Code.INTERNAL),
)
