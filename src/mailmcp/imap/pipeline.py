"""Commands on several mailboxes in few round trips.

The work on one mailbox is a generator, its steps: it yields the commands it wants to send and receives the
responses; what it returns is its result. The driver opens the mailboxes and sends what all generators want
at the same time in one burst, an EXAMINE in front of each. A search and a fetch thus cost two round trips on
a warm session, in one mailbox or in twenty.
"""

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeAlias, TypeVar

from mailmcp import limits
from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.imap.session import SelectedMailbox, Session
from mcp_envelope import ToolError

ItemT = TypeVar("ItemT")
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

    def advance(self, go_on: Callable[[], Sequence[Command]]) -> None:
        """Run the steps to their next request or to their end."""
        try:
            self.request = go_on()
        except StopIteration as end:
            self.result = end.value
        except ToolError as error:
            self.result = error
        except PipelineInterruptedError as interruption:
            self.result = interruption.error

    def interrupt(self, error: ToolError, replies: Replies) -> None:
        """End the steps because the connection failed, with the replies that came."""
        while self.result is None:
            interruption = PipelineInterruptedError(error, replies)
            self.advance(partial(self.steps.throw, interruption))
            replies = []


def run_pipelined(session: Session, tasks: Sequence[MailboxTask[ResultT]]) -> list[ResultT | ToolError]:
    """Run all tasks to their end; return results and errors in the order of the tasks.

    Raises:
        DeadlineError, InternalError: The connection failed. All tasks have ended by then, some perhaps with
            a result.
    """
    for task in tasks:
        task.advance(partial(next, task.steps))
    try:
        while unfinished := [task for task in tasks if task.result is None]:
            for burst in in_bursts(
                unfinished,
                lambda task: sum(command.octets for command in task.request),
                limit=limits.BURST_MAILBOXES,
            ):
                _run_burst(session, burst)
    except ToolError as error:
        for task in tasks:
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


def in_bursts(
    items: Sequence[ItemT], octets: Callable[[ItemT], int], *, limit: int = sys.maxsize
) -> Iterator[list[ItemT]]:
    """Divide what is to be sent into bursts of `limits.BURST_OCTETS`, and of up to `limit` items."""
    burst: list[ItemT] = []
    size = 0
    for item in items:
        if burst and (len(burst) == limit or size + octets(item) > limits.BURST_OCTETS):
            yield burst
            burst, size = [], 0
        burst.append(item)
        size += octets(item)
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
            task.steps.close()
            task.result = error  # the replies are about no mailbox, or about the one before
            continue
        if failure:
            task.interrupt(failure, own)
            continue
        for reply in own:
            exists = reply.number("EXISTS") if isinstance(reply, Response) else None
            mailbox.exists = mailbox.exists if exists is None else exists
        task.uidvalidity = mailbox.uidvalidity  # a mailbox that is rebuilt meanwhile is another one
        task.advance(partial(task.steps.send, Responses(mailbox=mailbox, replies=own)))
    if failure:
        raise failure
