"""One call from arguments to reply: clock, deadline, errors, log.

The only place where a `MailError` becomes a reply, and where anything else, a bug,
is logged with its traceback and answered as `internal`.
"""

import logging
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

import anyio
from mcp.types import CallToolResult

from mailmcp.envelope.errors import InternalError, MailError, Reason
from mailmcp.envelope.meta import Meta
from mailmcp.envelope.outcome import Outcome
from mailmcp.imap.pool import Pool
from mailmcp.imap.uid_cache import UidCache
from mailmcp.server.reply import Replies
from mailmcp.tools.arguments import read_arguments
from mailmcp.tools.tool import Call, Tool

_log = logging.getLogger(__name__)


class Calls:
    """Runs the tools on one pool."""

    def __init__(self, pool: Pool, replies: Replies, *, timeout_s: float) -> None:
        """Serve from `pool`; a call is given `timeout_s` seconds, retries included."""
        self._pool = pool
        self._uid_cache = UidCache()
        self._replies = replies
        self._timeout_s = timeout_s

    async def call(self, tool: Tool[Any], arguments: Mapping[str, object]) -> CallToolResult:
        """Run a tool and make its reply; never raises but for cancellation."""
        began = perf_counter()
        request_id = secrets.token_hex(8)
        call = Call(
            pool=self._pool,
            uid_cache=self._uid_cache,
            deadline=anyio.current_time() + self._timeout_s,
            today=datetime.now(UTC).date(),
        )
        ending = "cancelled"
        try:
            result, ending = await self._answer(tool, arguments, call, request_id, began)
            return result
        finally:
            _log_call(tool.name, call, request_id, ending, began)

    async def _answer(
        self, tool: Tool[Any], arguments: Mapping[str, object], call: Call, request_id: str, began: float
    ) -> tuple[CallToolResult, str]:
        try:
            outcome = await tool.run(read_arguments(tool.arguments, arguments), call)
        except MailError as error:
            failure = error
        except Exception:  # noqa: BLE001 - the boundary: a bug is answered, and logged with its traceback
            _log.exception("unexpected error", extra={"tool": tool.name, "request_id": request_id})
            failure = InternalError(
                "mailmcp failed in a way that it should not. Its log has the details under the request id.",
                reason=Reason.UNEXPECTED,
            )
        else:
            meta = _meta(call, request_id, began, outcome)
            return self._replies.success(outcome, meta), outcome.status.value
        meta = _meta(call, request_id, began, None)
        return self._replies.failure(failure, meta), f"{failure.code.value}/{failure.reason.value}"


def _meta(call: Call, request_id: str, began: float, outcome: Outcome[Any] | None) -> Meta:
    return Meta(
        now=datetime.now(UTC),
        duration_ms=_elapsed_ms(began),
        request_id=request_id,
        warnings=outcome.warnings if outcome else (),
        page=outcome.page if outcome else None,
        telemetry=call.telemetry if call.telemetry.imap_round_trips else None,
    )


def _elapsed_ms(began: float) -> int:
    return round((perf_counter() - began) * 1000)


def _log_call(tool: str, call: Call, request_id: str, outcome: str, began: float) -> None:
    """One line a finished call; never what a message or a caller says."""
    _log.info(
        "call",
        extra={
            "tool": tool,
            "account": call.account_id,
            "mailbox": call.mailbox,
            "request_id": request_id,
            "outcome": outcome,
            "duration_ms": _elapsed_ms(began),
            "imap_round_trips": call.telemetry.imap_round_trips,
            "bytes_received": call.telemetry.bytes_received,
        },
    )
