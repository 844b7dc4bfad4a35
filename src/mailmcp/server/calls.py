"""One call from arguments to reply: clock, deadline, errors, log.

The only place where a `MailError` becomes a reply, and where anything else, a bug,
is logged with its traceback and answered as `internal`.
"""

import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

import anyio
from mcp.types import CallToolResult

from mailmcp.envelope.errors import InternalError, MailError, Reason
from mailmcp.envelope.meta import Meta, Trace
from mailmcp.envelope.outcome import Outcome
from mailmcp.imap.pool import Pool
from mailmcp.imap.uid_cache import UidCache
from mailmcp.server.reply import Replies
from mailmcp.tools.arguments import read_arguments
from mailmcp.tools.tool import Call, Tool

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """What is known of a call from its start."""

    tool: Tool[Any]
    call: Call
    trace: Trace | None
    request_id: str = field(default_factory=lambda: secrets.token_hex(8))
    began: float = field(default_factory=perf_counter)

    @property
    def elapsed_ms(self) -> int:
        return round((perf_counter() - self.began) * 1000)

    def meta(self, outcome: Outcome[Any] | None = None) -> Meta:
        return Meta(
            now=datetime.now(UTC),
            duration_ms=self.elapsed_ms,
            request_id=self.request_id,
            warnings=outcome.warnings if outcome else (),
            page=outcome.page if outcome else None,
            telemetry=self.call.telemetry if self.call.telemetry.imap_round_trips else None,
            trace=self.trace,
        )

    def log_fields(self) -> dict[str, object]:
        """Never what a message or a caller says."""
        return {
            "tool": self.tool.name,
            "account": self.call.account_id,
            "mailbox": self.call.mailbox,
            "request_id": self.request_id,
            "trace_id": self.trace.trace_id if self.trace else "",
            "span_id": self.trace.span_id if self.trace else "",
        }


class Calls:
    """Runs the tools on one pool."""

    def __init__(self, pool: Pool, replies: Replies, *, timeout_s: float, lean_rows: bool = False) -> None:
        """Serve from `pool`; a call is given `timeout_s` seconds, retries included."""
        self._pool = pool
        self._uid_cache = UidCache()
        self._replies = replies
        self._timeout_s = timeout_s
        self._lean_rows = lean_rows

    async def call(
        self, tool: Tool[Any], arguments: Mapping[str, object], *, trace: Trace | None = None
    ) -> CallToolResult:
        """Run a tool and make its reply; never raises but for cancellation."""
        call = Call(
            pool=self._pool,
            uid_cache=self._uid_cache,
            deadline=anyio.current_time() + self._timeout_s,
            today=datetime.now(UTC).date(),
            lean_rows=self._lean_rows,
        )
        request = _Request(tool=tool, call=call, trace=trace)
        ending = "cancelled"
        try:
            result, ending = await self._answer(request, arguments)
            return result
        finally:
            _log.info("call", extra=request.log_fields() | _costs(request, ending))

    async def _answer(self, request: _Request, arguments: Mapping[str, object]) -> tuple[CallToolResult, str]:
        try:
            outcome = await request.tool.run(read_arguments(request.tool.arguments, arguments), request.call)
            return self._replies.make(outcome, request.meta(outcome)), outcome.status.value
        except MailError as error:
            failure = error
        except Exception:  # noqa: BLE001 - the boundary: a bug is answered, and logged with its traceback
            _log.exception("unexpected error", extra=request.log_fields())
            failure = InternalError(
                "mailmcp failed in a way that it should not. Its log has the details under the request id.",
                reason=Reason.UNEXPECTED,
            )
        return self._replies.make(failure, request.meta()), f"{failure.code.value}/{failure.reason.value}"


def _costs(request: _Request, ending: str) -> dict[str, object]:
    return {
        "outcome": ending,
        "duration_ms": request.elapsed_ms,
        "imap_round_trips": request.call.telemetry.imap_round_trips,
        "bytes_received": request.call.telemetry.bytes_received,
    }
