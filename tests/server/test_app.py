"""The server as a client sees it: what it says of itself, time, accounts."""

from typing import Any

import anyio
import pytest
from mcp import Client, MCPError

from mailmcp import __version__
from mailmcp.imap.account import Writes
from mailmcp.server.app import write_instructions
from mailmcp.tools.registry import load_tools
from server.mailbox import account_of_peer, connected_to
from servers.logins import plain_account
from servers.peer import PeerFactory
from servers.peer_actions import Silence
from servers.peer_mailbox import make_messages

READING = [tool for tool in load_tools() if tool.writes is Writes.OFF]
SECRET = "Xq9-never-in-a-reply"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_it_says_who_it_is_and_what_it_has(mode: str) -> None:
    async def run() -> None:
        async with connected_to(mode=mode) as client:
            assert client.server_info is not None
            assert (client.server_info.name, client.server_info.version) == ("mailmcp", __version__)
            assert client.instructions == write_instructions([])
            assert [tool.name for tool in (await client.list_tools()).tools] == [
                each.name for each in READING
            ]
            with pytest.raises(MCPError, match="imap_get_message"):
                await client.call_tool("imap_send_message", {})

    anyio.run(run)


def test_the_deadline_of_a_call_is_the_settings(peer: PeerFactory) -> None:
    """A server that takes the connection and is silent: the reply comes when the call's time is up."""
    silent = peer(greeting=Silence())
    account = plain_account(silent.host, silent.port, "someone", SECRET, connect_timeout_s=600.0)

    async def run() -> dict[str, Any]:
        async with connected_to(account, call_timeout_s=1) as client:
            return (await client.call_tool("imap_search_messages")).structured_content or {}

    reply = anyio.run(run)
    error = reply["error"]
    assert reply["meta"]["duration_ms"] < 50_000  # less than the default
    assert (error["code"], error["details"]["reason"], error["retryable"]) == ("timeout", "greeting", True)


def test_without_an_account_the_tools_are_listed_and_every_call_says_what_to_run() -> None:
    async def run() -> None:
        async with connected_to() as client:
            assert len((await client.list_tools()).tools) == len(READING)
            assert (await client.list_resources()).resources == []
            for tool in READING:
                result = await client.call_tool(tool.name, {"message_id": "imap:a:INBOX:1:1"})
                error = (result.structured_content or {})["error"]
                assert (error["code"], error["details"]["reason"]) == ("auth_failed", "no_account")
                assert "mailmcp setup" in error["message"]
            with pytest.raises(MCPError, match="mailmcp setup"):
                await client.read_resource("imap://a/mailbox")

    anyio.run(run)


def test_a_tool_and_a_resource_share_a_connection_that_ends_with_the_server(peer: PeerFactory) -> None:
    """Two servers in one process, one after the other: each has a connection of its own."""
    home = peer(messages=make_messages(1, 2))

    async def use(client: Client) -> None:
        found = await client.call_tool("imap_search_messages")
        message = (found.structured_content or {})["data"]["messages"][0]
        read = await client.read_resource(message["message_uri"])
        assert read.contents[0].uri == message["message_uri"]

    async def run() -> None:
        async with connected_to(account_of_peer(home, "home")) as client:
            await use(client)

    for connections in (1, 2):
        anyio.run(run)
        assert home.connections == connections
        assert home.commands[-1].name == "LOGOUT"
        home.wait_closed(connections)
