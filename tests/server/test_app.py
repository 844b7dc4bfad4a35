"""The server as a client sees it: tools, schemas, eras, dialects, the log."""

import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client, MCPError

from mailmcp.server import app
from mailmcp.server.app import INSTRUCTIONS
from mailmcp.tools.accounts.tool import ListAccountsArguments
from mailmcp.tools.preferences import Preferences
from mailmcp.tools.registry import TOOLS
from mailmcp.tools.tool import Call
from mcp_envelope import Dialect, Outcome, check_reply
from server.mailbox import account_of_peer, connected, connected_to
from servers.logins import plain_account
from servers.peer import PeerFactory
from servers.peer_actions import Silence
from servers.peer_mailbox import make_messages

ERAS = ["legacy", "auto"]
SECRET = "Xq9-never-in-a-reply"


def call(name: str, arguments: dict[str, Any], **options: Any) -> dict[str, Any]:
    async def run() -> dict[str, Any]:
        async with connected(**options) as client:
            return (await client.call_tool(name, arguments)).structured_content or {}

    return anyio.run(run)


@pytest.mark.parametrize("name", [tool.name for tool in TOOLS])
def test_only_a_folder_to_save_files_in_makes_a_tool_more_than_read_only(name: str, tmp_path: Path) -> None:
    """The mail stays as it is also then; what a host may run without asking is another matter."""

    async def run(save_folder: Path | None) -> Any:
        async with connected(preferences=Preferences(save_folder=save_folder)) as client:
            return {tool.name: tool.annotations for tool in (await client.list_tools()).tools}[name]

    without, with_folder = anyio.run(run, None), anyio.run(run, tmp_path)
    assert without.read_only_hint is True
    assert with_folder.read_only_hint is (name != "imap_get_attachment")
    assert with_folder.destructive_hint is (False if name == "imap_get_attachment" else None)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("dialect", Dialect)
def test_every_kind_of_reply_keeps_the_rules_and_the_published_schema(dialect: Dialect, mode: str) -> None:
    async def run() -> None:
        async with connected(mode, dialect=dialect) as client:
            assert client.server_info is not None
            assert client.server_info.name == "mailmcp"
            assert client.server_info.version
            assert client.instructions == INSTRUCTIONS
            listed = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
            assert list(listed) == [tool.name for tool in TOOLS]
            for name, arguments, fails in (
                ("imap_list_accounts", {}, False),
                ("imap_list_mailboxes", {"include_counts": True}, False),
                ("imap_search_messages", {"limit": 2}, False),
                ("imap_search_messages", {"limit": -1}, True),
                ("imap_search_messages", {"mailbox": "nowhere"}, True),
                ("imap_get_message", {"message_id": "imap:work:INBOX:1:1"}, True),
                ("imap_get_message", {}, True),
            ):
                result = await client.call_tool(name, arguments)
                assert result.is_error is fails
                assert check_reply(result.structured_content, dialect) == []
                schema = listed[name]
                assert schema is not None
                jsonschema.validate(result.structured_content, schema)
            with pytest.raises(MCPError, match="imap_get_message"):
                await client.call_tool("imap_send_message", {})

    anyio.run(run)


@pytest.mark.parametrize("lean", [False, True])
def test_rows_are_full_or_lean(lean: bool) -> None:  # noqa: FBT001 - a parameter of a test
    row = call("imap_search_messages", {}, lean_rows=lean)["data"]["messages"][0]
    assert ("uid" in row, "message_uri" in row) == (not lean, not lean)
    assert row["subject"] == "Letter 3"
    assert row["message_id"].startswith("imap:work:INBOX:")


def test_text_can_be_the_envelope() -> None:
    async def run() -> None:
        async with connected(json_text=True) as client:
            result = await client.call_tool("imap_list_accounts")
            assert json.loads(getattr(result.content[0], "text", "")) == result.structured_content

    anyio.run(run)


def test_a_call_is_one_log_line_without_what_was_searched(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mailmcp")
    reply = call("imap_search_messages", {"query": "Text", "mailboxes": ["INBOX", "nowhere"]})
    call("imap_search_messages", {"mailbox": "nowhere"})
    said, failed = (vars(each) for each in caplog.records if hasattr(each, "outcome"))
    assert (said["tool"], said["account"], said["mailbox"]) == (
        "imap_search_messages",
        "work",
        "INBOX, nowhere",
    )
    assert (said["request_id"], said["outcome"]) == (reply["meta"]["request_id"], "partial")
    assert said["imap_round_trips"] > 0
    assert said["bytes_received"] > 0
    assert "Text" not in str(said)
    assert failed["outcome"] == "not_found/mailbox_missing"


def test_a_bug_is_answered_as_internal_and_logged_with_its_traceback(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model learns that something failed and the request id, and nothing else."""

    async def broken(_arguments: ListAccountsArguments, _call: Call) -> Outcome[Any]:
        raise ZeroDivisionError(SECRET)

    monkeypatch.setattr(app, "TOOLS", (replace(TOOLS[0], run=broken), *TOOLS[1:]))
    reply = call("imap_list_accounts", {})
    assert SECRET not in str(reply)
    assert (reply["error"]["code"], reply["error"]["details"]["reason"]) == ("internal", "unexpected")
    (logged,) = [record for record in caplog.records if record.exc_info]
    assert vars(logged)["request_id"] == reply["meta"]["request_id"]


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
            assert len((await client.list_tools()).tools) == len(TOOLS)
            assert (await client.list_resources()).resources == []
            for tool in TOOLS:
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
