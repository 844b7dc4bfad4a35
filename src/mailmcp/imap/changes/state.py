"""States: what a mailbox was like at one moment, so that a later call can say what has changed.

A state is written like a cursor (`model.cursor`): readable, self-contained, with a checksum against
miscopying. It holds no mail, and grants nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mailmcp import limits
from mailmcp.model.cursor import escape_field, seal, unescape_field, unseal
from mailmcp.model.message_ref import ACCOUNT_ID_PATTERN, UINT32_MAX
from mailmcp.reasons import Reason
from mcp_envelope import InvalidInputError

UidSpan = tuple[int, int]
"""The lowest and the highest UID."""

_KIND = "c1"
_MODSEQ_MAX = 2**63 - 1  # RFC 7162 section 7
_MAILBOX = re.compile(
    r"""
    (?P<mailbox>[^:]+)
    : (?P<uidvalidity>\d{1,10}) : (?P<uidnext>[1-9]\d{0,9}) : (?P<exists>\d{0,10})
    (?: : m(?P<modseq>[1-9]\d{0,18}) (?: @(?P<after>\d{1,10}) )? )?
    (?: : u(?P<uids>(?:\d{1,10}(?:-\d{1,10})?(?:,\d{1,10}(?:-\d{1,10})?)*)?) )?
    """,
    re.ASCII | re.VERBOSE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxState:
    """A mailbox at one moment."""

    mailbox: str
    """Decoded name."""

    uidvalidity: int = 0
    """0 for a mailbox that wasn't there."""

    uidnext: int = 1
    """Messages from this UID on are new."""

    exists: int | None = 0
    """How many messages it had; None if that isn't known."""

    modseq: int = 0
    """Changes up to this one are known (RFC 7162); 0 if changes of flags aren't followed."""

    after: int | None = None
    """Of the messages with just this `modseq`, changes are known up to this UID; None for all."""

    uids: tuple[UidSpan, ...] | None = None
    """Its messages, where the server can't say which are gone; None if they aren't known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailState:
    """Some mailboxes of an account at one moment."""

    account_id: str
    every: bool
    """Whether it is of all mailboxes, so that those made later belong to it."""

    mailboxes: tuple[MailboxState, ...]


def format_state(state: MailState) -> str:
    """Write a state."""
    every = "*" if state.every else "1"
    return seal([_KIND, state.account_id, every, *map(_format_mailbox, state.mailboxes)])


def parse_state(text: str) -> MailState:
    """Read a state.

    Raises:
        InvalidInputError: With reason `cursor_malformed`, of the argument `since`.
    """
    try:
        account_id, every, *mailboxes = unseal(text, _KIND)
        states = tuple(map(_parse_mailbox, mailboxes))
    except (InvalidInputError, ValueError):
        raise _malformed() from None
    names = {each.mailbox for each in states}
    if (
        every not in {"*", "1"}
        or not re.fullmatch(ACCOUNT_ID_PATTERN, account_id)
        or not 0 < len(states) == len(names) <= limits.SEARCH_SOURCES_MAX
    ):
        raise _malformed()
    return MailState(account_id=account_id, every=every == "*", mailboxes=states)


def format_ranges(ranges: Sequence[UidSpan]) -> str:
    """Write UIDs as `3,7-9`."""
    return ",".join(f"{low}" if low == high else f"{low}-{high}" for low, high in ranges)


def _format_mailbox(state: MailboxState) -> str:
    exists = "" if state.exists is None else state.exists
    text = f"{escape_field(state.mailbox)}:{state.uidvalidity}:{state.uidnext}:{exists}"
    if state.modseq:
        text += f":m{state.modseq}" + ("" if state.after is None else f"@{state.after}")
    return text + ("" if state.uids is None else f":u{format_ranges(state.uids)}")


def _parse_mailbox(text: str) -> MailboxState:
    """Read one mailbox; a ValueError if it isn't one."""
    match = _MAILBOX.fullmatch(text)
    if match is None:
        raise ValueError("not a mailbox of a state")
    state = MailboxState(
        mailbox=unescape_field(match["mailbox"]),
        uidvalidity=int(match["uidvalidity"]),
        uidnext=int(match["uidnext"]),
        exists=int(match["exists"]) if match["exists"] else None,
        modseq=int(match["modseq"] or 0),
        after=None if match["after"] is None else int(match["after"]),
        uids=None if match["uids"] is None else tuple(_parse_ranges(match["uids"])),
    )
    if state.modseq > _MODSEQ_MAX or max(state.uidvalidity, state.after or 0) > UINT32_MAX:
        raise ValueError("a number that is too large")
    return state


def _parse_ranges(text: str) -> list[UidSpan]:
    ranges = []
    for each in text.split(",") if text else ():
        low, _, high = each.partition("-")
        ranges.append((int(low), int(high or low)))
    edges = [edge for each in ranges for edge in each]
    if edges != sorted(edges) or max(edges, default=0) > UINT32_MAX:
        raise ValueError("UIDs out of order")
    return ranges


def _malformed() -> InvalidInputError:
    """Build the error for a state that this tool did not write."""
    return InvalidInputError.of(
        "since",
        Reason.CURSOR_MALFORMED,
        "is neither a state nor a message_id, or was not copied exactly. Send the new_state of an earlier "
        "reply or a message_id, or leave it out to get a state to begin with.",
    )
