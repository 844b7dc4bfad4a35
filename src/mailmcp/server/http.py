"""Serves over HTTP (MCP's "streamable HTTP"), without sessions, until a signal arrives.

Every request is independent, in both eras of the protocol, so any replica can answer it. The SDK's app speaks
MCP; this module adds the token, the names in Host and Origin, limits and shutdown. TLS and clients that send
slowly are left to a proxy.
"""

import hmac
import logging
import math
import os
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

import anyio
import uvicorn
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from mailmcp.imap.account import is_loopback

PATH: Final = "/mcp"

BODY_OCTETS_MAX: Final = 1_048_576
"""Request body: ten times the longest arguments."""

CONNECTIONS_MAX: Final = 128
"""Open connections: half of the 256 file descriptors that macOS allows, which leaves some for IMAP."""

GRACE_S: Final = 1
"""For calls in flight at shutdown."""

_EVERY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104 - only if configured, and with a token

_log = logging.getLogger(__name__)


class SignIn(Protocol):
    """Requests need tokens of an authorization server (RFC 9728); the SDK asks for them."""

    @property
    def auth(self) -> AuthSettings:
        """The server, and what tokens must be good for."""

    @property
    def verifier(self) -> TokenVerifier:
        """Checks each token."""

    @property
    def routes(self) -> list[Route]:
        """What is answered without a token."""

    def wrap(self, app: ASGIApp) -> ASGIApp:
        """Complete the SDK's refusals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpOptions:
    """Where to listen, and who may connect."""

    host: str
    """A name or address of this machine; `0.0.0.0` or `::` for all addresses."""

    port: int
    """0 for any free port."""

    token: SecretStr | None = None
    """The bearer token that requests need; None, on loopback only, for no token."""

    allowed_hosts: Sequence[str] = ()
    """More names that clients may use in the Host header; `name:*` for any port."""

    sign_in: SignIn | None = None
    """Requires tokens of an authorization server; None for `token`, the same for everybody."""

    connections_max: int = CONNECTIONS_MAX
    grace_s: float | None = None
    """For calls in flight at shutdown; None for `GRACE_S`."""


def run_http(server: Server[Any], *, listener: socket.socket, options: HttpOptions) -> None:
    """Serve on a socket from `listen` until SIGTERM or SIGINT, then close it."""
    with listener:
        port = listener.getsockname()[1]
        if options.token is None and options.sign_in is None:
            _log.warning(
                "no token required: every program on this machine can read the mail; "
                "set MAILMCP_HTTP_TOKEN to require one"
            )
        if options.host in _EVERY_ADDRESS and not options.allowed_hosts:
            _log.warning("accepts only requests to localhost; add other host names to http_allowed_hosts")
        _log.info("serving http://%s:%s%s", _bracketed(options.host), port, PATH)
        config = uvicorn.Config(
            make_app(server, options, port=port),
            http="h11",
            ws="none",
            lifespan="on",
            limit_concurrency=options.connections_max,  # one more gets a 503
            log_config=None,  # it is configured already; uvicorn's access log would go to stdout
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=math.ceil(options.grace_s or GRACE_S),
        )
        anyio.run(partial(_Server(config).serve, sockets=[listener]))


def make_app(server: Server[Any], options: HttpOptions, *, port: int) -> Starlette:
    """Build the application that answers at `port`."""
    sign_in = options.sign_in
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=BODY_OCTETS_MAX,
        transport_security=security(options, port=port),
        host=options.host,
        auth=sign_in.auth if sign_in else None,
        token_verifier=sign_in.verifier if sign_in else None,
        custom_starlette_routes=sign_in.routes if sign_in else None,
    )
    # A redirect would send clients and their tokens to http:// even behind a proxy that speaks https://.
    app.router.redirect_slashes = False
    if sign_in:
        app.add_middleware(sign_in.wrap)
    app.add_middleware(Gate, token=options.token)
    return app


def security(options: HttpOptions, *, port: int) -> TransportSecuritySettings:
    """List the allowed Host and Origin headers, so that no web site can get in through a browser.

    By default the SDK checks neither unless the host is loopback.
    """
    names = ["127.0.0.1", "localhost", "[::1]", _bracketed(options.host).lower()]
    hosts = [f"{name}:{port}" for name in names]
    if port == 80:  # clients leave it out of URLs, and so out of the Host header
        hosts += names
    origins = [f"http://{host}" for host in hosts]
    for host in (each.lower() for each in options.allowed_hosts):
        both = [host, host.removesuffix(":*")] if host.endswith(":*") else [host]
        hosts += both
        origins += [f"{scheme}://{each}" for scheme in ("https", "http") for each in both]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def listen(options: HttpOptions) -> socket.socket:
    """Bind the socket. An address other than loopback requires a token.

    Raises:
        ValueError: The host is unknown, or the token is missing.
        OSError: The address can't be bound on this machine now.
    """
    host, port = options.host, options.port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise ValueError(f"can't listen on {host}: unknown host") from error
    family, _, _, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)
    is_open = options.token is None and options.sign_in is None
    if is_open and not is_loopback(str(address[0])):
        raise ValueError(
            f"won't listen on {_bracketed(host)}:{port} without a token: anyone who can reach it could read "
            "the mail; set MAILMCP_HTTP_TOKEN, or http_token in [server], or listen on 127.0.0.1"
        )
    every_address = address[0] == "::" and socket.has_dualstack_ipv6()
    try:
        listener = socket.create_server(address, family=family, dualstack_ipv6=every_address)
    except OSError as error:
        where, why = f"{_bracketed(host)}:{port}", os.strerror(error.errno or 0)
        raise OSError(f"can't listen on {where}: {why}; choose another --host or --port") from error
    # Accepted sockets inherit it. asyncio doesn't set it on sockets from `create_server`, and each reply
    # would wait 40 ms for the client's delayed ACK.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


class Gate:
    """Requires the token and POST, and ends requests that shutdown cuts off."""

    def __init__(self, app: ASGIApp, token: SecretStr | None) -> None:
        """Guard `app`; None for `token` lets everyone in."""
        self._app = app
        self._token = token.get_secret_value().encode() if token else b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if refusal := self._refuse(scope):
            await refusal(scope, receive, send)
            return
        # uvicorn cancels requests when the grace period is over, and would log a cancellation as a bug.
        with suppress(anyio.get_cancelled_exc_class()):
            await self._app(scope, receive, send)

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the reply to a request that may not pass, with its challenge (RFC 6750 section 3)."""
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        scheme, _, token = b" ".join(given).partition(b" ")
        is_right = scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(b" "), self._token)
        if self._token and not is_right:
            error = ', error="invalid_token"' if given else ""
            headers = {"WWW-Authenticate": f'Bearer realm="mailmcp"{error}'}
            return PlainTextResponse("This server requires a bearer token.\n", 401, headers)
        if scope["path"] == PATH and scope["method"] != "POST":
            # There is no stream to open and no session to delete: calls share nothing.
            return PlainTextResponse("Use POST.\n", 405, {"Allow": "POST"})
        return None


class _Server(uvicorn.Server):
    """uvicorn with our own signal handling."""

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


def _bracketed(host: str) -> str:
    """Write a host as in a URL, where an IPv6 address is in brackets."""
    return f"[{host}]" if ":" in host else host
