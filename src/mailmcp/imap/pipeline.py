"""Commands on several mailboxes in few round trips.

The work on one mailbox is a generator, its steps: it yields the commands it wants to send and receives the
responses; what it returns is its result. The driver opens the mailboxes and sends what all generators want
at the same time in one burst, an EXAMINE in front of each. A search and a fetch thus cost two round trips on
a warm session, in one mailbox or in twenty.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from mailmcp import limits
from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.imap.session import SelectedMailbox, Session
from mcp_envelope import ToolError

ResultT = TypeVar("ResultT")

Replies = list[Response | RefusedError]


@dataclass(frozen=True, slots=True, kw_only=True)
class Responses:
    """What steps receive: the mailbox as it is now, and the replies to their commands, in order."""

    mailbox: SelectedMailbox
    replies: Replies = field(default_factory=list)


class PipelineInterruptedError(Exception):
    """The connection failed while steps waited for responses; raised inside them.

    Steps may catch it and return what they have. Anything they yield afterwards raises it again, without
    replies. If they don't catch it, their result is `error`.
    """

    def __init__(self, error: ToolError, replies: Replies) -> None:
        """`replies` are those received before the failure; the last one may be incomplete."""
        super().__init__()
        self.error, self.replies = error, replies


Steps: TypeAlias = Generator[Sequence[Command], Responses, ResultT]
"""Yields commands. Without commands it only wants the mailbox, which may cost a round trip.

While it runs, its mailbox is that of the session (`Session.mailbox`); others may be opened while it waits.
"""


@dataclass(slots=True, kw_only=True)
class MailboxTask(Generic[ResultT]):
    """Steps, and the mailbox that they need."""

    mailbox: str
    uidvalidity: int | None
    """What the mailbox must have; None for any."""

    steps: Steps[ResultT]
    request: Sequence[Command] = ()
    result: ResultT | ToolError | None = None
    """None until the steps have ended; no steps return None."""

    @property
    def outcome(self) -> ResultT | ToolError:
        """The result of steps that have ended."""
        assert self.result is not None  # noqa: S101 - see `result`
        return self.result

    def advance(self, responses: Responses | PipelineInterruptedError | None = None) -> None:
        """Run the steps to their next request or to their end; without `responses`, start them."""
        try:
            if responses is None:
                self.request = next(self.steps)
            elif isinstance(responses, PipelineInterruptedError):
                self.request = self.steps.throw(responses)
            else:
                self.request = self.steps.send(responses)
        except StopIteration as end:
            self.result = end.value
        except ToolError as error:
            self.result = error
        except PipelineInterruptedError as interruption:
            self.result = interruption.error

    def resume(self, mailbox: SelectedMailbox, replies: Replies) -> None:
        """Pass on the replies to the latest request."""
        for reply in replies:
            exists = reply.number("EXISTS") if isinstance(reply, Response) else None
            if exists is not None:
                mailbox.exists = exists
        self.uidvalidity = mailbox.uidvalidity  # a mailbox that is rebuilt meanwhile is another one
        self.advance(Responses(mailbox=mailbox, replies=replies))

    def interrupt(self, error: ToolError, replies: Replies) -> None:
        """End the steps because the connection failed, with the replies that came."""
        self.advance(PipelineInterruptedError(error, replies))
        while self.result is None:
            self.advance(PipelineInterruptedError(error, []))

    def fail(self, error: ToolError) -> None:
        """End the steps because their mailbox can't be opened."""
        self.steps.close()
        self.result = error


def run_pipelined(session: Session, tasks: Sequence[MailboxTask[ResultT]]) -> list[ResultT | ToolError]:
    """Run all tasks to their end; return results and errors in the order of the tasks.

    Raises:
        DeadlineError, InternalError: The connection failed. All tasks have ended by then, some perhaps with
            a result.
    """
    for task in tasks:
        task.advance()
    try:
        while unfinished := [task for task in tasks if task.result is None]:
            for burst in _bursts(unfinished):
                _run_burst(session, burst)
    except ToolError as error:
        for task in tasks:
            if task.result is None:
                task.interrupt(error, [])
        raise
    return [task.outcome for task in tasks]


def run_steps(session: Session, steps: Steps[ResultT]) -> ResultT:
    """Run steps in the mailbox that was chosen; raises what they raise, and as `run_pipelined`."""
    assert session.chosen is not None  # noqa: S101 - the caller's bug
    mailbox, uidvalidity = session.chosen
    [result] = run_pipelined(session, [MailboxTask(mailbox=mailbox, uidvalidity=uidvalidity, steps=steps)])
    if isinstance(result, ToolError):
        raise result
    return result


def _bursts(tasks: Sequence[MailboxTask[ResultT]]) -> Iterator[list[MailboxTask[ResultT]]]:
    """Divide tasks into bursts."""
    burst: list[MailboxTask[ResultT]] = []
    octets = 0
    for task in tasks:
        size = sum(len(word) + 1 for command in task.request for word in command.words)
        if burst and (len(burst) == limits.BURST_MAILBOXES or octets + size > limits.BURST_OCTETS):
            yield burst
            burst, octets = [], 0
        burst.append(task)
        octets += size
    if burst:
        yield burst


def _run_burst(session: Session, tasks: Sequence[MailboxTask[ResultT]]) -> None:
    """Send the requests of several tasks in one round trip, and pass the replies on."""
    commands: list[Command] = []
    counts: list[tuple[int, int]] = []
    for number, task in enumerate(tasks):
        # By the second task another mailbox is open than now.
        opening = session.examine_commands(task.mailbox, again=number > 0)
        commands += [*opening, *task.request]
        counts.append((len(opening), len(task.request)))
    failure: ToolError | None = None
    try:
        replies = session.run_all(commands) if commands else []
    except ToolError as error:
        failure, replies = error, list(session.connection.partial_results)
    complete = len(replies) - 1 if failure else len(replies)
    start = 0
    for task, (openings, wanted) in zip(tasks, counts, strict=True):
        if failure and start + openings > complete:
            break  # the connection failed before the mailbox was open
        examined = replies[start] if openings else None
        own = replies[start + openings : start + openings + wanted]
        start += openings + wanted
        try:
            mailbox = session.apply_examine(task.mailbox, examined, uidvalidity=task.uidvalidity)
        except ToolError as error:
            if session.in_doubt and not failure:
                raise
            task.fail(error)  # the replies are about no mailbox, or about the one before
            continue
        if failure:
            task.interrupt(failure, own)
        else:
            task.resume(mailbox, own)
    if failure:
        raise failure
