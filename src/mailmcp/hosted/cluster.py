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
from typing import Final, cast

from typing_extensions import override
from valkey import Valkey
from valkey.exceptions import ValkeyError

from mailmcp.hosted.principal import Principal
from mailmcp.hosted.state import State
from mailmcp.reasons import Reason
from mailmcp.tools.journal import JournalStore
from mcp_envelope import ConfirmationStore, InternalError

WAIT_S: Final = 2.0
"""For a connection to Valkey, and for each answer."""

KEY_S: Final = 3_600
"""How long one key signs; it counts for as long again."""

LINES_MAX: Final = 10_000
"""Lines of a user's journal that are kept: more than an hour's."""

KEPT_S: Final = 90 * 86_400
"""How long a journal is kept after its last line."""

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
            clock: Returns the Unix time; those of all replicas may be an hour apart.

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
            return bool(self._valkey.set(name, 1, nx=True, exat=math.ceil(until)))


@dataclass(frozen=True, slots=True)
class _SharedJournal(JournalStore):
    """The journal of one user: a list."""

    valkey: Valkey
    name: str

    @override
    def append(self, line: bytes) -> None:
        with _asking(), self.valkey.pipeline() as commands:
            commands.rpush(self.name, line)
            commands.ltrim(self.name, -LINES_MAX, -1)
            commands.expire(self.name, KEPT_S)
            commands.execute()  # type: ignore[no-untyped-call]

    @override
    def read(self) -> Iterable[bytes]:
        with _asking():
            return cast("list[bytes]", self.valkey.lrange(self.name, 0, -1))

    @override
    def lock(self, account_id: str, *, for_s: float) -> Callable[[], None] | None:
        """Lock all of the user's mail, which is one account."""
        lock = self.valkey.lock(f"{self.name}:lock", timeout=for_s, blocking=False, thread_local=False)

        def unlock() -> None:
            try:
                lock.release()
            except ValkeyError as error:  # it ends by itself
                _log.warning("the lock of a journal can't be taken away: %s", error)

        with _asking():
            return unlock if lock.acquire() else None


@contextmanager
def _asking() -> Iterator[None]:
    """Refuse what can't be done without the store."""
    try:
        yield
    except ValkeyError as error:
        _log.warning("the shared state can't be reached: %s", error)
        raise InternalError(
            "The store in which mailmcp keeps its journal of changes can't be reached. Without it nothing is "
            "changed; reading works. Try again in a minute.",
            reason=Reason.JOURNAL_FAILED,
            retryable=True,
        ) from error
