"""Commands on several mailboxes in few round trips: each mailbox's work is a dialogue, all go on in step.

A dialogue is a generator. It yields what it asks of its mailbox and is sent the answers; what
it returns is its result. The driver opens the mailboxes and joins what all of them ask at the
same time into one burst, EXAMINE in front of each. So one dialogue of a search and a fetch
costs two round trips on a warm session, and twenty cost two as well.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from mailmcp import limits
from mailmcp.imap.command import Command
from mailmcp.imap.errors import refused
from mailmcp.imap.response import Answer, RefusedError
from mailmcp.imap.session import OpenMailbox, Session
from mcp_envelope import ToolError

ResultT = TypeVar("ResultT")

Replies = list[Answer | RefusedError]


@dataclass(frozen=True, slots=True)
class Alone:
    """Work that needs the session for itself, its mailbox open: what cannot be sent in one burst."""

    work: Callable[[Session], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a dialogue is sent: the mailbox as it is now, and the replies to its commands, in order."""

    mailbox: OpenMailbox
    replies: Replies = field(default_factory=list)


@dataclass(slots=True)
class Place:
    """Where a dialogue takes place; for itself to look at."""

    mailbox: OpenMailbox | None = None
    """As of the latest turn; None before the first."""


class InterruptedDialogueError(Exception):
    """The connection failed under what a dialogue asked: raised where it waits for the answers.

    It may end with what it has got; whatever more it asks is answered by this again. Left alone, its
    result is `error`.
    """

    def __init__(self, error: ToolError, replies: Replies) -> None:
        """Take along the replies that had come by then; the last one may lack its end."""
        super().__init__()
        self.error, self.replies = error, replies


Ask: TypeAlias = Sequence[Command] | Alone
"""No commands: only the mailbox is wanted, which may cost a round trip."""

Dialogue: TypeAlias = Generator[Ask, Turn, ResultT]


def alone(work: Callable[[Session], ResultT]) -> Dialogue[ResultT]:
    """Do work that blocks, with the mailbox open, and give its result."""
    results: list[ResultT] = []
    yield Alone(lambda session: results.append(work(session)))
    return results[0]


@dataclass(slots=True, kw_only=True)
class Talk(Generic[ResultT]):
    """A dialogue with its mailbox, and how it stands."""

    mailbox: str
    uidvalidity: int | None
    """The mailbox must have this one; None for any."""

    dialogue: Dialogue[ResultT]
    place: Place = field(default_factory=Place)
    asked: Ask = ()
    result: ResultT | ToolError | None = None
    ended: bool = False

    @property
    def outcome(self) -> ResultT | ToolError:
        """What an ended dialogue came to."""
        assert self.result is not None  # noqa: S101 - no dialogue returns None
        return self.result

    def begin(self) -> None:
        """Let the dialogue ask its first."""
        self._step(lambda: next(self.dialogue))

    def go_on(self, turn: Turn) -> None:
        """Give the dialogue its answers."""
        self._step(lambda: self.dialogue.send(turn))

    def interrupt(self, error: ToolError, replies: Replies) -> None:
        """Let the dialogue end with what has come; no more will."""
        self._step(lambda: self.dialogue.throw(InterruptedDialogueError(error, replies)))
        while not self.ended:
            self._step(lambda: self.dialogue.throw(InterruptedDialogueError(error, [])))

    def fail(self, error: ToolError) -> None:
        """End the dialogue: its mailbox cannot be had."""
        self.dialogue.close()
        self.result, self.ended = error, True

    def _step(self, resume: Callable[[], Ask]) -> None:
        try:
            self.asked = resume()
        except StopIteration as end:
            self.result, self.ended = end.value, True
        except ToolError as error:
            self.result, self.ended = error, True
        except InterruptedDialogueError as interruption:
            self.result, self.ended = interruption.error, True


def converse(session: Session, talks: Sequence[Talk[ResultT]]) -> list[ResultT | ToolError]:
    """Go through all dialogues; the results in their order, errors in the place of those that fail.

    Raises:
        DeadlineError, InternalError: The connection failed. All dialogues have ended by then, some of
            them perhaps with a result.
    """
    for talk in talks:
        talk.begin()
    try:
        while going_on := [talk for talk in talks if not talk.ended]:
            for burst in _bursts(session, going_on):
                if len(burst) == 1 and not _fits_a_burst(session, burst[0]):
                    _go_on_alone(session, burst[0])
                else:
                    _go_on_together(session, burst)
    except ToolError as error:
        for talk in talks:
            if not talk.ended:
                talk.interrupt(error, [])
        raise
    return [talk.outcome for talk in talks]


def _fits_a_burst(session: Session, talk: Talk[ResultT]) -> bool:
    if isinstance(talk.asked, Alone):
        return False
    commands = [*session.examination(talk.mailbox), *talk.asked]
    return all(map(session.connection.sends_at_once, commands))


def _bursts(session: Session, talks: Sequence[Talk[ResultT]]) -> Iterator[list[Talk[ResultT]]]:
    """Divide what is asked into bursts that are bounded; what does not fit one stands alone."""
    burst: list[Talk[ResultT]] = []
    octets = 0
    for talk in talks:
        if not _fits_a_burst(session, talk):
            yield [talk]
            continue
        size = _octets(talk)
        if burst and (len(burst) == limits.BURST_MAILBOXES or octets + size > limits.BURST_OCTETS):
            yield burst
            burst, octets = [], 0
        burst.append(talk)
        octets += size
    if burst:
        yield burst


def _octets(talk: Talk[ResultT]) -> int:
    assert not isinstance(talk.asked, Alone)  # noqa: S101 - it fits a burst
    return sum(len(word) + 1 for command in talk.asked for word in command.words)


def _go_on_together(session: Session, talks: Sequence[Talk[ResultT]]) -> None:
    """Send what several dialogues ask in one burst; whose mailbox is refused, ends."""
    commands: list[Command] = []
    spans: list[tuple[bool, int]] = []
    for number, talk in enumerate(talks):
        assert not isinstance(talk.asked, Alone)  # noqa: S101 - it fits a burst
        # After the first one, another mailbox will be open than is now.
        opening = session.examination(talk.mailbox, again=number > 0)
        commands += [*opening, *talk.asked]
        spans.append((bool(opening), len(talk.asked)))
    try:
        replies = iter(session.run_all(commands, in_order=True) if commands else [])
    except ToolError as error:
        _interrupt(session, zip(talks, spans, strict=True), error)
        raise
    for talk, (examined, count) in zip(talks, spans, strict=True):
        opening_reply = next(replies) if examined else None
        own = [next(replies) for _ in range(count)]
        try:
            mailbox = session.examined(talk.mailbox, opening_reply, uidvalidity=talk.uidvalidity)
        except ToolError as error:
            if session.in_doubt:
                raise
            talk.fail(error)  # what was answered to the rest was of no mailbox, or of the last one
        else:
            _go_on(talk, Turn(mailbox=mailbox, replies=own))


def _interrupt(
    session: Session, talks: Iterable[tuple[Talk[ResultT], tuple[bool, int]]], error: ToolError
) -> None:
    """Give several dialogues what a burst had brought when the connection failed."""
    *whole, last = session.connection.interrupted or [Answer()]
    for talk, (examined, count) in talks:
        if examined and not whole:
            return  # their mailboxes were not opened
        opening_reply = whole.pop(0) if examined else None
        own, whole = [*whole, last][:count], whole[count:]
        try:
            talk.place.mailbox = session.examined(talk.mailbox, opening_reply, uidvalidity=talk.uidvalidity)
        except ToolError as refusal:
            talk.fail(refusal)
        else:
            talk.interrupt(error, own)


def _go_on_alone(session: Session, talk: Talk[ResultT]) -> None:
    """Do what one dialogue asks, command by command."""
    try:
        mailbox = session.examine(talk.mailbox, uidvalidity=talk.uidvalidity)
        replies: Replies = []
        if isinstance(talk.asked, Alone):
            talk.asked.work(session)
        else:
            replies = [_run(session, command) for command in talk.asked]
        session.confirm()
    except RefusedError as error:
        talk.fail(refused(session.account.account_id, error))
    except ToolError as error:
        if session.in_doubt:
            raise
        talk.fail(error)
    else:
        _go_on(talk, Turn(mailbox=mailbox, replies=replies))


def _run(session: Session, command: Command) -> Answer | RefusedError:
    try:
        return session.run(command.name, *command.arguments, uid=command.uid)
    except RefusedError as error:
        return error


def _go_on(talk: Talk[ResultT], turn: Turn) -> None:
    for reply in turn.replies:
        exists = reply.number("EXISTS") if isinstance(reply, Answer) else None
        if exists is not None:
            turn.mailbox.exists = exists
    talk.place.mailbox = turn.mailbox
    talk.go_on(turn)
