"""Commands on several mailboxes in few round trips: each mailbox's work is a steps, all go on in step.

A steps is a generator. It yields what it asks of its mailbox and is sent the answers; what
it returns is its result. The driver opens the mailboxes and joins what all of them ask at the
same time into one burst, EXAMINE in front of each. So one steps of a search and a fetch
costs two round trips on a warm session, and twenty cost two as well.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from mailmcp import limits
from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.imap.errors import refused_error
from mailmcp.imap.session import SelectedMailbox, Session
from mcp_envelope import ToolError

ResultT = TypeVar("ResultT")

Replies = list[Response | RefusedError]


@dataclass(frozen=True, slots=True)
class Exclusive:
    """Work that needs the session for itself, its mailbox open: what cannot be sent in one burst."""

    work: Callable[[Session], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Responses:
    """What a steps is sent: the mailbox as it is now, and the replies to its commands, in order."""

    mailbox: SelectedMailbox
    replies: Replies = field(default_factory=list)


@dataclass(slots=True)
class CurrentMailbox:
    """Where a steps takes place; for itself to look at."""

    mailbox: SelectedMailbox | None = None
    """As of the latest turn; None before the first."""


class PipelineInterruptedError(Exception):
    """The connection failed under what a steps asked: raised where it waits for the answers.

    It may end with what it has got; whatever more it asks is answered by this again. Left alone, its
    result is `error`.
    """

    def __init__(self, error: ToolError, replies: Replies) -> None:
        """Take along the replies that had come by then; the last one may lack its end."""
        super().__init__()
        self.error, self.replies = error, replies


Ask: TypeAlias = Sequence[Command] | Exclusive
"""No commands: only the mailbox is wanted, which may cost a round trip."""

Steps: TypeAlias = Generator[Ask, Responses, ResultT]


def exclusively(work: Callable[[Session], ResultT]) -> Steps[ResultT]:
    """Do work that blocks, with the mailbox open, and give its result."""
    results: list[ResultT] = []
    yield Exclusive(lambda session: results.append(work(session)))
    return results[0]


@dataclass(slots=True, kw_only=True)
class MailboxTask(Generic[ResultT]):
    """A steps with its mailbox, and how it stands."""

    mailbox: str
    uidvalidity: int | None
    """The mailbox must have this one; None for any."""

    steps: Steps[ResultT]
    place: CurrentMailbox = field(default_factory=CurrentMailbox)
    asked: Ask = ()
    result: ResultT | ToolError | None = None
    ended: bool = False

    @property
    def outcome(self) -> ResultT | ToolError:
        """What an ended steps came to."""
        assert self.result is not None  # noqa: S101 - no steps returns None
        return self.result

    def begin(self) -> None:
        """Let the steps ask its first."""
        self._step(lambda: next(self.steps))

    def go_on(self, responses: Responses) -> None:
        """Give the steps its answers."""
        self._step(lambda: self.steps.send(responses))

    def interrupt(self, error: ToolError, replies: Replies) -> None:
        """Let the steps end with what has come; no more will."""
        self._step(lambda: self.steps.throw(PipelineInterruptedError(error, replies)))
        while not self.ended:
            self._step(lambda: self.steps.throw(PipelineInterruptedError(error, [])))

    def fail(self, error: ToolError) -> None:
        """End the steps: its mailbox cannot be had."""
        self.steps.close()
        self.result, self.ended = error, True

    def _step(self, resume: Callable[[], Ask]) -> None:
        try:
            self.asked = resume()
        except StopIteration as end:
            self.result, self.ended = end.value, True
        except ToolError as error:
            self.result, self.ended = error, True
        except PipelineInterruptedError as interruption:
            self.result, self.ended = interruption.error, True


def run_pipelined(session: Session, tasks: Sequence[MailboxTask[ResultT]]) -> list[ResultT | ToolError]:
    """Go through all steps; the results in their order, errors in the place of those that fail.

    Raises:
        DeadlineError, InternalError: The connection failed. All steps have ended by then, some of
            them perhaps with a result.
    """
    for task in tasks:
        task.begin()
    try:
        while going_on := [task for task in tasks if not task.ended]:
            for burst in _bursts(session, going_on):
                if len(burst) == 1 and not _fits_a_burst(session, burst[0]):
                    _go_on_alone(session, burst[0])
                else:
                    _go_on_together(session, burst)
    except ToolError as error:
        for task in tasks:
            if not task.ended:
                task.interrupt(error, [])
        raise
    return [task.outcome for task in tasks]


def _fits_a_burst(session: Session, task: MailboxTask[ResultT]) -> bool:
    if isinstance(task.asked, Exclusive):
        return False
    commands = [*session.examine_commands(task.mailbox), *task.asked]
    return all(map(session.connection.sends_at_once, commands))


def _bursts(session: Session, tasks: Sequence[MailboxTask[ResultT]]) -> Iterator[list[MailboxTask[ResultT]]]:
    """Divide what is asked into bursts that are bounded; what does not fit one stands alone."""
    burst: list[MailboxTask[ResultT]] = []
    octets = 0
    for task in tasks:
        if not _fits_a_burst(session, task):
            yield [task]
            continue
        size = _octets(task)
        if burst and (len(burst) == limits.BURST_MAILBOXES or octets + size > limits.BURST_OCTETS):
            yield burst
            burst, octets = [], 0
        burst.append(task)
        octets += size
    if burst:
        yield burst


def _octets(task: MailboxTask[ResultT]) -> int:
    assert not isinstance(task.asked, Exclusive)  # noqa: S101 - it fits a burst
    return sum(len(word) + 1 for command in task.asked for word in command.words)


def _go_on_together(session: Session, tasks: Sequence[MailboxTask[ResultT]]) -> None:
    """Send what several steps ask in one burst; whose mailbox is refused, ends."""
    commands: list[Command] = []
    spans: list[tuple[bool, int]] = []
    for number, task in enumerate(tasks):
        assert not isinstance(task.asked, Exclusive)  # noqa: S101 - it fits a burst
        # After the first one, another mailbox will be open than is now.
        opening = session.examine_commands(task.mailbox, again=number > 0)
        commands += [*opening, *task.asked]
        spans.append((bool(opening), len(task.asked)))
    try:
        replies = iter(session.run_all(commands, in_order=True) if commands else [])
    except ToolError as error:
        _interrupt(session, zip(tasks, spans, strict=True), error)
        raise
    for task, (examined, count) in zip(tasks, spans, strict=True):
        opening_reply = next(replies) if examined else None
        own = [next(replies) for _ in range(count)]
        try:
            mailbox = session.apply_examine(task.mailbox, opening_reply, uidvalidity=task.uidvalidity)
        except ToolError as error:
            if session.in_doubt:
                raise
            task.fail(error)  # what was answered to the rest was of no mailbox, or of the last one
        else:
            _go_on(task, Responses(mailbox=mailbox, replies=own))


def _interrupt(
    session: Session, tasks: Iterable[tuple[MailboxTask[ResultT], tuple[bool, int]]], error: ToolError
) -> None:
    """Give several steps what a burst had brought when the connection failed."""
    *whole, last = session.connection.interrupted or [Response()]
    for task, (examined, count) in tasks:
        if examined and not whole:
            return  # their mailboxes were not opened
        opening_reply = whole.pop(0) if examined else None
        own, whole = [*whole, last][:count], whole[count:]
        try:
            task.place.mailbox = session.apply_examine(
                task.mailbox, opening_reply, uidvalidity=task.uidvalidity
            )
        except ToolError as refusal:
            task.fail(refusal)
        else:
            task.interrupt(error, own)


def _go_on_alone(session: Session, task: MailboxTask[ResultT]) -> None:
    """Do what one steps asks, command by command."""
    try:
        mailbox = session.examine(task.mailbox, uidvalidity=task.uidvalidity)
        replies: Replies = []
        if isinstance(task.asked, Exclusive):
            task.asked.work(session)
        else:
            replies = [_run(session, command) for command in task.asked]
        session.confirm()
    except RefusedError as error:
        task.fail(refused_error(session.account.account_id, error))
    except ToolError as error:
        if session.in_doubt:
            raise
        task.fail(error)
    else:
        _go_on(task, Responses(mailbox=mailbox, replies=replies))


def _run(session: Session, command: Command) -> Response | RefusedError:
    try:
        return session.run(command.name, *command.arguments, uid=command.uid)
    except RefusedError as error:
        return error


def _go_on(task: MailboxTask[ResultT], responses: Responses) -> None:
    for reply in responses.replies:
        exists = reply.number("EXISTS") if isinstance(reply, Response) else None
        if exists is not None:
            responses.mailbox.exists = exists
    task.place.mailbox = responses.mailbox
    task.go_on(responses)
