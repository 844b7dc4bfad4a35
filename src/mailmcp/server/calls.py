"""One request from its arguments to its reply: clock, deadline, errors, log.

The only place where a `MailError` becomes a reply, be it to a call of a tool or to another
request, and where anything else, a bug, is logged with its traceback and answered as `internal`.
"""

import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, TypeVar

import anyio
from mcp.types import CallToolResult

from mailmcp.envelope.errors import InternalError, MailError, Reason
from mailmcp.envelope.meta import Meta, Trace
from mailmcp.envelope.outcome import Outcome
from mailmcp.extract.extractor import Extractor
from mailmcp.imap.pool import Pool
from mailmcp.imap.uid_cache import UidCache
from mailmcp.server.progress import Progress, Send, send_nothing
from mailmcp.server.reply import Replies
from mailmcp.tools.arguments import read_arguments
from mailmcp.tools.known_ids import KnownIds
from mailmcp.tools.preferences import Preferences
from mailmcp.tools.tool import Call, Tool

ValueT = TypeVar("ValueT")
ReplyT = TypeVar("ReplyT")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is known of a request from its start."""

    name: str
    """Of the tool, or of the method if it calls none; for the log."""

    call: Call
    trace: Trace | None
    request_id: str = field(default_factory=lambda: secrets.token_hex(8))
    began: float = field(default_factory=perf_counter)

    @property
    def elapsed_ms(self) -> int:
        """Time since it began."""
        return round((perf_counter() - self.began) * 1000)

    def meta(self, outcome: Outcome[Any] | None = None) -> Meta:
        """Give what its reply says about itself; without an outcome it failed."""
        return Meta(
            now=datetime.now(UTC),
            duration_ms=self.elapsed_ms,
            request_id=self.request_id,
            warnings=outcome.warnings if outcome else (),
            page=outcome.page if outcome else None,
            telemetry=self.call.telemetry.counted(),
            trace=self.trace,
        )

    def log_fields(self) -> dict[str, object]:
        """Nothing of a message; of what the caller sent the mailboxes, which need not exist, and no more."""
        return {
            "tool": self.name,
            "account": self.call.account_id,
            "mailbox": self.call.mailbox,
            "request_id": self.request_id,
            "trace_id": self.trace.trace_id if self.trace else "",
            "span_id": self.trace.span_id if self.trace else "",
        }


class Calls:
    """Runs the tools, and whatever else asks for mail, on one pool."""

    def __init__(
        self,
        pool: Pool,
        replies: Replies,
        *,
        timeout_s: float,
        lean_rows: bool = False,
        preferences: Preferences,
    ) -> None:
        """Serve from `pool`; a call is given `timeout_s` seconds, retries included."""
        self._pool = pool
        self._uid_cache = UidCache()
        self._replies = replies
        self._timeout_s = timeout_s
        self._lean_rows = lean_rows
        self._preferences = preferences
        self._extractor = Extractor()
        self._known_ids = KnownIds()

    async def call(
        self,
        tool: Tool[Any],
        arguments: Mapping[str, object],
        *,
        trace: Trace | None = None,
        send_progress: Send = send_nothing,
    ) -> CallToolResult:
        """Run a tool and make its reply; never raises but for cancellation."""

        async def run(call: Call) -> Outcome[Any]:
            today = f"{call.today} ({call.preferences.zone})"
            return await tool.run(read_arguments(tool.arguments, arguments, today=today), call)

        return await self.answer(tool.name, run, self._reply, trace=trace, send_progress=send_progress)

    def _reply(self, result: Outcome[Any] | MailError, request: Request) -> CallToolResult:
        outcome = result if isinstance(result, Outcome) else None
        return self._replies.make(result, request.meta(outcome))

    async def answer(
        self,
        name: str,
        work: Callable[[Call], Awaitable[ValueT]],
        reply: Callable[[ValueT | MailError, Request], ReplyT],
        *,
        trace: Trace | None = None,
        send_progress: Send = send_nothing,
    ) -> ReplyT:
        """Do `work` within the time of a call; never raises but for cancellation.

        Args:
            name: Of the tool or the method, for the log.
            work: May raise any `MailError`.
            reply: Makes the reply, of what `work` returned or of its error.
            trace: The caller's.
            send_progress: Tells the client how far it is.
        """
        progress = Progress(send_progress)
        call = Call(
            pool=self._pool,
            uid_cache=self._uid_cache,
            deadline=anyio.current_time() + self._timeout_s,
            today=datetime.now(self._preferences.zone).date(),
            lean_rows=self._lean_rows,
            preferences=self._preferences,
            report=progress.report,
            extractor=self._extractor,
            known_ids=self._known_ids,
        )
        request = Request(name=name, call=call, trace=trace)
        ending = "cancelled"
        try:
            async with progress.running():
                result, ending = await _answer(request, work, reply)
            return result
        finally:
            _log.info("call", extra=request.log_fields() | _costs(request, ending))


async def _answer(
    request: Request,
    work: Callable[[Call], Awaitable[ValueT]],
    reply: Callable[[ValueT | MailError, Request], ReplyT],
) -> tuple[ReplyT, str]:
    try:
        value = await work(request.call)
        ending = value.status.value if isinstance(value, Outcome) else "ok"
        return reply(value, request), ending
    except MailError as error:
        failure = error
    except Exception:  # noqa: BLE001 - the boundary: a bug is answered, and logged with its traceback
        _log.exception("unexpected error", extra=request.log_fields())
        failure = InternalError(
            "mailmcp failed in a way that it should not. Its log has the details under the request id.",
            reason=Reason.UNEXPECTED,
        )
    return reply(failure, request), f"{failure.code.value}/{failure.reason.value}"


def _costs(request: Request, ending: str) -> dict[str, object]:
    return {
        "outcome": ending,
        "duration_ms": request.elapsed_ms,
        "imap_round_trips": request.call.telemetry.imap_round_trips,
        "bytes_received": request.call.telemetry.bytes_received,
    }
