"""What has changed in mailboxes since a state: new messages, changed flags, messages that are gone.

New messages are those from UIDNEXT on. Flags are followed by modification sequences (CONDSTORE, RFC 7162);
what is gone, by VANISHED (QRESYNC, the same RFC), or by the UIDs in the state if they are few ranges. A
server that can't do these says less, and so do we. Nothing happened: one round trip, for many mailboxes.

One state leads to the next, so changes are given in an order in which any page can end: flags by their
modification sequence, then new messages by UID. What is gone is on each page, and perhaps on the next again.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from mailmcp.imap.changes.state import MailboxState, UidSpan
from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.imap.errors import protocol_error, refused_error
from mailmcp.imap.fetch import Fetched, fetch_steps, join_ascending
from mailmcp.imap.pipeline import MailboxTask, Steps, run_pipelined
from mailmcp.imap.rows import FetchedMessage, parse_rows
from mailmcp.imap.search.server import plan_search, search
from mailmcp.imap.session import SelectedMailbox, Session
from mailmcp.model.message_ref import UINT32_MAX
from mailmcp.model.query import SearchQuery
from mailmcp.reasons import Reason
from mcp_envelope import Code, ConflictError, ToolError, code

STATE_RANGES_MAX: Final = 60
"""Ranges of UIDs in the state of one mailbox: some 300 tokens. A mailbox with more gaps is not followed."""

_EVERY_UID: Final = b"1:%d" % UINT32_MAX
"""Not `1:*`: Cyrus cuts VANISHED off at the highest UID there is (cyrusimap/cyrus-imapd issue 6071)."""

_RANGE: Final = re.compile(rb"(\d{1,10})(?::(\d{1,10}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxChanges:
    """What has changed in one mailbox, as much as fits on a page."""

    state: MailboxState
    """What the next call begins with."""

    created: Fetched = field(default_factory=Fetched)
    updated: tuple[FetchedMessage, ...] = ()
    """Messages with other flags than before, or the same; they have only a UID and flags."""

    gone: tuple[UidSpan, ...] | None = ()
    """Messages that were moved or deleted; may include UIDs that never were. None if it isn't known which."""

    gone_count: int = 0
    """How many more are gone, and it isn't known which."""

    has_more: bool = False
    flags_known: bool = True
    """Whether changes of flags are known."""


def find_changes(
    session: Session,
    states: Sequence[MailboxState],
    *,
    limit: int,
    items: Callable[[Session], Sequence[str]],
) -> list[MailboxChanges | ToolError]:
    """Find what has changed in mailboxes; one round trip if nothing has, two for a page of changes.

    One more, once a session, to enable the extension; one more where UIDs must be compared.

    Args:
        session: Of the account.
        states: Of its mailboxes. One without UIDVALIDITY is of a mailbox that wasn't there.
        limit: Changes of each mailbox, gone messages apart.
        items: Chooses what to fetch of new messages.

    Returns:
        For each state its changes, or why there are none: a ConflictError if the mailbox was rebuilt.
    """
    extension = _enable(session)
    tasks = [
        MailboxTask(
            mailbox=each.mailbox,
            uidvalidity=each.uidvalidity or None,
            steps=_changes_steps(session, each, extension, limit, items(session)),
        )
        for each in states
    ]
    return run_pipelined(session, tasks)


def read_states(session: Session, mailboxes: Sequence[str]) -> list[MailboxState | ToolError]:
    """Read the states of mailboxes: one round trip, or two where their UIDs must be known."""
    extension = _enable(session)
    tasks = [
        MailboxTask(mailbox=each, uidvalidity=None, steps=_state_steps(session, extension))
        for each in mailboxes
    ]
    return run_pipelined(session, tasks)


def _enable(session: Session) -> str:
    """Enable and return the better of the two extensions; "" if the server has none. One round trip, once."""
    for extension in ("QRESYNC", "CONDSTORE"):
        if not (session.can("ENABLE") and session.can(extension)):
            continue
        if extension == "QRESYNC" and session.account.host.endswith(".me.com"):
            continue  # iCloud's is broken; Mailspring switches it off, too
        if extension in session.enabled:
            return extension
        reply = session.run_all([Command(name="ENABLE", arguments=[extension.encode()])])[0]
        session.mailbox = None  # its EXAMINE didn't say HIGHESTMODSEQ
        # An OK is no proof: ENABLED lists what was enabled (RFC 5161 section 3.2).
        if isinstance(reply, Response) and extension in str(reply.untagged.get("ENABLED")).upper():
            session.enabled.add(extension)
            return extension
        session.quirks.refuse(extension)
    return ""


def _state_steps(session: Session, extension: str) -> Steps[MailboxState]:
    mailbox = (yield []).mailbox
    uids = None if extension == "QRESYNC" and mailbox.modseq else _few((yield from _all_uids(session)))
    return MailboxState(
        mailbox=mailbox.name,
        uidvalidity=mailbox.uidvalidity,
        uidnext=_uidnext(session, mailbox),
        exists=mailbox.exists_then,
        modseq=mailbox.modseq if extension else 0,
        uids=uids,
    )


def _changes_steps(
    session: Session, state: MailboxState, extension: str, limit: int, items: Sequence[str]
) -> Steps[MailboxChanges]:
    """Find the changes of one mailbox."""
    requests = [_changed_since(state, extension)] if state.modseq and extension else []
    responses = yield requests
    mailbox = responses.mailbox
    uidnext = _uidnext(session, mailbox)
    # Within a page, a state may be ahead of HIGHESTMODSEQ.
    modseq_fell = extension and state.after is None and mailbox.modseq < state.modseq
    if modseq_fell or (state.uidvalidity and uidnext < state.uidnext):
        raise _not_computable(mailbox.name)
    reply = _unless_refused(session, responses.replies[0], extension) if requests else None
    updated = _updated(reply, state, mailbox) if reply else []
    gone = _vanished(reply, below=state.uidnext) if reply and extension == "QRESYNC" else None
    if len(updated) > limit:
        last = updated[limit - 1]
        position = replace(state, modseq=last.modseq, after=last.uid, exists=_known(state, gone))
        return MailboxChanges(state=position, updated=tuple(updated[:limit]), gone=gone or (), has_more=True)
    shown_end = min(state.uidnext + limit - len(updated), uidnext)
    created = yield from _fetch_created(session, range(state.uidnext, shown_end), items)
    after = replace(
        state,
        uidvalidity=mailbox.uidvalidity,
        uidnext=shown_end,
        modseq=mailbox.modseq if extension and (reply or not requests) else 0,
        after=None,
        uids=state.uids if gone is None else None,
    )
    is_compared = False
    if gone is None and state.uids is not None:
        gone, after = yield from _compare_uids(session, state, after, mailbox)
        is_compared = gone is not None
    known = _known(state, gone, len(created.messages) + len(created.failures))
    gone_count = 0
    if shown_end >= uidnext:
        gone_count = 0 if known is None or is_compared else max(known - mailbox.exists_then, 0)
        if known is not None and not gone_count and gone is None:
            gone = ()  # as many as there were
        known = mailbox.exists_then
    return MailboxChanges(
        state=replace(after, exists=known),
        created=created,
        updated=tuple(updated),
        gone=gone,
        gone_count=gone_count,
        has_more=shown_end < uidnext,
        flags_known=reply is not None or state.exists == 0,
    )


def _unless_refused(session: Session, reply: Response | RefusedError, extension: str) -> Response | None:
    """Return the reply to the FETCH of changes; None if the server doesn't know what it has enabled."""
    if isinstance(reply, Response):
        return reply
    if not reply.is_unsupported:
        raise refused_error(session.account.account_id, reply)
    session.quirks.refuse(extension)
    return None


def _changed_since(state: MailboxState, extension: str) -> Command:
    """Return the FETCH of flags that changed; those of the state's own `modseq` again if some are unknown."""
    modseq = state.modseq if state.after is None else state.modseq - 1
    vanished = b" VANISHED" if extension == "QRESYNC" else b""
    condition = b"(CHANGEDSINCE %d%b)" % (max(modseq, 1), vanished)
    return Command(name="FETCH", arguments=[_EVERY_UID, b"(UID FLAGS)", condition], uid=True)


def _updated(reply: Response, state: MailboxState, mailbox: SelectedMailbox) -> list[FetchedMessage]:
    """Return known messages whose flags changed, in the order of their changes.

    What changed after EXAMINE is above its HIGHESTMODSEQ. The next call gives it again, and so does each one
    on a server whose HIGHESTMODSEQ stays behind.
    """
    rows, _ = parse_rows(reply)
    known = (state.modseq, UINT32_MAX if state.after is None else state.after)
    changed = (replace(each, modseq=each.modseq or mailbox.modseq) for each in rows.values())
    return sorted(
        (each for each in changed if each.uid < state.uidnext and known < (each.modseq, each.uid)),
        key=lambda each: (each.modseq, each.uid),
    )


def _known(state: MailboxState, gone: Sequence[UidSpan] | None, created: int = 0) -> int | None:
    """Return how many messages are known after a page; None if that isn't known.

    At least so many if UIDs are among `gone` that never were, or that were there before.
    """
    named = sum(high - low + 1 for low, high in gone or ())
    return None if state.exists is None else max(state.exists - named, 0) + created


def _fetch_created(session: Session, uids: range, items: Sequence[str]) -> Steps[Fetched]:
    """Fetch new messages; those that are gone already have never been seen."""
    if not uids:
        return Fetched()
    [fetched] = yield from fetch_steps(session, (uids, items))
    failures = {uid: each for uid, each in fetched.failures.items() if each.code is not Code.NOT_FOUND}
    return replace(fetched, failures=failures)


def _compare_uids(
    session: Session, state: MailboxState, after: MailboxState, mailbox: SelectedMailbox
) -> Steps[tuple[tuple[UidSpan, ...] | None, MailboxState]]:
    """Return the messages of the state that are gone, and the next state with those that are there."""
    if (state.exists, state.uidnext) == (mailbox.exists_then, mailbox.uidnext):
        return (), after
    present = yield from _all_uids(session, below=after.uidnext)
    if present is None:
        return None, replace(after, uids=None)
    return tuple(_subtract(state.uids or (), present)), replace(after, uids=_few(present))


def _all_uids(session: Session, *, below: int = UINT32_MAX) -> Steps[tuple[UidSpan, ...] | None]:
    """Find all UIDs below one; None if the server didn't search all messages."""
    found = yield from search(session, plan_search(session, SearchQuery()))
    if found is None or found.searched_from is not None:
        return None
    return tuple(join_ascending(uid for uid in found.uids if uid < below))


def _few(ranges: tuple[UidSpan, ...] | None) -> tuple[UidSpan, ...] | None:
    """Return ranges that a state can hold; None for too many."""
    return ranges if ranges is not None and len(ranges) <= STATE_RANGES_MAX else None


def _subtract(ranges: Sequence[UidSpan], others: Sequence[UidSpan]) -> Iterator[UidSpan]:
    """Return what is in `ranges` and not in `others`; both ascend."""
    rest = list(reversed(others))
    for first, last in ranges:
        low = first
        while rest and rest[-1][0] <= last:
            other_low, other_high = rest[-1]
            if other_high < low:
                rest.pop()
                continue
            if low < other_low:
                yield low, other_low - 1
            low = max(low, other_high + 1)
            if other_high > last:
                break
            rest.pop()
        if low <= last:
            yield low, last


def _vanished(reply: Response, *, below: int) -> tuple[UidSpan, ...]:
    """Return the UIDs that a server says are gone, of those that were known."""
    ranges = []
    for piece in reply.untagged.get("VANISHED", ()):
        text = piece if isinstance(piece, bytes) else b""
        for match in _RANGE.finditer(text.removeprefix(b"(EARLIER)")):
            low, high = int(match[1]), int(match[2] or match[1])
            ranges.append((min(low, high), min(max(low, high), below - 1)))
    return tuple(sorted((low, high) for low, high in ranges if low <= high))


def _uidnext(session: Session, mailbox: SelectedMailbox) -> int:
    if not mailbox.uidnext:
        raise protocol_error(session.account.account_id, "sent no UIDNEXT for the mailbox")
    return mailbox.uidnext


def _not_computable(mailbox: str) -> ConflictError:
    """Build the error for a mailbox that is older than its state: it was restored from a backup."""
    return ConflictError(
        f"The changes in mailbox {code(mailbox)} can't be computed: it is older than the state.",
        reason=Reason.UIDVALIDITY_CHANGED,
        details={"mailbox": mailbox},
    )
