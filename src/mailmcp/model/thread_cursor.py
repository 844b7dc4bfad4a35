"""The cursor of a conversation: which one, and the last message that was shown.

Messages are ordered by time, then by a mark that all copies of a message share, so that new messages
don't change what comes after.
"""

import re
import zlib
from dataclasses import dataclass
from typing import Final

from mailmcp import limits
from mailmcp.model.cursor import escape_field, malformed_cursor, seal, unescape_field, unseal
from mailmcp.model.message_ref import MessageRef, parse_ref

_THREAD: Final = "t1"
_ALL: Final = "all"
_FIELDS: Final = re.compile(
    r"([^.]+)\.([^.]+)\.(\d{1,10})\.(\d{1,10})\.(\d{1,6})\.(-?\d{1,12})\.(\d{1,10})(\.all)?", re.ASCII
)
"""Account, mailbox, UIDVALIDITY, UID, characters, the numbers of `after`, and whether in all accounts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadCursor:
    """Where a conversation continues."""

    ref: MessageRef
    """The message whose conversation it is."""

    max_chars: int
    all_accounts: bool = False
    """Whether the conversation is that of all accounts."""

    after: tuple[int, int] | None = None
    """Seconds since 1970 and mark of the last message shown; None at the start, never in a written cursor."""


def mark_of(identity: str) -> int:
    """Return the mark of a message: a checksum of what all its copies share."""
    return zlib.crc32(identity.encode("utf-8", "replace"))


def format_thread_cursor(cursor: ThreadCursor) -> str:
    """Write the cursor of a conversation."""
    ref = cursor.ref
    numbers = (ref.uidvalidity, ref.uid, cursor.max_chars, *(cursor.after or (0, 0)))
    scope = [_ALL] if cursor.all_accounts else []
    return seal([_THREAD, ref.account_id, escape_field(ref.mailbox), *map(str, numbers), *scope])


def parse_thread_cursor(text: str) -> ThreadCursor:
    """Read the cursor of a conversation.

    Raises:
        InvalidInputError: With reason `cursor_malformed`.
    """
    match = _FIELDS.fullmatch(".".join(unseal(text, _THREAD)))
    if match is None:
        raise malformed_cursor()
    account_id, mailbox, uidvalidity, uid, max_chars, moment, mark, scope = match.groups()
    ref = parse_ref(f"imap:{account_id}:{unescape_field(mailbox)}:{uidvalidity}:{uid}")
    if ref is None or not limits.THREAD_CHARS_MIN <= int(max_chars) <= limits.THREAD_CHARS_MAX:
        raise malformed_cursor()
    return ThreadCursor(
        ref=ref, max_chars=int(max_chars), all_accounts=bool(scope), after=(int(moment), int(mark))
    )
