"""Waiting for something to happen in mailboxes: by NOTIFY (RFC 5465), else by IDLE (RFC 2177).

What a server says of its own accord only means: look. What has changed is found by comparing STATUS with what
it was, which works after a lost connection, too. A server without both has to be looked at now and then.
"""

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.imap.mailboxes import closing_commands, list_mailboxes, parse_status, usual_names
from mailmcp.imap.pipeline import in_bursts
from mailmcp.imap.session import Session, quoted_mailbox

EVERY: Final = "*"
"""In place of a mailbox: all but Junk and Trash, as in a search."""

LOOK_S: Final = 60.0
"""Between two looks at mailboxes of which the server says nothing."""

_IDLE_S: Final = 240.0
"""Between two looks in any case. RFC 2177 allows 29 minutes, but NATs forget connections after some five."""

_EVENTS: Final = b"MessageNew MessageExpunge FlagChange"
_TOLD: Final = {"EXISTS", "EXPUNGE", "VANISHED", "FETCH"}
"""Responses about the open mailbox that nobody asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What mailboxes are like."""

    seen: Mapping[str, object]
    """By mailbox something to compare; None for one that isn't there. By `EVERY`, which ones there are."""

    is_pushed: bool
    """Whether the server can say by itself when something happens."""

    idle_mailbox: str = ""
    """The one that IDLE is about; "" with NOTIFY."""

    told: frozenset[str] = frozenset()
    """Mailboxes whose flags have changed, which STATUS doesn't say where CONDSTORE is missing."""

    is_old: bool = False
    """Whether something happened meanwhile."""


class Waker:
    """Ends a wait, from any thread."""

    def __init__(self) -> None:
        self.is_awake = False
        self._near, self._far = socket.socketpair()

    def fileno(self) -> int:
        """Return what can be read once it is awake."""
        return self._near.fileno()

    def wake(self) -> None:
        """End the wait, and those to come."""
        if not self.is_awake:
            self.is_awake = True
            self._far.send(b"!")

    def close(self) -> None:
        """Release it, when nobody waits."""
        self._near.close()
        self._far.close()


def watch(session: Session, names: frozenset[str], waker: Waker, report: Callable[[Look], object]) -> None:
    """Report what mailboxes are like, now and whenever something has happened, until `waker` is awake.

    Returns after a look if the server doesn't push. Raises what `Session.run` raises.
    """
    told: frozenset[str] = frozenset()
    listen = True
    while not waker.is_awake:
        found = look(session, names, listen=listen)
        report(replace(found, told=found.told | told))
        told, listen = frozenset(), False
        if not found.is_pushed:
            return
        if found.is_old:
            continue
        if not found.idle_mailbox:
            listen = not session.wait(_IDLE_S, waker)  # it may have forgotten: NOTIFICATIONOVERFLOW
            continue
        reply = session.idle(_IDLE_S if names == {found.idle_mailbox} else LOOK_S, waker)
        if isinstance(reply, RefusedError):
            session.quirks.refuse("IDLE")
            break
        if "FETCH" in reply.untagged:
            told = frozenset({found.idle_mailbox})
    # Whoever has the session next doesn't expect to be told, or that a mailbox is open.
    by_notify = session.can("NOTIFY")
    session.run_all([Command(name="NOTIFY", arguments=[b"NONE"]) if by_notify else Command(name="CLOSE")])


def look(session: Session, names: frozenset[str], *, listen: bool = False) -> Look:
    """Look at mailboxes, and with `listen` have the server tell from then on.

    One round trip for some hundred mailboxes, one more with `EVERY`.
    """
    seen: dict[str, object] = {}
    if EVERY in names:
        listed = frozenset(usual_names(list_mailboxes(session)))
        seen[EVERY], names = listed, (names | listed) - {EVERY}
    by_notify, by_idle = session.can("NOTIFY"), session.can("IDLE")
    idle_mailbox = "INBOX" if "INBOX" in names else min(names)
    # The one that may tell something is the last, so that nothing is missed behind it.
    ordered = sorted(names, key=lambda name: (name == idle_mailbox, name))
    quoted = {name: quoted_mailbox(session.quirks, name) for name in ordered}
    opening = closing_commands(session)
    if listen and by_notify:
        are_all = EVERY in seen or not all(each.isascii() for each in quoted.values())
        which = b"personal (MailboxName " if are_all else b"mailboxes (%b) (" % b" ".join(quoted.values())
        # Dovecot 2.3 is silent after a second SET unless there was a NONE.
        for arguments in ([b"NONE"], [b"SET", b"(%b%b))" % (which, _EVENTS)]):
            opening.append(Command(name="NOTIFY", arguments=arguments))
    elif listen and by_idle:
        opening += session.examine_commands(idle_mailbox, again=True)
    condstore = b" HIGHESTMODSEQ" if session.can("CONDSTORE") else b""
    items = b"(MESSAGES UNSEEN UIDNEXT UIDVALIDITY%b)" % condstore
    commands = [*opening, *(Command(name="STATUS", arguments=[each, items]) for each in quoted.values())]
    replies = [
        each for burst in in_bursts(commands, lambda one: one.octets) for each in session.run_all(burst)
    ]
    counts: dict[str, dict[bytes, int]] = {}
    for reply in replies:
        if isinstance(reply, Response):
            for name, numbers in parse_status(reply).items():  # the latest of each is right
                counts.setdefault(name, {}).update(numbers)
    if listen and by_notify and isinstance(replies[len(opening) - 1], RefusedError):
        session.quirks.refuse("NOTIFY")
        return look(session, names, listen=True)
    told = {key for each in replies[len(opening) :] if isinstance(each, Response) for key in each.untagged}
    return Look(
        seen=seen | {name: counts.get(name) for name in ordered},
        is_pushed=by_notify or by_idle,
        idle_mailbox="" if by_notify else idle_mailbox,
        told=frozenset({idle_mailbox}) if "FETCH" in told else frozenset(),
        is_old=not told.isdisjoint(_TOLD),
    )
