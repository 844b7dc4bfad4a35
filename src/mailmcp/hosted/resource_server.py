"""mailmcp as an OAuth 2.0 resource server over HTTP (RFC 9728, RFC 6750): challenges, health, readiness.

The SDK asks for tokens, and publishes the metadata that leads clients to the authorization server.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.routes import build_resource_metadata_url
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mailmcp.hosted.issuer import Issuer, IssuerUnavailableError
from mailmcp.hosted.telemetry import refused_tokens

HEALTH_PATH: Final = "/health"
READY_PATH: Final = "/ready"

_RETRY_AFTER_S: Final = 5

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceServer:
    """What the HTTP server needs to ask each request for a token."""

    url: str
    """Of this server, as clients know it."""

    scopes: Sequence[str]
    """Each token must have all of them."""

    issuer: Issuer
    verifier: TokenVerifier

    @property
    def auth(self) -> AuthSettings:
        """What tokens must be good for; `verifier` checks the audience."""
        return AuthSettings.model_validate(  # which leaves URLs as they are: clients compare them
            {
                "issuer_url": self.issuer.url,
                "resource_server_url": self.url,
                "required_scopes": list(self.scopes),
                "validate_token_resource": False,
            }
        )

    @property
    def routes(self) -> list[Route]:
        """Health and readiness, which proxies ask for without a token."""
        return [
            Route(HEALTH_PATH, lambda _request: PlainTextResponse("ok\n")),
            Route(READY_PATH, self._ready),
        ]

    def wrap(self, app: ASGIApp) -> ASGIApp:
        """Say in each challenge what scopes are needed, and refuse what can't be checked."""
        return partial(self._answer, app)

    async def _ready(self, _request: Request) -> Response:
        """Answer 503 as long as no token could be checked."""
        try:
            await self.issuer.check()
        except IssuerUnavailableError:
            return PlainTextResponse("The authorization server can't be reached.\n", 503)
        return PlainTextResponse("ready\n")

    async def _answer(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        given = sum(name == b"authorization" for name, _ in scope["headers"])
        if given > 1:  # a proxy may have looked at the other one
            challenge = self._challenge('error="invalid_request"')
            response = PlainTextResponse("Send one token.\n", 400, {"WWW-Authenticate": challenge})
            await response(scope, receive, send)
            return

        async def complete(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                if message["status"] == 401 and not given:  # RFC 6750 section 3.1: no error without a token
                    headers["WWW-Authenticate"] = self._challenge()
                elif "WWW-Authenticate" in headers:
                    error = "invalid_token" if message["status"] == 401 else "insufficient_scope"
                    headers["WWW-Authenticate"] = self._challenge(f'error="{error}"')
                    refused_tokens.add(1, {"error.type": error})
                    if error == "insufficient_scope":  # why others are invalid was logged
                        user = scope["user"].access_token.principal.user
                        _log.info("token refused: it lacks a scope", extra={"principal": user})
            await send(message)

        try:
            await app(scope, receive, complete)
        except IssuerUnavailableError as error:
            _log.warning("token not checked: %s", error)
            unavailable = "The authorization server can't be reached. Try again later.\n"
            response = PlainTextResponse(unavailable, 503, {"Retry-After": str(_RETRY_AFTER_S)})
            await response(scope, receive, send)

    def _challenge(self, error: str = "") -> str:
        """Write a challenge as MCP asks for: with the address of the metadata, and the scopes."""
        metadata = build_resource_metadata_url(AnyHttpUrl(self.url))
        parts = [error, f'resource_metadata="{metadata}"']
        parts += [f'scope="{" ".join(self.scopes)}"'] if self.scopes else []
        return f"Bearer {', '.join(each for each in parts if each)}"
