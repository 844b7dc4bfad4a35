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
from mailmcp.model.message_ref import ACCOUNT_ID_PATTERN, UINT32_MAX, MessageRef

_THREAD: Final = "t1"
_NUMBER: Final = re.compile(r"\d{1,12}", re.ASCII)
_MOMENT: Final = re.compile(r"-?\d{1,12}", re.ASCII)
_FIELDS: Final = 7
_ALL: Final = "all"
"""A further field, if all accounts are meant."""


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
    fields = unseal(text, _THREAD)
    all_accounts = fields[_FIELDS:] == [_ALL]
    if len(fields) != _FIELDS + all_accounts:
        raise malformed_cursor()
    account_id, mailbox, *numbers, moment, mark = fields[:_FIELDS]
    if not (_MOMENT.fullmatch(moment) and all(map(_NUMBER.fullmatch, [*numbers, mark]))):
        raise malformed_cursor()
    uidvalidity, uid, max_chars = map(int, numbers)
    sound = (
        re.fullmatch(ACCOUNT_ID_PATTERN, account_id)
        and mailbox
        and min(uidvalidity, uid) >= 1
        and max(uidvalidity, uid) <= UINT32_MAX
        and limits.THREAD_CHARS_MIN <= max_chars <= limits.THREAD_CHARS_MAX
    )
    if not sound:
        raise malformed_cursor()
    ref = MessageRef(account_id=account_id, mailbox=unescape_field(mailbox), uidvalidity=uidvalidity, uid=uid)
    return ThreadCursor(
        ref=ref, max_chars=max_chars, all_accounts=all_accounts, after=(int(moment), int(mark))
    )
