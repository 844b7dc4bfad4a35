"""One call: errors become replies, bugs become `internal`, each call is one line of the log."""

import logging
from dataclasses import replace
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError

from mailmcp.server import app
from mailmcp.server.app import Options, build_server
from mailmcp.tools.accounts.tool import ListAccountsArguments
from mailmcp.tools.registry import TOOLS
from mailmcp.tools.tool import Call
from mcp_envelope import Outcome
from server.mailbox import connected
from servers.logins import plain_account
from servers.peer import PeerFactory
from servers.peer_actions import Silence

SECRET = "Xq9-never-in-a-reply"


def call_lines(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if hasattr(record, "outcome") and not record.exc_info]


def test_a_finished_call_is_one_log_line_with_the_request_id(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mailmcp")

    async def run() -> str:
        async with connected() as client:
            result = await client.call_tool("imap_search_messages", {"query": "Text"})
            assert result.structured_content is not None
            return str(result.structured_content["meta"]["request_id"])

    request_id = anyio.run(run)
    (line,) = call_lines(caplog)
    said = vars(line)
    assert said["tool"] == "imap_search_messages"
    assert said["account"] == "work"
    assert said["mailbox"] == "INBOX"
    assert said["request_id"] == request_id
    assert said["outcome"] == "ok"
    assert said["imap_round_trips"] > 0
    assert said["bytes_received"] > 0
    assert "Text" not in str(said)


@pytest.mark.parametrize(
    ("arguments", "logged"),
    [({"mailboxes": ["INBOX", "nowhere"]}, "INBOX, nowhere"), ({"mailbox": "*"}, "*")],
    ids=["some", "all"],
)
def test_the_line_of_a_search_says_which_mailboxes_were_asked_for(
    caplog: pytest.LogCaptureFixture, arguments: dict[str, object], logged: str
) -> None:
    caplog.set_level(logging.INFO, "mailmcp")

    async def run() -> None:
        async with connected() as client:
            await client.call_tool("imap_search_messages", arguments)

    anyio.run(run)
    assert [vars(line)["mailbox"] for line in call_lines(caplog)] == [logged]


def test_a_failed_call_says_code_and_reason(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mailmcp")

    async def run() -> None:
        async with connected() as client:
            await client.call_tool("imap_search_messages", {"mailbox": "nowhere"})

    anyio.run(run)
    assert [vars(line)["outcome"] for line in call_lines(caplog)] == ["not_found/mailbox_missing"]


def test_a_bug_is_answered_as_internal_and_logged_with_its_traceback(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model learns that something failed and the request id, and nothing else."""

    async def broken(_arguments: ListAccountsArguments, _call: Call) -> Outcome[Any]:
        raise ZeroDivisionError(SECRET)

    tools = {tool.name: tool for tool in TOOLS}
    planted = {**tools, "imap_list_accounts": replace(tools["imap_list_accounts"], run=broken)}
    monkeypatch.setattr(app, "TOOLS", tuple(planted.values()))

    async def run() -> dict[str, Any]:
        async with connected() as client:
            result = await client.call_tool("imap_list_accounts", {})
            assert result.is_error
            assert SECRET not in result.model_dump_json()
            still = await client.call_tool("imap_search_messages", {})
            assert not still.is_error
            return result.structured_content or {}

    reply = anyio.run(run)
    assert reply["error"]["code"] == "internal"
    assert reply["error"]["details"]["reason"] == "unexpected"
    (logged,) = [record for record in caplog.records if record.exc_info]
    assert vars(logged)["request_id"] == reply["meta"]["request_id"]


def test_the_deadline_of_a_call_is_the_settings(peer: PeerFactory) -> None:
    """A server that takes the connection and is silent: the reply comes when the call's time is up."""
    silent = peer(greeting=Silence())
    account = plain_account(silent.host, silent.port, "someone", SECRET)

    async def run() -> dict[str, Any]:
        async with Client(build_server([account], Options(call_timeout_s=1))) as client:
            result = await client.call_tool("imap_search_messages", {})
            return result.structured_content or {}

    reply = anyio.run(run)
    assert reply["error"]["code"] == "timeout"
    assert reply["error"]["details"]["reason"] == "greeting"
    assert reply["error"]["retryable"] is True


def test_without_an_account_the_tools_are_listed_and_every_call_says_what_to_run() -> None:
    async def run() -> None:
        async with Client(build_server([])) as client:
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
