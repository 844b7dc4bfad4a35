"""Limits on HTTP clients that have not shown a token yet: on connections, and on the time a request takes.

uvicorn limits the size of headers and the idle time after a reply, but not the time a request takes to
arrive. Its limit on connections turns away the latest client.
"""

import asyncio
from typing import Final

import h11
from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol

from mailmcp import limits

_INCOMPLETE: Final = (h11.IDLE, h11.SEND_BODY)
"""The states of a client whose next request has not arrived completely."""


class LimitedProtocol(H11Protocol):
    """A connection that is closed if its next request is late, or earlier to make room for others."""

    deadline: asyncio.TimerHandle | None = None
    """Set while a request is awaited. Further octets don't extend it, so a slow drip doesn't help."""

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's
        """Start the deadline, and make room for this connection if there are too many."""
        super().connection_made(transport)
        if len(self.connections) > limits.HTTP_CONNECTIONS_MAX:
            self._make_room()
        self._update_deadline()

    @override
    def handle_events(self) -> None:
        """Start or stop the deadline as requests arrive."""
        super().handle_events()
        self._update_deadline()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the deadline."""
        self.cancel_deadline()
        super().connection_lost(exc)

    def cancel_deadline(self) -> None:
        """Stop the deadline of the next request."""
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def _update_deadline(self) -> None:
        if self.conn.their_state not in _INCOMPLETE:
            self.cancel_deadline()
        elif self.deadline is None:
            self.deadline = self.loop.call_later(limits.HTTP_REQUEST_S, self.transport.abort)

    def _make_room(self) -> None:
        """Close the connection that the server has waited for longest. None if all have calls in flight."""
        waiting = {
            each.deadline.when(): each
            for each in self.connections
            if isinstance(each, LimitedProtocol) and each.deadline is not None
        }
        if waiting:
            longest = waiting[min(waiting)]
            longest.cancel_deadline()
            longest.transport.abort()
            # `connection_lost` comes later; connections that arrive before it must not count this one.
            self.connections.discard(longest)
