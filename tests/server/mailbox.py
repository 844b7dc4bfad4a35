"""A server on a small embedded mailbox, or on scripted peers, for the tests of what stands in front of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from mcp import Client

from mailmcp.demo.mailbox import SampleMailbox, SampleMessage
from mailmcp.demo.server import EmbeddedServer
from mailmcp.imap.account import Account
from mailmcp.server.app import Options, build_server
from servers.logins import plain_account
from servers.peer import Peer

INBOX = SampleMailbox(
    name="INBOX",
    messages=tuple(
        SampleMessage(
            octets=f"From: Ann <ann@example.com>\r\nSubject: Letter {number}\r\n\r\nText\r\n".encode(),
            internal_date=datetime(2026, 11, number, 12, tzinfo=UTC),
        )
        for number in range(1, 4)
    ),
)


def account_of(server: EmbeddedServer) -> Account:
    return plain_account(server.host, server.port, server.user, server.password)


def account_of_peer(peer: Peer, account_id: str) -> Account:
    timeouts = {"connect_timeout_s": 30.0, "command_timeout_s": 30.0}
    return plain_account(peer.host, peer.port, peer.user, peer.password, account_id=account_id, **timeouts)


@asynccontextmanager
async def connected(mode: str = "auto", **options: Any) -> AsyncIterator[Client]:
    """A client in this process; options as `Options` has them."""
    with EmbeddedServer(mailboxes=[INBOX]) as server:
        async with Client(build_server([account_of(server)], Options(**options)), mode=mode) as client:
            yield client


@asynccontextmanager
async def connected_to(*accounts: Account, mode: str = "auto", **options: Any) -> AsyncIterator[Client]:
    """A client in this process of a server for these accounts."""
    async with Client(build_server(accounts, Options(**options)), mode=mode) as client:
        yield client
