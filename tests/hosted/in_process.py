"""mailmcp for many users in this process, and clients of it."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult
from starlette.applications import Starlette

from hosted.organisation import CLIENT_ID, CLIENT_SECRET, SCOPE, Organisation
from mailmcp.hosted.credentials import MakeCredentials, by_store
from mailmcp.hosted.issuer import Issuer
from mailmcp.hosted.resource_server import ResourceServer
from mailmcp.hosted.state import LocalState
from mailmcp.hosted.tokens import TokenChecker
from mailmcp.hosted.users import HostedUsers
from mailmcp.imap.account import Account
from mailmcp.server.app import build_server
from mailmcp.server.http import HttpOptions, make_app
from mailmcp.tools.preferences import DEFAULTS
from servers.logins import plain_account

URL = "http://127.0.0.1:8000/mcp"
NOWHERE = plain_account("127.0.0.1", 9, "{user}", "", account_id="work")
ONE_PASSWORD = by_store(lambda _user: lambda: "fake-password")


class Clock:
    """Moved by tests; seconds that never run backwards."""

    now = 10_000.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class InProcess:
    """A server that runs."""

    app: Starlette
    organisation: Organisation

    def http(self, **headers: str) -> httpx2.AsyncClient:
        """Make a client of HTTP."""
        return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=self.app), headers=headers)

    @asynccontextmanager
    async def connected(self, user: str, mode: str = "auto") -> AsyncIterator[Client]:
        """Connect the SDK's client with a token of a user."""
        async with (
            self.http(Authorization=f"Bearer {self.organisation.issue(user)}") as http,
            Client(streamable_http_client(URL, http_client=http), mode=mode) as client,
        ):
            yield client

    async def call(self, user: str, tool: str = "imap_search_messages", **arguments: Any) -> CallToolResult:
        """Call a tool as a user."""
        async with self.connected(user) as client:
            return await client.call_tool(tool, arguments)


@asynccontextmanager
async def serving(
    organisation: Organisation,
    template: Account = NOWHERE,
    credentials: MakeCredentials = ONE_PASSWORD,
    *,
    introspects: bool = False,
    clock: Callable[[], float] = time.monotonic,
    **limits: Any,
) -> AsyncIterator[InProcess]:
    """Serve everybody whose tokens an organisation signs; `limits` are those of `HostedUsers`."""
    organisation.audience = URL
    client = (CLIENT_ID, CLIENT_SECRET)
    issuer = Issuer(organisation.issuer, client=client, introspects=introspects, clock=clock)
    verifier = TokenChecker(issuer, audience=URL, user_claim="email")
    sign_in = ResourceServer(url=URL, scopes=[SCOPE], issuer=issuer, verifier=verifier)
    known: dict[str, Any] = {"users_max": 10, "clock": clock}
    with TemporaryDirectory() as folder:
        known["state"] = LocalState(folder=Path(folder))
        users = HostedUsers(template, credentials, DEFAULTS, issuer, **known | limits)
        options = HttpOptions(host="127.0.0.1", port=8000, sign_in=sign_in)
        app = make_app(build_server([template], users=users), options, port=8000)
        async with app.router.lifespan_context(app):
            yield InProcess(app, organisation)
