"""A server on a small embedded mailbox, for the tests of what stands in front of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from mcp import Client

from mailmcp.demo.mailbox import SampleMailbox, SampleMessage
from mailmcp.demo.server import EmbeddedServer
from mailmcp.imap.account import Account, Tls
from mailmcp.server.app import build_server

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
    return Account(
        account_id="work",
        host=server.host,
        port=server.port,
        user=server.user,
        read_password=lambda: server.password,
        tls=Tls.NONE,
    )


@asynccontextmanager
async def connected(mode: str = "auto", **options: Any) -> AsyncIterator[Client]:
    """A client in this process; options as `build_server` takes them."""
    with EmbeddedServer(mailboxes=[INBOX]) as server:
        async with Client(build_server([account_of(server)], **options), mode=mode) as client:
            yield client
