"""Runs a request from its arguments to its reply: clock, deadline, errors, log.

Only here does a `ToolError` become a reply, to a tool call or another request. Any other exception is a bug:
it is logged with its traceback and answered as `internal`.
"""

import inspect
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, Final, Generic, TypeVar, cast

import anyio
from anyio import CapacityLimiter, to_thread
from mcp.server.context import ServerRequestContext
from mcp_types import CallToolResult

from mcp_envelope.arguments import read_arguments
from mcp_envelope.dialects.registry import Dialect
from mcp_envelope.errors import BaseReason, Code, DeadlineError, InternalError, NextAction, ToolError
from mcp_envelope.meta import Meta, Trace
from mcp_envelope.outcome import Outcome
from mcp_envelope.reply import make_result
from mcp_envelope.server.progress import Progress
from mcp_envelope.server.trace import read_trace
from mcp_envelope.tool import ContextT, Report, Tool

ValueT = TypeVar("ValueT")
ReplyT = TypeVar("ReplyT")

GRACE_S: Final = 1.0
"""How long after its deadline a call is cancelled: time for the tool to reply with what it has."""

THREADS_MAX: Final = 40
"""Sync tools that run at a time. Their own limiter keeps them from blocking stdin and stdout, which the SDK
reads and writes in threads too."""

_LEVELS: Final = {Code.INTERNAL: logging.ERROR, Code.TIMEOUT: logging.ERROR}
"""Other failures are warnings: the caller can fix them."""


@dataclass(slots=True, kw_only=True)
class Call:
    """One request, with what the tool adds to it."""

    tool: str
    """The tool, or the method of a request that calls none, for the log."""

    deadline: float
    """On the event loop's clock. The call is cancelled a second later."""

    report: Report
    request: ServerRequestContext[Any]
    """The SDK's: its session, and its `lifespan_context` with the server's state."""

    trace: Trace | None = None
    request_id: str = field(default_factory=lambda: secrets.token_hex(8))
    began: float = field(default_factory=perf_counter)
    telemetry: MutableMapping[str, int] = field(default_factory=dict)
    """What the call cost, under names of the tool's own; the reply shows it."""

    log_fields: MutableMapping[str, object] = field(default_factory=dict)
    """More fields for the log line of the call."""

    @property
    def elapsed_ms(self) -> int:
        """Time since it began."""
        return round((perf_counter() - self.began) * 1000)


class Calls(Generic[ContextT]):
    """Runs tools and other requests, each within its deadline."""

    def __init__(
        self,
        *,
        version: str,
        context: Callable[[Call], AbstractContextManager[ContextT]],
        dialect: Dialect = Dialect.SUMMARY,
        json_text: bool = False,
        timeout_s: float = 60.0,
    ) -> None:
        """Choose how calls run and what their replies look like.

        Args:
            version: Of the server's replies, such as `tickets/1`. Its first part names the logger.
            context: Makes what each request works with; a context manager that exits when its work ends.
                Tools get it as their second parameter, and validators of arguments as
                `info.context["call"]`.
            dialect: The shape of replies.
            json_text: Use the envelope itself as the text, instead of Markdown.
            timeout_s: Time limit of one call; hosts give up after 60 s by default.
        """
        self._version = version
        self._log = logging.getLogger(version.partition("/")[0])
        self._context = context
        self._dialect = dialect
        self._json_text = json_text
        self._timeout_s = timeout_s
        self._threads = CapacityLimiter(THREADS_MAX)

    async def call_tool(
        self,
        tool: Tool[ContextT],
        arguments: Mapping[str, object],
        request: ServerRequestContext[Any],
    ) -> CallToolResult:
        """Run a tool and make its reply; raises only cancellation. `request` is the SDK's."""

        async def work(context: ContextT) -> Outcome[Any]:
            given = read_arguments(tool.arguments, arguments, context={"call": context})
            return await self._run(tool, given, context)

        def reply(result: Outcome[Any] | ToolError, call: Call) -> CallToolResult:
            return make_result(
                result,
                self._meta(call),
                dialect=self._dialect,
                has_status=tool.has_status,
                json_text=self._json_text,
            )

        return await self.answer(tool.name, work, reply, request)

    async def _run(self, tool: Tool[ContextT], arguments: Any, context: ContextT) -> Outcome[Any]:
        if inspect.iscoroutinefunction(tool.run):
            outcome: Outcome[Any] = await tool.run(arguments, context)
        else:
            function = cast(Callable[[Any, ContextT], Outcome[Any]], tool.run)
            outcome = await to_thread.run_sync(
                function, arguments, context, abandon_on_cancel=True, limiter=self._threads
            )
        _check_outcome(outcome, tool)
        return _with_next_page(outcome, tool)

    def _meta(self, call: Call) -> Meta:
        return Meta(
            tool=call.tool,
            version=self._version,
            now=datetime.now(UTC),
            duration_ms=call.elapsed_ms,
            request_id=call.request_id,
            telemetry=call.telemetry,
            trace=call.trace,
        )

    async def answer(
        self,
        name: str,
        work: Callable[[ContextT], Awaitable[ValueT]],
        reply: Callable[[ValueT | ToolError, Call], ReplyT],
        request: ServerRequestContext[Any],
    ) -> ReplyT:
        """Do `work` within the time limit of a call; raises only cancellation.

        Args:
            name: The tool or the method, for the log.
            work: May raise any `ToolError`.
            reply: Makes the reply from what `work` returned, or from its error.
            request: The SDK's context of the request.
        """
        progress = Progress(request.session.report_progress)
        call = Call(
            tool=name,
            deadline=anyio.current_time() + self._timeout_s,
            report=progress.report,
            request=request,
            trace=read_trace(request.meta),
        )
        level, ending = logging.INFO, "cancelled"
        try:
            async with progress.running():
                result = await self._result_of(work, call)
                try:
                    replied = reply(result, call)
                except Exception:  # noqa: BLE001 - the boundary: a value of a wrong type is a bug like any other
                    result = self._unexpected(call)
                    replied = reply(result, call)
            level, ending = _ending(result)
            return replied
        finally:
            self._log.log(level, "%s: %s", name, ending, extra=_log_fields(call, ending))

    async def _result_of(
        self, work: Callable[[ContextT], Awaitable[ValueT]], call: Call
    ) -> ValueT | ToolError:
        """Run the work; any exception but cancellation becomes a `ToolError`."""
        with anyio.CancelScope(deadline=call.deadline + GRACE_S) as scope:
            try:
                with self._context(call) as context:
                    return await work(context)
            except ToolError as error:
                return error
            except Exception:  # noqa: BLE001 - the boundary: a bug is answered, and logged with its traceback
                return self._unexpected(call)
        assert scope.cancelled_caught  # noqa: S101 - nothing else leaves the block without a value
        return DeadlineError("The call took too long and was stopped.", reason=BaseReason.DEADLINE)

    def _unexpected(self, call: Call) -> InternalError:
        """Log the exception that is being handled, and build the error for the caller."""
        self._log.exception("unexpected error", extra=_log_fields(call, "unexpected"))
        return InternalError(
            "The server failed unexpectedly. Its log has the details under the request id.",
            reason=BaseReason.UNEXPECTED,
            details={"request_id": call.request_id},
        )


def _check_outcome(outcome: Outcome[Any], tool: Tool[Any]) -> None:
    """Refuse an outcome that the published schema has no place for.

    Raises:
        ValueError: The outcome has issues or a page that the tool can't have, or lacks a page.
    """
    if outcome.issues and not tool.has_status:
        raise ValueError(f"{tool.name} has issues, but has_status is false")
    if (outcome.page is not None) != tool.pages:
        raise ValueError(f"{tool.name}: Outcome.page goes with an argument called cursor, on every page")


def _with_next_page(outcome: Outcome[Any], tool: Tool[Any]) -> Outcome[Any]:
    """Offer the next page, unless the tool offers something else."""
    if outcome.page is None or outcome.page.cursor is None or outcome.next_action is not None:
        return outcome
    arguments = {"cursor": outcome.page.cursor}
    action = NextAction(instruction="Get the next page.", tool=tool.name, arguments=arguments)
    return replace(outcome, next_action=action)


def _ending(result: object) -> tuple[int, str]:
    """Return the log level and the outcome of a call, for the log."""
    if isinstance(result, ToolError):
        return _LEVELS.get(result.code, logging.WARNING), f"{result.code.value}/{result.reason.value}"
    return logging.INFO, result.status.value if isinstance(result, Outcome) else "ok"


def _log_fields(call: Call, ending: str) -> dict[str, object]:
    return {
        "tool": call.tool,
        "outcome": ending,
        "duration_ms": call.elapsed_ms,
        "request_id": call.request_id,
        "trace_id": call.trace.trace_id if call.trace else "",
        "span_id": call.trace.span_id if call.trace else "",
        **call.telemetry,
        **call.log_fields,
    }
