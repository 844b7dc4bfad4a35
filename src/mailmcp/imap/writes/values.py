"""A change to mail, from the order to what was seen of it afterwards.

An order becomes prepared when it is known what is true before it. What is carried out of a prepared order is
one result for each message. A prepared order says enough to find out later what became of it, after the
connection was lost or the process ended.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from mcp_envelope import ToolError

BATCH_MAX: Final = 500
"""Messages in one order. Dovecot commits moves by the thousand, Yahoo looks at a thousand in a command, and
whoever waits or cancels learns how far it came."""


class Action(StrEnum):
    """What is done to messages."""

    FLAGS = "flags"
    """Flags and keywords are added and removed (STORE)."""

    LABELS = "labels"
    """The same with Gmail's labels (X-GM-LABELS)."""

    MOVE = "move"
    COPY = "copy"
    DELETE = "delete"
    """They are deleted for good (STORE, UID EXPUNGE)."""

    APPEND = "append"
    """A message of our own is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One thing to do to some messages of one mailbox."""

    action: Action
    account_id: str
    mailbox: str
    """Where the messages are; where it is stored, for APPEND."""

    uidvalidity: int = 0
    """What that mailbox must have; 0 for any."""

    uids: tuple[int, ...] = ()
    """Ascending, 1 to `BATCH_MAX`; none for APPEND."""

    target: str = ""
    """Where MOVE and COPY bring them; it exists."""

    add: tuple[str, ...] = ()
    """Flags or labels to add; those of the new message, for APPEND."""

    remove: tuple[str, ...] = ()
    octets: bytes = field(default=b"", repr=False)
    """The message to store, with CRLF line ends."""

    header_message_id: str = ""
    """Its Message-ID, without angle brackets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a message before it is changed."""

    flags: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    header_message_id: str = ""
    """Without angle brackets; "" if it has none."""

    email_id: str = ""
    """EMAILID, or Gmail's X-GM-MSGID in digits; "" if the server has neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An order, and what is true before it is carried out."""

    order: Order
    uidvalidity: int
    """Of the order's mailbox."""

    before: Mapping[int, Known] = field(default_factory=dict)
    """By UID. An order's messages that are neither in it nor in `failures` have gone already."""

    failures: Mapping[int, ToolError] = field(default_factory=dict)
    """Why nothing is done to a message, by UID: it can't be read, so it could not be restored."""

    target_uidvalidity: int = 0
    """Of the mailbox where new messages appear: the target, or that of the order for APPEND; 0 for others."""

    target_uidnext: int = 0
    """Its UIDNEXT: what the order brings has this UID or a later one."""


class Fate(StrEnum):
    """What became of a message."""

    DONE = "done"
    """It was seen to be as ordered."""

    FAILED = "failed"
    """It was seen not to be, or nothing was sent for it."""

    UNKNOWN = "unknown"
    """Neither; never repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one message of an order."""

    uid: int
    """As in the order; 0 for APPEND."""

    fate: Fate
    new_uid: int = 0
    """Where it is now, in the target; 0 if it got none, or it isn't known."""

    error: ToolError | None = None
    """Why not, unless it is done."""
