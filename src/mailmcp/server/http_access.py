"""Who may send requests over HTTP: the token, the names in the Host and Origin headers, and the method."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import anyio
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import SecretStr
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH: Final = "/mcp"

_PORT_OF_HTTP: Final = 80
"""Clients leave it out of URLs, and so out of the Host header."""

_STOPPING: Final = PlainTextResponse("The server is stopping.\n", status_code=503)


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


def security(options: HttpOptions, *, port: int) -> TransportSecuritySettings:
    """List the allowed Host and Origin headers, so that no web site can get in through a browser.

    By default the SDK checks neither unless the host is loopback.
    """
    names = ["127.0.0.1", "localhost", "[::1]", bracketed(options.host).lower()]
    hosts = [f"{name}:{port}" for name in names]
    if port == _PORT_OF_HTTP:
        hosts += names
    origins = [f"http://{host}" for host in hosts]
    for host in (each.lower() for each in options.allowed_hosts):
        both = [host, host.removesuffix(":*")] if host.endswith(":*") else [host]
        hosts += both
        origins += [f"{scheme}://{each}" for scheme in ("https", "http") for each in both]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


class Gate:
    """Requires the token and POST, and answers requests that shutdown cuts off."""

    def __init__(self, app: ASGIApp, token: SecretStr | None) -> None:
        """Guard `app`; None for `token` lets everyone in."""
        self._app = app
        self._token = token.get_secret_value().encode() if token else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refuse(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, watch)
        except anyio.get_cancelled_exc_class():
            # uvicorn cancels requests when the grace period is over, and logs a cancellation as a bug.
            if not started:
                await _STOPPING(scope, receive, send)

    def _refuse(self, scope: Scope) -> Response | None:
        if self._token is not None and (challenge := self._challenge(scope)):
            return PlainTextResponse(
                "This server requires a bearer token.\n",
                status_code=401,
                headers={"WWW-Authenticate": challenge},
            )
        if scope["path"] == PATH and scope["method"] != "POST":
            # There is no stream to open and no session to delete: calls share nothing.
            return PlainTextResponse("Use POST.\n", status_code=405, headers={"Allow": "POST"})
        return None

    def _challenge(self, scope: Scope) -> str:
        """Return the WWW-Authenticate challenge (RFC 6750 section 3); "" if the token is right."""
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if not given:
            return 'Bearer realm="mailmcp"'
        scheme, _, token = given[0].partition(b" ")
        right = hmac.compare_digest(token.strip(b" "), self._token or b"")
        if len(given) == 1 and scheme.lower() == b"bearer" and right:
            return ""
        return 'Bearer realm="mailmcp", error="invalid_token"'


def bracketed(host: str) -> str:
    """Write a host as in a URL, where an IPv6 address is in brackets."""
    return f"[{host}]" if ":" in host else host
