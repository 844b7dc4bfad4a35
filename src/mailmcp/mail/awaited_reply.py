"""Which messages nobody has answered, by the threads that they are in.

A message is answered by a later one of its thread that the other side wrote: one that refers to it, or
that is in the same thread and was written after it. Programs don't answer, and drafts have not been sent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.header.address import addresses_in
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.kinds import is_of_kind
from mailmcp.mail.thread import ThreadHeaders, label_threads
from mailmcp.model.awaited_reply import FROM_ME, AwaitedReply
from mailmcp.model.mail_kind import MailKind, WantedKind

_NEWSLETTER: Final = WantedKind(kind=MailKind.NEWSLETTER)


def is_automatic(headers: Headers) -> bool:
    """Return whether a program sent a message; it then neither answers nor awaits anything."""
    return is_of_kind(headers, None, WantedKind(kind=MailKind.AUTOMATIC))


def may_await_reply(headers: Headers, awaited: AwaitedReply) -> bool:
    """Return whether a message may await a reply, as far as it shows itself.

    Mail to the owner does if a person sent it and it names the owner in To or Cc; mail from the owner does
    if it went to anyone else.
    """
    own = frozenset(awaited.own)
    senders, recipients = addresses_in(headers, "From"), addresses_in(headers, "To", "Cc")
    if is_automatic(headers):
        return False
    if awaited.side == FROM_ME:
        from_others = bool(senders) and not senders & own
        return from_others and bool(recipients & own) and not is_of_kind(headers, None, _NEWSLETTER)
    by_owner = awaited.only_sent or (bool(senders) and senders <= own)
    return by_owner and (not recipients or not recipients <= own)


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """What of a message shows whether it answers another."""

    links: ThreadHeaders
    written_at: float
    """Seconds since 1970: when it was written, or else received; 0 if that is unknown."""

    by_owner: bool
    is_answer: bool
    """Whether it can answer another: a person sent it."""

    may_await: bool = True
    """Whether it may await an answer: it was sent, and answers no invitation."""


def find_threads(wanted: Sequence[Letter], others: Sequence[Letter]) -> list[list[Letter]]:
    """Find the thread of each of the wanted messages, itself included; copies don't matter."""
    letters = [*wanted, *others]
    labels = label_threads([each.links for each in letters])
    threads: dict[int, list[Letter]] = {}
    for label, each in zip(labels, letters, strict=True):
        threads.setdefault(label, []).append(each)
    return [threads[label] for label in labels[: len(wanted)]]


def is_answered(letter: Letter, thread: Sequence[Letter]) -> bool:
    """Return whether the other side has answered a message in its thread.

    What the message itself refers to came before it, whatever its clock says.
    """
    return any(
        each.is_answer
        and each.by_owner != letter.by_owner
        and not (each.links.own_id and each.links.own_id in letter.links.ids)
        and (letter.links.own_id in each.links.refers_to or each.written_at > letter.written_at)
        for each in thread
    )
