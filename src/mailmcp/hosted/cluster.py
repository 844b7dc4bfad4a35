"""What replicas share, in Valkey or Redis: journals, and which confirmations count.

Only writes need it, so reading goes on without.
"""

import hashlib
import logging
import math
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import Final, cast

from typing_extensions import override
from valkey import Valkey
from valkey.exceptions import ValkeyError
from valkey.lock import Lock

from mailmcp.hosted.principal import Principal
from mailmcp.hosted.state import State
from mailmcp.reasons import Reason
from mailmcp.tools.journal import COUNTED, JournalStore
from mcp_envelope import ConfirmationStore, InternalError

WAIT_S: Final = 2.0
"""For a connection to Valkey, and for each answer."""

KEY_S: Final = 3_600
"""How long one key signs; it counts for as long again."""

ROTATE_OCTETS: Final = 5_000_000
"""A longer journal becomes the older one of its user, and takes the place of that, once an hour at most."""

KEPT_S: Final = 90 * 86_400
"""How long a journal is kept after its last line."""

LOCK_S: Final = 30
"""How long a lock lasts, which its holder renews."""

_PREFIX: Final = "mailmcp:"

_log = logging.getLogger(__name__)


class ClusterState(State, ConfirmationStore):
    """Keeps everything in Valkey or Redis (6.2 or later).

    The keys make themselves: one for each hour. A key and the tokens that it signed are kept in one place, so
    that a store that forgot which were used has forgotten the key, too.
    """

    def __init__(self, url: str, *, clock: Callable[[], float] = time.time) -> None:
        """Prepare; nothing is sent before the first write.

        Args:
            url: Such as `valkey://:password@host:6379/0`; with `valkeys`, over TLS.
            clock: Returns the Unix time; those of all replicas agree to a minute.

        Raises:
            ValueError: It isn't such a URL.
        """
        checked = {"ssl_check_hostname": True} if url.startswith(("valkeys:", "rediss:")) else {}
        self._valkey = Valkey.from_url(url, socket_timeout=WAIT_S, socket_connect_timeout=WAIT_S, **checked)
        self._clock = clock
        self.confirmations = self

    @override
    def journal_of(self, principal: Principal) -> JournalStore:
        return _SharedJournal(self._valkey, f"{_PREFIX}journal:{principal.digest}")

    @override
    def keys(self) -> Sequence[bytes]:
        hour = int(self._clock() // KEY_S)
        names = [f"{_PREFIX}key:{each}" for each in (hour, hour - 1, hour + 1)]
        with _asking(), self._valkey.pipeline() as commands:
            commands.set(names[0], secrets.token_hex(32), nx=True, ex=2 * KEY_S)
            commands.mget(names)
            _, found = commands.execute()  # type: ignore[no-untyped-call]
        return [each for each in found if each]

    @override
    def spend(self, token: str, until: float, /) -> bool:
        name = f"{_PREFIX}used:{hashlib.sha256(token.encode()).hexdigest()}"
        with _asking():
            return bool(self._valkey.set(name, 1, nx=True, ex=max(1, math.ceil(until - self._clock()))))


@dataclass(frozen=True, slots=True)
class _SharedJournal(JournalStore):
    """The journal of one user: a string of lines, and an older one."""

    valkey: Valkey
    name: str

    @override
    def append(self, line: bytes) -> None:
        with _asking(), self.valkey.pipeline() as commands:
            commands.append(self.name, b"\n" + line)
            commands.expire(self.name, KEPT_S)
            length, _ = commands.execute()  # type: ignore[no-untyped-call]
            if length >= ROTATE_OCTETS and self.valkey.set(f"{self.name}:rotated", 1, nx=True, ex=COUNTED):
                self.valkey.rename(self.name, f"{self.name}:older")

    @override
    def read(self) -> Iterable[bytes]:
        with _asking():
            found = cast("list[bytes | None]", self.valkey.mget(f"{self.name}:older", self.name))
        return [line for each in found if each for line in each.split(b"\n") if line]

    @override
    def lock(self, account_id: str) -> Callable[[], None] | None:
        """Lock all of the user's mail, which is one account; the lock of a replica that crashed soon ends."""
        name = f"{self.name}:lock"
        lock = self.valkey.lock(name, timeout=LOCK_S, blocking=False, thread_local=False)
        with _asking():
            if not lock.acquire():
                return None
        done = Event()
        Thread(target=_renew, args=[lock, done], daemon=True).start()

        def unlock() -> None:
            done.set()
            try:
                lock.release()
            except ValkeyError as error:  # it ends by itself
                _log.warning("the lock of a journal can't be taken away: %s", type(error).__name__)

        return unlock


def _renew(lock: Lock, done: Event) -> None:
    """Keep a lock: nobody knows how long the server takes for an order."""
    while not done.wait(LOCK_S / 3):
        try:
            lock.reacquire()
        except ValkeyError as error:  # the next time it may succeed
            _log.warning("the lock of a journal can't be renewed: %s", type(error).__name__)


@contextmanager
def _asking() -> Iterator[None]:
    """Refuse what can't be done without the store."""
    try:
        yield
    except ValkeyError as error:
        # Its text may repeat what was to be written.
        _log.warning("the shared state can't be read or written: %s", type(error).__name__)
        raise InternalError(
            "The store in which mailmcp keeps its journal of changes can't be read or written. Without it "
            "nothing is changed; reading works. Try again in a minute.",
            reason=Reason.JOURNAL_FAILED,
            retryable=True,
        ) from error
