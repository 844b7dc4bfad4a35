"""Threads for blocking work on connections; each ends with the call that it works for.

A thread that blocks on a socket can't be cancelled, but aborting the connection wakes it.
"""

import threading
from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from mailmcp.imap.connect import ConnectionHandle
from mailmcp.imap.errors import connection_lost_error
from mailmcp.imap.telemetry import Telemetry

ResultT = TypeVar("ResultT")

_THREAD_END_S = 0.5
"""For the thread of a cancelled call to end; its socket is shut down by then."""


class Threads:
    """Runs work in threads until it is closed."""

    def __init__(self, limit: int) -> None:
        """Allow `limit` threads at a time."""
        self.limiter = CapacityLimiter(limit)
        self._busy: set[ConnectionHandle] = set()
        self.closed = False

    async def run(
        self, handle: ConnectionHandle, work: Callable[[], ResultT], telemetry: Telemetry
    ) -> ResultT:
        """Run `work`, which uses one connection; add its traffic to `telemetry`.

        Raises:
            InternalError: `close` was called; the reason is `connection_lost`.
        """
        if self.closed:
            raise connection_lost_error(handle.account.account_id)
        round_trips, octets_received = handle.traffic.round_trips, handle.traffic.octets_received
        began, ended = threading.Event(), threading.Event()

        def run() -> ResultT:
            began.set()
            try:
                return work()
            finally:
                ended.set()

        self._busy.add(handle)
        try:
            return await to_thread.run_sync(run, abandon_on_cancel=True, limiter=self.limiter)
        except anyio.get_cancelled_exc_class():
            handle.abort()
            if began.is_set():  # else it never will: the call ended before it had a thread
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(ended.wait, _THREAD_END_S, limiter=CapacityLimiter(1))
            raise
        finally:
            self._busy.discard(handle)
            telemetry.imap_round_trips += handle.traffic.round_trips - round_trips
            telemetry.bytes_received += handle.traffic.octets_received - octets_received

    def close(self) -> None:
        """Abort the connections in use, and start no more work."""
        self.closed = True
        for handle in self._busy:
            handle.abort()
