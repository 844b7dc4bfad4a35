"""The journal: what was changed in the owner's mail, in lines of JSON that only the owner can read.

A line is written before each command that changes mail, and another one with its results, so that a change
can be taken back, and a process that ended in the middle leaves its trace. A line holds ids, flags and names
of mailboxes, never a subject, an address or a text. Several processes write to the same file: each line is
one write at its end, and begins with its line break, so that one that was cut off harms no other.

All functions but `locked` block. What can't be read or written is an InternalError, reason `journal_failed`.
"""

import errno
import os
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Final

import anyio
from platformdirs import user_state_path
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from mailmcp.imap.writes.values import Fate, Prepared, Result
from mailmcp.reasons import Reason
from mcp_envelope import BaseReason, DeadlineError, InternalError

ROTATE_OCTETS: Final = 5_000_000
"""A larger file is kept as the older one, and a new one begun: some 30,000 messages that were changed."""

COUNTED: Final = timedelta(hours=1)
"""The ceiling is on the messages that are changed within this time."""

_NAME: Final = "journal.jsonl"
_OLDER_NAME: Final = "journal.older.jsonl"
_LOCK_POLL_S: Final = 0.05


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
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


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


@dataclass(slots=True, kw_only=True)
class Journal:
    """The journal in one folder, which is made with the first line."""

    folder: Path = field(default_factory=lambda: user_state_path("mailmcp", appauthor=False))
    rotate_octets: int = ROTATE_OCTETS
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

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
        for text in self._read_lines():
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
        from filelock import FileLock, Timeout  # noqa: PLC0415 - only those who change mail pay for it

        lock = FileLock(self.folder / f"account-{account_id}.lock", blocking=False, mode=0o600)
        while not lock.is_locked:
            try:
                self._make_folder()
                lock.acquire()
            except Timeout:
                if anyio.current_time() >= deadline:
                    message = f"Another call is changing mail in account {account_id}. Nothing was changed."
                    raise DeadlineError(message, reason=BaseReason.DEADLINE) from None
                await anyio.sleep(_LOCK_POLL_S)
            except OSError as error:
                raise self._error("written", error) from error
        try:
            yield
        finally:
            lock.release()

    def _append(self, line: _Line) -> None:
        """Write a line and wait until it is on the disk."""
        octets = b"\n" + line.model_dump_json(exclude_defaults=True).encode()
        try:
            self._make_folder()
            self._rotate()
            with open(self.folder / _NAME, "ab", buffering=0, opener=partial(os.open, mode=0o600)) as file:
                written = file.write(octets)
                os.fsync(file.fileno())
        except OSError as error:
            raise self._error("written", error) from error
        if written != len(octets):
            raise self._error("written", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))

    def _rotate(self) -> None:
        """Begin a new file if this one is large; another process may be about to do the same."""
        from filelock import FileLock  # noqa: PLC0415 - as in `locked`

        if self._is_full():
            with FileLock(self.folder / "journal.lock", mode=0o600):
                if self._is_full():
                    (self.folder / _NAME).replace(self.folder / _OLDER_NAME)

    def _is_full(self) -> bool:
        """Return whether the file is large, and the older one has nothing of the last hour."""
        current, older = self.folder / _NAME, self.folder / _OLDER_NAME
        if not current.exists() or current.stat().st_size < self.rotate_octets:
            return False
        return not older.exists() or time.time() - older.stat().st_mtime > COUNTED.total_seconds()

    def _read_lines(self) -> Iterator[bytes]:
        for name in (_OLDER_NAME, _NAME):
            try:
                with suppress(FileNotFoundError):
                    yield from filter(None, (self.folder / name).read_bytes().split(b"\n"))
            except OSError as error:
                raise self._error("read", error) from error

    def _make_folder(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _error(self, what: str, error: OSError) -> InternalError:
        return InternalError(
            f"The journal of changes in the folder {self.folder} can't be {what}: "
            f"{error.strerror or 'the system refused'}. Without it nothing is changed. The user must make "
            "the folder writable, or name another one as journal_folder in [server].",
            reason=Reason.JOURNAL_FAILED,
        )
