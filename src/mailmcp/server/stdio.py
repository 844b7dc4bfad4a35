"""Serving over stdin and stdout, until the host closes stdin, or stdout, or a signal ends it."""

import asyncio
import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import anyio
from anyio.abc import ObjectReceiveStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, RequestId
from pydantic import TypeAdapter, ValidationError
from typing_extensions import override

from mailmcp.server.app import Serving

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import (
        ReadStream,
        WriteStream,
    )  # what `Server.run` takes, by no other name

_REQUEST_ID: Final[TypeAdapter[RequestId]] = TypeAdapter(RequestId)


async def serve_stdio(server: Server[Serving], *, leave: Callable[[], object]) -> None:
    """Serve until stdin closes, then end at once: calls in flight are cancelled.

    Args:
        server: What is served.
        leave: Ends the process. Called when the service has ended and stdin has not: it is read in a
            thread that nothing can interrupt, and that would be waited for. Called as well when the host
            is gone: what could not be written would be written again at exit.
    """
    try:
        async with stdio_server() as (incoming, outgoing):
            with anyio.CancelScope() as scope, _signals_cancel(scope, leave):
                try:
                    requests = _Messages(incoming, outgoing)
                    await server.run(requests, outgoing, server.create_initialization_options())
                except anyio.get_cancelled_exc_class():  # by a signal, or since nobody reads stdout any more
                    leave()
                    raise
    except* ConnectionError:  # the host died, and with it the pipes or sockets to it
        leave()


def run_stdio(server: Server[Serving], *, leave: Callable[[], object]) -> None:
    """Run `serve_stdio` in an event loop of its own."""
    anyio.run(lambda: serve_stdio(server, leave=leave))


@contextmanager
def _signals_cancel(scope: anyio.CancelScope, leave: Callable[[], object]) -> Iterator[None]:
    """Let SIGINT and SIGTERM cancel `scope`; from then on, and once it has ended, they call `leave`."""
    loop = asyncio.get_running_loop()
    ending = False

    def stop(*_: object) -> None:
        nonlocal ending
        if ending:
            leave()
            return
        ending = True
        loop.call_soon_threadsafe(scope.cancel)

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, stop)
    try:
        yield
    finally:
        ending = True  # what is left to do takes a moment, in which a signal ends the process as well


class _Messages(ObjectReceiveStream[SessionMessage | Exception]):
    """The messages that arrive. A request that cannot be read gets an error for an answer, not silence.

    The SDK drops it: its JSON may hold half of a surrogate pair, which is no character, or nest too deeply.
    """

    def __init__(
        self, incoming: "ReadStream[SessionMessage | Exception]", outgoing: "WriteStream[SessionMessage]"
    ) -> None:
        self._incoming, self._outgoing = incoming, outgoing

    @override
    async def receive(self) -> SessionMessage | Exception:
        while isinstance(received := await self._incoming.receive(), ValidationError):
            if answer := _refuse(received):
                await self._outgoing.send(SessionMessage(answer))
        return received

    @override
    async def aclose(self) -> None:
        await self._incoming.aclose()


def _refuse(error: ValidationError) -> JSONRPCError | None:
    """Return the answer to a request that cannot be read; None without an id to answer to."""
    # JSON that is no message lacks a key of each kind of message: of replies, if it was meant as a request.
    faults = [each for each in error.errors() if each["type"] in {"json_invalid", "missing"}]
    if not faults:
        return None
    fault = faults[-1]
    reason = ErrorData(
        code=INVALID_REQUEST, message="Not a JSON-RPC 2.0 request: check its method and params."
    )
    try:
        message = fault["input"]
        if fault["type"] == "json_invalid":
            reason = ErrorData(code=PARSE_ERROR, message=fault["msg"])
            message = json.loads(message)
        if not isinstance(message, dict) or "method" not in message:
            return None
        answer = JSONRPCError(jsonrpc="2.0", id=_REQUEST_ID.validate_python(message.get("id")), error=reason)
        answer.model_dump_json()  # an id that cannot be written back must not end the service
    except (ValueError, RecursionError):  # pydantic's errors are ValueErrors
        return None
    return answer
