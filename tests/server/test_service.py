"""The service: what is published is there, all of it works on one pool, and ends with the server."""

from typing import Any

import anyio
from mcp import Client
from mcp.types import ResourceTemplateReference

from mailmcp.model.resource_uri import MESSAGE_TEMPLATE
from server.mailbox import account_of_peer, connected_to
from servers.peer import PeerFactory
from servers.peer_mailbox import make_messages


def test_a_tool_a_resource_and_a_completion_share_a_connection_that_ends_with_the_server(
    peer: PeerFactory,
) -> None:
    home = peer(messages=make_messages(1, 2))

    async def use(client: Client) -> tuple[Any, ...]:
        found = await client.call_tool("imap_search_messages", {})
        message = found.structured_content["data"]["messages"][0] if found.structured_content else {}
        read = await client.read_resource(message["message_uri"])
        completed = await client.complete(
            ResourceTemplateReference(uri=MESSAGE_TEMPLATE), {"name": "mailbox", "value": "IN"}
        )
        return found.is_error, read.contents[0].uri == message["message_uri"], completed.completion.values

    async def run() -> tuple[Any, ...]:
        async with connected_to(account_of_peer(home, "home")) as client:
            return await use(client)

    assert anyio.run(run) == (False, True, ["INBOX"])
    assert home.connections == 1
    assert home.commands[-1].name == "LOGOUT"
    home.wait_closed(1)


def test_a_call_without_arguments_uses_the_defaults(peer: PeerFactory) -> None:
    home = peer(messages=make_messages(1))

    async def run() -> Any:
        async with connected_to(account_of_peer(home, "home")) as client:
            return await client.call_tool("imap_list_accounts")

    assert anyio.run(run).structured_content["data"]["accounts"][0]["account_id"] == "home"


def test_each_server_has_a_service_of_its_own(peer: PeerFactory) -> None:
    """Two in one process, one after the other: the second connects anew."""
    home = peer(messages=make_messages(1))

    async def run() -> None:
        async with connected_to(account_of_peer(home, "home")) as client:
            assert not (await client.call_tool("imap_search_messages", {})).is_error

    anyio.run(run)
    anyio.run(run)
    assert home.connections == 2
