"""Serves over HTTP (MCP's "streamable HTTP"), without sessions, until a signal arrives.

Every request is independent, in both eras of the protocol, so any replica can answer it. This module owns
the socket and shutdown, `mailmcp.server.http_access` the access to it. TLS is left to a proxy.
"""

import errno
import logging
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from starlette.types import ASGIApp
from typing_extensions import override

from mailmcp import limits
from mailmcp.imap.account import is_loopback
from mailmcp.server.app import Serving
from mailmcp.server.http_access import PATH, Gate, HttpOptions, bracketed, security
from mailmcp.server.http_connections import LimitedProtocol

_EVERY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104 - only if configured, and with a token
_BACKLOG: Final = 128
"""Connections waiting to be accepted."""

_ACCEPTED_AT_ONCE: Final = 16
"""Connections accepted in one turn of the event loop, before any can be closed. Each is a file descriptor."""

_log = logging.getLogger(__name__)


class StartError(Exception):
    """The server can't listen at the configured address."""

    def __init__(self, message: str, *, exit_status: int) -> None:
        self.exit_status = exit_status
        """2 if the configuration is wrong, 1 if the machine doesn't allow it now."""
        super().__init__(message)


def run_http(server: Server[Serving], *, listener: socket.socket, options: HttpOptions) -> None:
    """Serve on a socket from `listen` until SIGTERM or SIGINT, then close it."""
    with listener:
        port = listener.getsockname()[1]
        config = configure(make_app(server, options, port=port))
        if options.token is None:
            _log.warning(
                "no token required: every program on this machine can read the mail; "
                "set MAILMCP_HTTP_TOKEN to require one"
            )
        if options.host in _EVERY_ADDRESS and not options.allowed_hosts:
            _log.warning("accepts only requests to localhost; add other host names to http_allowed_hosts")
        runner = _Runner(config, url=f"http://{bracketed(options.host)}:{port}{PATH}")
        anyio.run(partial(runner.serve, sockets=[listener]))


def configure(app: ASGIApp) -> uvicorn.Config:
    """Configure uvicorn: HTTP/1.1 only, with our limits and our logging."""
    return uvicorn.Config(
        app,
        http=LimitedProtocol,
        ws="none",
        lifespan="on",
        workers=1,
        backlog=_ACCEPTED_AT_ONCE,
        # Reached only if every connection has a call in flight. One more gets a 503.
        limit_concurrency=limits.HTTP_CONNECTIONS_MAX + 1,
        # Logging is configured already, to stderr; uvicorn's access log would go to stdout.
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=limits.HTTP_GRACE_S,
    )


def make_app(server: Server[Serving], options: HttpOptions, *, port: int) -> ASGIApp:
    """Build the ASGI application; `port` is the port it is served on."""
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=limits.HTTP_BODY_OCTETS_MAX,
        transport_security=security(options, port=port),
        host=options.host,
    )
    # A redirect would send clients and their tokens to http:// even behind a proxy that speaks https://.
    app.router.redirect_slashes = False
    return Gate(app, options.token)


def listen(options: HttpOptions) -> socket.socket:
    """Bind the socket. An address other than loopback requires a token.

    Raises:
        StartError: The address can't be bound, or the token is missing.
    """
    family, address = _resolve(options.host, options.port)
    every_address = address[0] == "::" and socket.has_dualstack_ipv6()
    where = f"{bracketed(options.host)}:{options.port}"
    if options.token is None and not is_loopback(address[0]):
        raise StartError(
            f"won't listen on {where} without a token: anyone who can reach it could read the mail; "
            "set MAILMCP_HTTP_TOKEN, or http_token in [server], or listen on 127.0.0.1",
            exit_status=2,
        )
    try:
        listener = socket.create_server(
            address, family=family, backlog=_BACKLOG, dualstack_ipv6=every_address
        )
    except OSError as error:
        raise StartError(f"can't listen on {where}: {_reason(error)}", exit_status=1) from error
    # Accepted sockets inherit it. asyncio doesn't set it on sockets from `create_server`, and each reply
    # would wait 40 ms for the client's delayed ACK.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


class _Runner(uvicorn.Server):
    """uvicorn with our own ready line and signal handling."""

    def __init__(self, config: uvicorn.Config, *, url: str) -> None:
        super().__init__(config)
        self._url = url

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(_BACKLOG)  # asyncio set it to the number it accepts at once
        _log.info("serving %s", self._url)

    @contextmanager
    @override
    def capture_signals(self) -> Iterator[None]:
        """Stop on a signal. Unlike uvicorn's own handler, don't raise it again: the shutdown was clean.

        The handler is a plain function. sse-starlette recognizes uvicorn by its bound method, and would cut
        the replies of calls in flight before the grace period is over.
        """

        def stop(*_: object) -> None:
            self.force_exit = self.should_exit
            self.should_exit = True

        before = {each: signal.signal(each, stop) for each in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, tuple[Any, ...]]:
    """Resolve the host to its first address, IPv4 if it has one."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise StartError(f"can't listen on {host}: unknown host", exit_status=2) from error
    family, _, _, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)
    return family, address


def _reason(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "the port is in use; choose another with --port, or 0 for any free port"
    if error.errno == errno.EADDRNOTAVAIL:
        return "not an address of this machine"
    return error.strerror or type(error).__name__
