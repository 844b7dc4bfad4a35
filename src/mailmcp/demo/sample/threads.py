"""Conversations as messages: replies that name and quote what they answer.

The threading headers follow RFC 5322 section 3.6.4, so that a thread can be
put together again across INBOX and Sent.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from email.headerregistry import Address

from mailmcp.demo.sample.letter import ANSWERED, FLAGGED, SEEN, Letter, Placed, place
from mailmcp.demo.sample.people import OWNER
from mailmcp.demo.sample.thread_texts import CONVERSATIONS, VISIT_IN_DAYS, Conversation, Turn


def make_threads(now: datetime) -> Iterator[Placed]:
    """Make the messages of all conversations, each oldest first."""
    for number, conversation in enumerate(CONVERSATIONS, 1):
        yield from _make_thread(conversation, number, now)


def _make_thread(conversation: Conversation, number: int, now: datetime) -> Iterator[Placed]:
    whens = _times(conversation, now)
    turns = _date(conversation, now)
    speakers = [turn.speaker for turn in turns]
    ids: tuple[str, ...] = ()
    subject = conversation.subject
    for index, (turn, when) in enumerate(zip(turns, whens, strict=True)):
        before = turns[index - 1] if index else None
        letter = Letter(
            when=when,
            sender=turn.speaker,
            to=(_answered(turn.speaker, speakers, index),),
            cc=tuple(person for person in conversation.cc if person != turn.speaker),
            subject=turn.renamed or subject,
            text=turn.text if before is None else f"{turn.text}\n\n{_quote(before, whens[index - 1])}",
            message_id=f"<thread{number}.{index + 1}.{when:%Y%m%d}@{turn.speaker.domain}>",
            references=ids,
        )
        ids = (*ids, letter.own_id())
        subject = f"Re: {letter.subject.removeprefix('Re: ')}"
        if turn.speaker == OWNER:
            yield place(letter, mailbox="Sent", flags=(SEEN,))
        else:
            yield place(letter, mailbox=conversation.mailbox, flags=_flags(conversation, index))


def _date(conversation: Conversation, now: datetime) -> tuple[Turn, ...]:
    visit = f"{now + timedelta(days=VISIT_IN_DAYS):%A, %d %B}"
    return tuple(replace(turn, text=turn.text.replace("@VISIT@", visit)) for turn in conversation.turns)


def _times(conversation: Conversation, now: datetime) -> list[datetime]:
    when = now - timedelta(hours=conversation.ended_hours_ago)
    whens = [when]
    for turn in reversed(conversation.turns[1:]):
        when -= timedelta(hours=turn.hours_later)
        whens.append(when)
    return whens[::-1]


def _answered(speaker: Address, speakers: list[Address], index: int) -> Address:
    """Find whom a turn is addressed to: the last other speaker, else the owner or who speaks next."""
    for earlier in reversed(speakers[:index]):
        if earlier != speaker:
            return earlier
    return OWNER if speaker != OWNER else speakers[index + 1]


def _quote(turn: Turn, when: datetime) -> str:
    quoted = "\n".join(f"> {line}".rstrip() for line in turn.text.split("\n"))
    return f"On {when:%a, %d %b %Y at %H:%M}, {turn.speaker.display_name} wrote:\n\n{quoted}\n"


def _flags(conversation: Conversation, index: int) -> tuple[str, ...]:
    last = index == len(conversation.turns) - 1
    if last:
        return () if conversation.ended_hours_ago < 60 else (SEEN,)  # nobody has read the newest
    if conversation.turns[index + 1].speaker == OWNER:
        return (SEEN, ANSWERED)
    return (SEEN, FLAGGED) if index == 0 else (SEEN,)
