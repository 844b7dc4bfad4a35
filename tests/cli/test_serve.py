"""`mailmcp serve` and `demo`: what settings and options do, and what is logged."""

import re
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from mcp import Client
from mcp.types import CallToolResult

from cli.conftest import ServeTo
from cli.settings_files import write_settings
from mailmcp.cli.main import cli
from mailmcp.imap.account import Account
from servers.embedded import Pymap
from servers.peer import PeerFactory
from servers.peer_actions import Bye, Close, FailUid, Respond, Rule
from servers.peer_mailbox import make_messages
from tools.letters import make_letter
from tools.stores import peer_account, pymap_store

SECRETS = ("hushsubject", "hushbody", "hushsender", "hushquery", "hushname", "hushvalue", "fake-password")
FIELDS = {"tool", "request_id", "outcome", "duration_ms", "bytes_received"}
SEARCH = "imap_search_messages"


def data_of(result: CallToolResult) -> dict[str, Any]:
    assert result.structured_content is not None
    data: dict[str, Any] = result.structured_content["data"]
    return data


def id_of(result: CallToolResult) -> str:
    assert result.structured_content is not None
    return str(result.structured_content["meta"]["request_id"])


@pytest.fixture
def account(pymap_server: Pymap) -> Account:
    letter = make_letter("hushsubject", "hushbody\n", sender="hushsender <hushsender@example.org>")
    letter.add_attachment("hushbody", filename="hushname.txt")
    pymap_server.fill("INBOX", [letter.as_bytes(), letter.as_bytes()])
    return pymap_store(pymap_server).account


def test_every_finished_call_is_one_line_without_mail_or_arguments(
    serve_to: ServeTo, account: Account, tmp_path: Path
) -> None:
    results: list[CallToolResult] = []

    async def host(client: Client) -> None:
        async def call(tool: str, **arguments: object) -> CallToolResult:
            results.append(await client.call_tool(tool, arguments))
            return results[-1]

        await call("imap_list_accounts")
        found = data_of(await call(SEARCH, query="hushbody", limit=1, snippet_max_chars=100))
        await call(SEARCH, query="hushquery hushquery")
        await call(SEARCH, hushname="hushvalue", limit="hushvalue", query="hushvalue\n")
        await call(SEARCH, cursor="hushvalue")
        await call("imap_get_message", message_id="hushvalue")
        await call(SEARCH, account_id="hushname")
        await call(SEARCH, mailbox='no "such" bäx')
        await call("imap_get_message", message_id=found["messages"][0]["message_id"], include_headers=True)

    config = str(write_settings(tmp_path, account))
    served = serve_to(host, "serve", "--config", config, MAILMCP_LOG_LEVEL="debug")
    lines = served.stderr.splitlines()
    calls = [dict(re.findall(r"(\w+)=(\S+)", each)) for each in lines if "outcome=" in each]
    assert [call["request_id"] for call in calls] == [id_of(each) for each in results]
    assert [call["outcome"].partition("/")[0] for call in calls] == (
        ["ok", "ok", "ok", "invalid_input", "invalid_input", "invalid_input", "not_found", "not_found", "ok"]
    )
    for call in calls:
        assert set(call) >= FIELDS
    assert (calls[1]["account"], calls[1]["mailbox"]) == ("work", "INBOX")
    assert int(calls[1]["imap_round_trips"]) > 0
    assert [each for each in lines if ' mailbox="no \\"such\\" b\\u00e4x" ' in each]
    assert [(secret, line) for line in lines for secret in SECRETS if secret in line] == []


MISBEHAVIOURS: list[dict[str, Any]] = [
    {"greeting": Bye()},
    {"greeting": Respond(b"\0\xff garbage\r\n" * 50)},
    {"greeting": Close("before", reset=True)},
    {"rules": [Rule(command="LOGIN", action=Respond(b'{tag} NO LOGIN "fake-user" "fake-password"\r\n'))]},
    {"rules": [Rule(command="EXAMINE", action=Respond(b"* 1 EXISTS\r\n{tag} OK Done\r\n"))]},
    {"rules": [Rule(command="UID SEARCH", action=Respond(b"* SEARCH x y z\r\n{tag} OK Done\r\n"))]},
    {"rules": [Rule(command="UID SEARCH", action=Respond(b"{tag} NO TEXT hushquery\r\n"))]},
    {"rules": [Rule(command="UID FETCH", action=FailUid(1, "garbage"))]},
    {"rules": [Rule(command="UID FETCH", action=Close("within"))]},
    {"rules": [Rule(command="UID FETCH", action=Respond(b"* 1 FETCH (UID 1 BODY[] {99999999999}\r\n"))]},
]


def test_no_server_causes_a_bug_or_puts_anything_into_the_log(
    serve_to: ServeTo, peer: PeerFactory, tmp_path: Path
) -> None:
    """One account for each misbehaviour."""
    peers = {f"peer{n}": peer(messages=make_messages(1), **each) for n, each in enumerate(MISBEHAVIOURS)}
    accounts = [replace(peer_account(each), account_id=name) for name, each in peers.items()]

    async def host(client: Client) -> None:
        for name, each in peers.items():
            message_id = f"imap:{name}:INBOX:{each.mailbox.uidvalidity}:1"
            for tool, arguments in (
                (SEARCH, {"account_id": name, "query": "hushquery"}),
                ("imap_get_message", {"message_id": message_id}),
            ):
                reply = (await client.call_tool(tool, arguments)).structured_content or {}
                assert reply["meta"]["request_id"]
                assert reply.get("error", {}).get("details", {}).get("reason") != "unexpected", name

    served = serve_to(host, "--config", str(write_settings(tmp_path, *accounts)), MAILMCP_LOG_LEVEL="debug")
    assert served.stdout == ""
    assert [secret for secret in SECRETS if secret in served.stderr] == []
    assert "Traceback" not in served.stderr


def test_variables_win_over_the_file_and_warnings_are_logged(
    serve_to: ServeTo, peer: PeerFactory, tmp_path: Path
) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    account = peer_account(peer(messages=make_messages(1)))
    config = write_settings(tmp_path, account, server='text = "markdown"')
    config.chmod(0o644)

    async def host(client: Client) -> None:
        (content,) = (await client.call_tool("imap_list_accounts", {})).content
        assert getattr(content, "text", "").startswith('{"summary":"1 account"')
        (row,) = data_of(await client.call_tool(SEARCH, {}))["messages"]
        assert "uid" not in row, "a full one has it"
        saving = {"message_id": row["message_id"], "part_id": "1", "mode": "save"}
        assert data_of(await client.call_tool("imap_get_attachment", saving))

    variables = {"MAILMCP_TEXT": "json", "MAILMCP_ROWS": "lean", "MAILMCP_SAVE_FOLDER": str(folder)}
    served = serve_to(host, "--config", str(config), **variables)
    assert " WARNING mailmcp.cli.serve " in served.stderr
    assert [path.read_text() for path in folder.iterdir()] == ["Text of message 1.\n"]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["serve", "--port", "8000"], "--host and --port need --transport http."),
        (
            ["serve", "--transport", "http", "--port", "{taken}"],
            "can't listen on 127.0.0.1:{taken}: ",
        ),
    ],
)
def test_a_wrong_option_is_named(arguments: list[str], fault: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(cli, [each.replace("{taken}", port) for each in arguments])
    assert result.exit_code in {1, 2}
    assert fault.replace("{taken}", port) in result.stderr


def test_the_demo_serves_its_sample_with_the_variables_of_the_server(serve_to: ServeTo) -> None:
    async def host(client: Client) -> None:
        (account,) = data_of(await client.call_tool("imap_list_accounts", {}))["accounts"]
        assert (account["account_id"], account["host"], account["secure"]) == ("demo", "127.0.0.1", False)
        mailboxes = data_of(await client.call_tool("imap_list_mailboxes", {}))["mailboxes"]
        assert len(mailboxes) == 12  # Projects itself holds no messages
        (row,) = data_of(await client.call_tool(SEARCH, {"query": "Apollo", "limit": 1}))["messages"]
        assert "uid" not in row
        assert not (await client.call_tool("imap_get_message", {"message_id": row["message_id"]})).is_error

    variables = {"MAILMCP_ROWS": "lean", "MAILMCP_HOST": "imap.example.com", "MAILMCP_LOGLEVEL": "info"}
    served = serve_to(host, "demo", **variables)
    assert "serves demo from the sample mailbox" in served.stderr
    assert "did you mean MAILMCP_LOG_LEVEL?" in served.stderr
