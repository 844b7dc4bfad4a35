"""Blocking work on connections, in threads that end with the call they work for.

A thread that blocks on a socket cannot be cancelled, but its connection can be cut, which
wakes it at once.
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

_END_S = 0.5
"""How long a cancelled call waits for its thread, whose socket is closed by then."""


class Threads:
    """The threads of a pool."""

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
            InternalError: With reason `connection_lost`, after `close`.
        """
        if self.closed:
            raise connection_lost_error(handle.account.account_id)
        before = (handle.traffic.round_trips, handle.traffic.octets_received)
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
            handle.kill_switch.trip()
            if began.is_set():  # else it never will: a call can end before its thread is there
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(ended.wait, _END_S, limiter=CapacityLimiter(1))
            raise
        finally:
            self._busy.discard(handle)
            telemetry.imap_round_trips += handle.traffic.round_trips - before[0]
            telemetry.bytes_received += handle.traffic.octets_received - before[1]

    def close(self) -> None:
        """Cut the connections that are in use, and start no more work."""
        self.closed = True
        for handle in self._busy:
            handle.kill_switch.trip()
