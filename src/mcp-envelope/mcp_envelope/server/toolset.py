"""The tools of a server: publishes them, and runs each call from its arguments to its reply.

Only here does a `ToolError` become a reply, to a tool call or another request. Any other exception is a bug:
it is logged with its traceback and answered as `internal`.
"""

import inspect
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, Final, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
)
from mcp_types import Tool as PublishedTool

from mcp_envelope.arguments import read_arguments
from mcp_envelope.dialects import Dialect, shape_of
from mcp_envelope.errors import (
    AuthFailedError,
    BaseReason,
    Code,
    ConfirmationRequired,
    DeadlineError,
    InternalError,
    NextAction,
    ToolError,
)
from mcp_envelope.outcome import Meta, Outcome
from mcp_envelope.render import make_result
from mcp_envelope.server import elicitation
from mcp_envelope.server.progress import Progress
from mcp_envelope.tool import Function, Report, Tool, publish

FunctionT = TypeVar("FunctionT", bound=Function)
ValueT = TypeVar("ValueT")
ReplyT = TypeVar("ReplyT")
Context = ServerRequestContext[Any]

GRACE_S: Final = 1.0
"""How long after its deadline a call is cancelled: time for the tool to reply with what it has."""

THREADS_MAX: Final = 40
"""Sync tools that run at a time. Their own limiter keeps them from blocking stdin and stdout, which the SDK
reads and writes in threads too."""

_LEVELS: Final = {Code.INTERNAL: logging.ERROR, Code.TIMEOUT: logging.ERROR}
"""Other failures are warnings: the caller can fix them."""

_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}")
"""W3C Trace Context section 3.2.2."""


@dataclass(slots=True, kw_only=True)
class Call:
    """One request, with what the tool adds to it."""

    tool: str
    """The tool, or the method of a request that calls none, for the log."""

    deadline: float
    """On the event loop's clock. The call is cancelled a second later."""

    report: Report
    request: Context
    """The SDK's: its session, and its `lifespan_context` with the server's state."""

    trace: Mapping[str, str]
    """`trace_id` and `span_id` of the caller's trace; empty if it sent none."""

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


class Toolset:
    """Tools, and how their calls are answered.

    `mcp_envelope.mcpserver` serves them. `list_tools` and `call_tool` are handlers of a low-level server.
    """

    def __init__(
        self,
        version: str,
        tools: Iterable[Tool] = (),
        *,
        context: Callable[[Call], AbstractContextManager[Any]] = nullcontext,
        dialect: Dialect = Dialect.SUMMARY,
        json_text: bool = False,
        timeout_s: float = 60.0,
        observe: Callable[[Mapping[str, object]], object] | None = None,
    ) -> None:
        """Start with `tools`; the decorator `tool` adds more.

        Args:
            version: Of the server's replies, such as `tickets/1`. Its first part names server and logger.
            tools: The first tools.
            context: Makes what each request works with; a context manager that exits when its work ends.
                Tools get it as their second parameter, and validators of arguments as
                `info.context["call"]`. By default it is the `Call`.
            dialect: The shape of replies.
            json_text: Use the envelope itself as the text, instead of Markdown.
            timeout_s: Time limit of one call; hosts give up after 60 s by default.
            observe: Called with the fields of the log line of each request that has ended, for metrics.

        Raises:
            ValueError: The version isn't a name and a number.
        """
        if not re.fullmatch(
            r"[A-Za-z][A-Za-z0-9.-]*/[0-9][0-9.]*", version
        ):  # the name begins keys of `_meta`
            raise ValueError(f"{version!r} isn't a name and a number, such as tickets/1")
        self.version = version
        self._context = context
        self._dialect = dialect
        self._json_text = json_text
        self._timeout_s = timeout_s
        self._observe = observe
        self._log = logging.getLogger(version.partition("/")[0])
        self._threads = CapacityLimiter(THREADS_MAX)
        self.tools: dict[str, Tool] = {}
        for tool in tools:
            self.add(tool)

    def add(self, tool: Tool) -> None:
        """Add a tool.

        Raises:
            ValueError: There is one of this name.
        """
        if tool.name in self.tools:
            raise ValueError(f"there are two tools called {tool.name}")
        self.tools[tool.name] = tool

    def tool(self, **options: Any) -> Callable[[FunctionT], FunctionT]:
        """Add a function as a tool; `options` are those of `Tool`, on top of what its annotations say.

        The function takes the arguments and, if it wants it, the `Call`.

        Raises:
            TypeError: As `Tool.of`.
            ValueError: As `Tool.of` and `add`.
        """

        def register(run: FunctionT) -> FunctionT:
            self.add(Tool.of(run, **options))
            return run

        return register

    def publish(self) -> list[PublishedTool]:
        """Return the tools as `tools/list` gives them, in the order in which they were added."""
        return [publish(tool, self._dialect) for tool in self.tools.values()]

    async def list_tools(self, _context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        """List the tools: `on_list_tools` of a low-level server."""
        return ListToolsResult(tools=self.publish())

    async def call_tool(
        self, context: Context, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool: `on_call_tool` of a low-level server.

        A tool that needs a confirmation runs again once the user has agreed.

        Raises:
            MCPError: There is no tool of this name; everything else is a result.
        """
        if (tool := self.tools.get(params.name)) is None:
            raise MCPError(
                code=INVALID_PARAMS,
                message=f"There is no such tool. Tools: {', '.join(self.tools)}.",
                data={"code": shape_of(self._dialect).UNKNOWN_TOOL},
            )
        given: dict[str, Any] = dict(params.arguments or {})
        token = elicitation.read_answer(params)
        if token is None:
            reply, confirmation = await self._call(tool, given, context)
            asked = await elicitation.ask(confirmation, context) if confirmation else None
            if asked is None:
                return reply
            if isinstance(asked, InputRequiredResult):
                return asked
            token = asked
        reply, _ = await self._call(tool, {**given, "confirm": token}, context, declined=not token)
        return reply

    async def _call(
        self, tool: Tool, given: Mapping[str, object], request: Context, *, declined: bool = False
    ) -> tuple[CallToolResult, ConfirmationRequired | None]:
        """Run a tool, unless the user declined, and make its reply; the second is what to ask the user."""

        async def work(context: object) -> Outcome[Any]:
            if declined:
                raise AuthFailedError("The user didn't agree; nothing was done.", reason=BaseReason.DECLINED)
            arguments = read_arguments(tool.arguments, given, context={"call": context})
            parameters = (arguments, context) if tool.takes_context else (arguments,)
            if inspect.iscoroutinefunction(tool.run):
                outcome = await tool.run(*parameters)
            else:
                outcome = await to_thread.run_sync(
                    tool.run, *parameters, abandon_on_cancel=True, limiter=self._threads
                )
            return _check_outcome(outcome, tool)

        def reply(
            result: Outcome[Any] | ToolError, call: Call
        ) -> tuple[CallToolResult, ConfirmationRequired | None]:
            confirmation = result if isinstance(result, ConfirmationRequired) else None
            if isinstance(result, ConfirmationRequired):
                if "confirm" not in tool.arguments.model_fields:
                    raise TypeError(f"{tool.name} asks for a confirmation, but takes no argument `confirm`")
                instruction = "Show the plan to the user. If they agree, send this."
                again = {**given, "confirm": result.token}
                action = NextAction(instruction=instruction, tool=tool.name, arguments=again)
                result = result.replace(next_action=action)
            meta = Meta(
                tool=call.tool,
                version=self.version,
                now=datetime.now(UTC),
                duration_ms=call.elapsed_ms,
                request_id=call.request_id,
                telemetry=call.telemetry,
                trace=call.trace,
            )
            options = {"has_status": tool.has_status, "json_text": self._json_text}
            return make_result(result, meta, dialect=self._dialect, **options), confirmation

        changes = not (tool.read_only or tool.idempotent)
        return await self.answer(tool.name, work, reply, request, changes=changes)

    async def answer(
        self,
        name: str,
        work: Callable[[Any], Awaitable[ValueT]],
        reply: Callable[[ValueT | ToolError, Call], ReplyT],
        request: Context,
        *,
        changes: bool = False,
    ) -> ReplyT:
        """Do `work` within the time limit of a call, for a request of any method.

        Args:
            name: The tool or the method, for the log.
            work: Takes what `context` made. May raise any `ToolError`.
            reply: Makes the reply from what `work` returned, or from its error. May raise `MCPError`, for
                a method whose result has no place for a failure.
            request: The SDK's context of the request.
            changes: Whether doing it twice does more than doing it once.
        """
        progress = Progress(request.session.report_progress)
        trace = _TRACEPARENT.fullmatch(str((request.meta or {}).get("traceparent")))
        call = Call(
            tool=name,
            deadline=anyio.current_time() + self._timeout_s,
            report=progress.report,
            request=request,
            trace={"trace_id": trace[1], "span_id": trace[2]} if trace else {},
        )
        level, ending = logging.INFO, "cancelled"
        try:
            async with progress.running():
                result = await self._result_of(work, call, changes=changes)
            level, ending = _ending(result)
            try:
                return reply(result, call)
            except MCPError:
                raise
            except Exception:  # noqa: BLE001 - the boundary: a value of a wrong type is a bug like any other
                error = self._unexpected(call)
                level, ending = _ending(error)
                return reply(error, call)
        finally:
            fields = _log_fields(call, ending)
            self._log.log(level, "%s: %s", name, ending, extra=fields)
            if self._observe:
                self._observe(fields)

    async def _result_of(
        self, work: Callable[[Any], Awaitable[ValueT]], call: Call, *, changes: bool
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
        message = "The call took too long."
        if changes:  # a thread can't be stopped, and a coroutine may have done half of it
            message += " It may still be carried out: look before you send it again."
        return DeadlineError(message, reason=BaseReason.DEADLINE, retryable=not changes)

    def _unexpected(self, call: Call) -> InternalError:
        """Log the exception that is being handled, and build the error for the caller."""
        self._log.exception("unexpected error", extra=_log_fields(call, "unexpected"))
        return InternalError(
            "The server failed unexpectedly. Its log has the details under the request id.",
            reason=BaseReason.UNEXPECTED,
            details={"request_id": call.request_id},
        )


def _check_outcome(outcome: object, tool: Tool) -> Outcome[Any]:
    """Refuse an outcome that the published schema has no place for, and offer its next page.

    A tool that offers something else keeps its own next action.

    Raises:
        TypeError: It isn't one of the tool's data.
        ValueError: It has issues or a page that the tool can't have, or lacks a page.
    """
    if not (isinstance(outcome, Outcome) and isinstance(outcome.data, tool.data)):
        raise TypeError(f"{tool.name} must return an Outcome of {tool.data.__name__}")
    if outcome.issues and not tool.has_status:
        raise ValueError(f"{tool.name} has issues, but has_status is false")
    if (outcome.page is not None) != tool.pages:
        raise ValueError(f"{tool.name}: Outcome.page goes with an argument called cursor, on every page")
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
        "trace_id": "",
        "span_id": "",
        **call.trace,
        **call.telemetry,
        **call.log_fields,
    }
