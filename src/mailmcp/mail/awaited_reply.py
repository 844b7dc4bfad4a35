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
    """Seconds since 1970: when it was written, or else received."""

    by_owner: bool
    is_answer: bool
    """Whether it can answer another: a person sent it."""


def find_answered(wanted: Sequence[Letter], others: Sequence[Letter]) -> list[bool]:
    """Return for each of the wanted messages whether the other side has answered it.

    Args:
        wanted: Messages from one side: all from the owner, or none.
        others: Messages that may be in their threads, from anyone; copies don't matter.
    """
    letters = [*wanted, *others]
    labels = label_threads([each.links for each in letters])
    threads: dict[int, list[Letter]] = {}
    for label, each in zip(labels, letters, strict=True):
        threads.setdefault(label, []).append(each)
    return [
        any(_answers(each, letter) for each in threads[label])
        for letter, label in zip(wanted, labels, strict=False)
    ]


def _answers(answer: Letter, letter: Letter) -> bool:
    """Return whether a message of the same thread answers another. What that one refers to came before it."""
    if answer.by_owner == letter.by_owner or not answer.is_answer:
        return False
    if answer.links.own_id and answer.links.own_id in letter.links.ids:
        return False
    return letter.links.own_id in answer.links.refers_to or answer.written_at > letter.written_at
