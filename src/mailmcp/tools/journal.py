"""The journal: what was changed in the owner's mail, in lines of JSON.

A line is written before each command that changes mail, and another one with its results, so that a change
can be taken back, and a process that ended in the middle leaves its trace. A line holds ids, flags and names
of mailboxes, never a subject, an address or a text. `JournalStore` keeps the lines; all functions but
`locked` block as it does.
"""

import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from typing import Final, Protocol, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from mailmcp.imap.writes.values import Fate, Prepared, Result
from mcp_envelope import BaseReason, DeadlineError

COUNTED: Final = timedelta(hours=1)
"""The ceiling is on the messages that are changed within this time."""

ResultT = TypeVar("ResultT")

_LOCK_POLL_S: Final = 0.05
_THREADS_MAX: Final = 4
"""That wait for a journal. They are its own, so that a store that hangs keeps nobody from reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """An order, and what became of it."""

    prepared: Prepared
    number: int = 0
    """Of the order within its entry."""

    results: tuple[Result, ...] = ()
    """One for each message; none if the process ended before they were written. Those that were read from
    the journal don't say why."""

    looked_up: bool = False
    """Whether results that were unknown have been looked up: those that still are will stay so."""

    @property
    def is_open(self) -> bool:
        """Whether looking it up could say more of what became of it."""
        unknown = any(each.fate is Fate.UNKNOWN for each in self.results)
        return not self.looked_up and (unknown or not self.results)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One call that changed mail, or may have."""

    entry_id: str = field(default_factory=lambda: f"w{secrets.token_hex(4)}")
    """Not a number: models send one without its zeros."""

    time: datetime
    tool: str
    action: str
    """In the tool's own word, such as `archive`."""

    account_id: str
    request_id: str
    undoes: str = ""
    """The entry that it took back; "" for none."""

    read: tuple[str, ...] = ()
    """Ids of the messages whose text had been given out before, the latest last."""

    carried: tuple[Carried, ...] = ()
    """In the order in which they were carried out."""

    def count(self) -> Counter[Fate]:
        """Count the messages by what became of them; unknown if no results were written."""
        fates: Counter[Fate] = Counter()
        for each in self.carried:
            fates.update(result.fate for result in each.results)
            if not each.results:
                fates[Fate.UNKNOWN] += max(len(each.prepared.before), 1)
        return fates

    @property
    def changed(self) -> int:
        """How many messages it has changed, or may have."""
        return self.count().total() - self.count()[Fate.FAILED]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What the journal says."""

    entries: tuple[Entry, ...] = ()
    """The newest first."""

    unreadable: int = 0
    """Lines that aren't the journal's, or were cut off by a crash."""

    def lately(self, account_id: str, now: datetime) -> tuple[Entry, ...]:
        """Return the entries of an account that its ceiling counts, the newest first.

        Undoing isn't limited: it can only take back what was counted.
        """
        mine = (each for each in self.entries if each.account_id == account_id and not each.undoes)
        return tuple(each for each in mine if now - each.time < COUNTED)


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, defer_build=True)


class _Begun(_Line):
    entry: Entry


class _Ordered(_Line):
    entry_id: str
    number: int
    prepared: Prepared


class _Ended(_Line):
    entry_id: str
    number: int
    results: tuple[Result, ...]
    looked_up: bool = False


@cache
def _reader() -> TypeAdapter[_Begun | _Ordered | _Ended]:
    return TypeAdapter(_Begun | _Ordered | _Ended)  # not at start: most sessions change nothing


class JournalStore(Protocol):
    """Where lines are kept: the files of one user, or a store that replicas share.

    All methods block. What can't be read or written is an InternalError, reason `journal_failed`.
    """

    def append(self, line: bytes) -> None:
        """Write a line at the end; when it returns, the line is safe."""

    def read(self) -> Iterable[bytes]:
        """Return the lines, the oldest first; the oldest may be gone, but none of the last hour."""

    def lock(self, account_id: str) -> Callable[[], None] | None:
        """Lock an account and return what unlocks it, or return None if somebody else has locked it.

        The lock of a process that has ended goes at once, or soon.
        """


@dataclass(slots=True, kw_only=True)
class Journal:
    """The journal of one user."""

    store: JournalStore
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    _threads: CapacityLimiter = field(init=False, default_factory=lambda: CapacityLimiter(_THREADS_MAX))

    async def in_thread(self, function: Callable[[], ResultT]) -> ResultT:
        """Run in a thread what waits for the store."""
        return await to_thread.run_sync(function, limiter=self._threads)

    def begin(self, entry: Entry) -> None:
        """Begin an entry, which nothing was carried out of yet."""
        self._append(_Begun(entry=entry))

    def add_order(self, entry_id: str, number: int, prepared: Prepared) -> None:
        """Write what will be sent next, and what is true before it; not the message of an APPEND."""
        prepared = replace(prepared, order=replace(prepared.order, octets=b""), failures={})
        self._append(_Ordered(entry_id=entry_id, number=number, prepared=prepared))

    def add_results(self, entry_id: str, carried: Carried) -> None:
        """Write what became of an order; later results take the place of earlier ones."""
        results = tuple(replace(each, error=None) for each in carried.results)
        line = _Ended(entry_id=entry_id, number=carried.number, results=results, looked_up=carried.looked_up)
        self._append(line)

    def read(self) -> History:
        """Read all entries. A line that isn't one of ours is counted and skipped."""
        entries: dict[str, Entry] = {}
        orders: dict[str, dict[int, Carried]] = {}
        unreadable = 0
        for text in self.store.read():
            try:
                line = _reader().validate_json(text)
            except ValidationError:
                unreadable += 1
                continue
            if isinstance(line, _Begun):
                entries[line.entry.entry_id] = line.entry
                orders[line.entry.entry_id] = {}
            elif line.entry_id not in entries:  # it began in a file that is gone
                continue
            elif isinstance(line, _Ordered):
                orders[line.entry_id][line.number] = Carried(prepared=line.prepared, number=line.number)
            elif line.number in orders[line.entry_id]:
                carried = orders[line.entry_id][line.number]
                carried = replace(carried, results=line.results, looked_up=line.looked_up)
                orders[line.entry_id][line.number] = carried
        found = [replace(each, carried=tuple(orders[each.entry_id].values())) for each in entries.values()]
        return History(entries=tuple(reversed(found)), unreadable=unreadable)

    @asynccontextmanager
    async def locked(self, account_id: str, *, deadline: float) -> AsyncIterator[None]:
        """Keep all other calls and processes from changing mail in an account until the block ends.

        So an order without results, as seen within the block, is one whose process has ended.

        Raises:
            DeadlineError: Another one was still at it at the deadline, on the event loop's clock.
        """
        lock = partial(self.store.lock, account_id)
        while not (unlock := await self.in_thread(lock)):
            if anyio.current_time() >= deadline:
                message = f"Another call is changing mail in account {account_id}. Nothing was changed."
                raise DeadlineError(message, reason=BaseReason.DEADLINE)
            await anyio.sleep(_LOCK_POLL_S)
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await self.in_thread(unlock)

    def _append(self, line: _Line) -> None:
        self.store.append(line.model_dump_json(exclude_defaults=True).encode())
