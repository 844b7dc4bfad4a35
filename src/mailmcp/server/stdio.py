"""Serves over stdin and stdout until the host closes one of them or a signal arrives."""

import asyncio
import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
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
    """Serve until stdin closes, then stop at once and cancel calls in flight.

    Args:
        server: The server.
        leave: Ends the process. It is called if serving ends before stdin does, since the thread that reads
            stdin can't be interrupted and Python would wait for it. It is also called if the host is gone,
            since Python would try again at exit to write what is left.
    """
    try:
        async with stdio_server() as (incoming, outgoing):
            with anyio.CancelScope() as scope, _signals_cancel(scope, leave):
                try:
                    requests = _Messages(incoming, outgoing)
                    await server.run(requests, outgoing, server.create_initialization_options())
                except anyio.get_cancelled_exc_class():  # by a signal, or because nobody reads stdout
                    leave()
                    raise
    except* ConnectionError:  # the host died, and its pipes or sockets with it
        leave()


def run_stdio(server: Server[Serving], *, leave: Callable[[], object]) -> None:
    """Run `serve_stdio` in a new event loop."""
    anyio.run(partial(serve_stdio, server, leave=leave))


@contextmanager
def _signals_cancel(scope: anyio.CancelScope, leave: Callable[[], object]) -> Iterator[None]:
    """Cancel `scope` on SIGINT or SIGTERM. A second signal, or one after the block, calls `leave`."""
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
        ending = True  # from here on a signal ends the process


class _Messages(ObjectReceiveStream[SessionMessage | Exception]):
    """Incoming messages. A request that can't be parsed gets an error as its response.

    The SDK would drop it silently. Its JSON may hold half a surrogate pair or nest too deeply.
    """

    def __init__(
        self, incoming: "ReadStream[SessionMessage | Exception]", outgoing: "WriteStream[SessionMessage]"
    ) -> None:
        self._incoming, self._outgoing = incoming, outgoing

    @override
    async def receive(self) -> SessionMessage | Exception:
        while isinstance(received := await self._incoming.receive(), ValidationError):
            if response := _parse_error(received):
                await self._outgoing.send(SessionMessage(response))
        return received

    @override
    async def aclose(self) -> None:
        await self._incoming.aclose()


def _parse_error(error: ValidationError) -> JSONRPCError | None:
    """Build the response to a request that can't be parsed; None if it has no id."""
    # Validation reports the missing keys of every kind of message. The last ones are those of a request.
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
        response = JSONRPCError(
            jsonrpc="2.0", id=_REQUEST_ID.validate_python(message.get("id")), error=reason
        )
        response.model_dump_json()  # an id that can't be serialized must not end the server
    except (ValueError, RecursionError):  # pydantic's errors are ValueErrors
        return None
    return response
