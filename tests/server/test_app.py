"""The server as a client sees it: tools, schemas, eras, dialects."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import anyio
import jsonschema
import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import RequestParamsMeta

from mailmcp.server.app import INSTRUCTIONS
from mailmcp.tools.preferences import Preferences
from mailmcp.tools.registry import TOOLS
from mcp_envelope import Dialect, check_reply
from mcp_envelope.dialects.registry import shape_of
from server.mailbox import connected

ERAS = ["legacy", "auto"]
ROWS = ["full", "lean"]


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
            listed = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
            assert list(listed) == [tool.name for tool in TOOLS]
            for name, arguments, fails in (
                ("imap_list_accounts", {}, False),
                ("imap_list_mailboxes", {"include_counts": True}, False),
                ("imap_search_messages", {"limit": 2}, False),
                ("imap_search_messages", {"limit": 0}, True),
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

    anyio.run(run)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("dialect", Dialect)
def test_an_unknown_tool_is_a_protocol_error(dialect: Dialect, mode: str) -> None:
    """The specification asks for -32602; our code is in its data."""

    async def run() -> None:
        async with connected(mode, dialect=dialect) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool("imap_send_message", {})
            assert caught.value.error.code == -32602
            assert caught.value.error.data == {"code": shape_of(dialect).unknown_tool_code}
            assert "imap_get_message" in caught.value.error.message

    anyio.run(run)


@pytest.mark.parametrize("rows", ROWS)
def test_rows_are_full_or_lean(rows: str) -> None:
    async def run() -> None:
        async with connected(lean_rows=rows == "lean") as client:
            result = await client.call_tool("imap_search_messages", {})
            assert result.structured_content is not None
            row = result.structured_content["data"]["messages"][0]
            assert ("uid" in row) is (rows == "full")
            assert ("message_uri" in row) is (rows == "full")
            assert row["subject"] == "Letter 3"
            assert row["message_id"].startswith("imap:work:INBOX:")

    anyio.run(run)


def test_text_can_be_the_envelope() -> None:
    async def run() -> None:
        async with connected(json_text=True) as client:
            result = await client.call_tool("imap_list_accounts", {})
            assert json.loads(getattr(result.content[0], "text", "")) == result.structured_content

    anyio.run(run)


def test_a_trace_is_answered() -> None:
    async def run() -> None:
        async with connected() as client:
            meta = cast("RequestParamsMeta", {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"})
            result = await client.call_tool("imap_list_accounts", {}, meta=meta)
            assert result.structured_content is not None
            assert result.structured_content["meta"]["trace_id"] == "a" * 32

    anyio.run(run)


@pytest.mark.parametrize("mode", ERAS)
def test_the_server_introduces_itself(mode: str) -> None:
    async def run() -> None:
        async with connected(mode) as client:
            assert client.server_info is not None
            assert client.server_info.name == "mailmcp"
            assert client.server_info.version
            assert client.instructions == INSTRUCTIONS

    anyio.run(run)


NEEDED_BY_CALLS = {
    "imapclient",
    "mailmcp.imap.pool",
    "mailmcp.mail.html",
    "mailmcp.server.service",
    "mailmcp.tools.registry",
}

LIST_TOOLS = f"""
import sys
import anyio
import mailmcp.cli.main, mailmcp.cli.serve
from mailmcp import limits
from mailmcp.imap.account import Account, Password
from mailmcp.server.app import build_server
from mcp import Client

async def run():
    account = Account(account_id="home", host="127.0.0.1", port=1, user="", credentials=Password(str))
    async with Client(build_server([account])) as client:
        listed = (await client.list_tools()).tools
        print(len(listed), sorted({NEEDED_BY_CALLS!r} & set(sys.modules)))

limits.LOAD_DELAY_S = 60.0
anyio.run(run)
"""


def test_a_host_that_lists_the_tools_waits_for_nothing_that_only_calls_need() -> None:
    done = subprocess.run([sys.executable, "-c", LIST_TOOLS], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{len(TOOLS)} []"


NEEDED_BY_FEW_SEARCHES = {"mailmcp.mail.html.convert", "mailmcp.mail.read", "mailmcp.tools.registry"}

LOAD_SERVICE = f"""
import sys
import mailmcp.server.service
print(sorted({NEEDED_BY_FEW_SEARCHES!r} & set(sys.modules)))
"""


def test_a_first_search_waits_for_nothing_that_only_other_calls_need() -> None:
    done = subprocess.run([sys.executable, "-c", LOAD_SERVICE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("missing", ["mailmcp.server.service", "mailmcp.tools.registry"])
@pytest.mark.parametrize("mode", ERAS)
def test_a_loading_failure_is_an_internal_error(
    mode: str, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lists are whole: they need nothing that can be missing."""

    async def run() -> None:
        async with connected(mode) as client:
            assert len((await client.list_tools()).tools) == len(TOOLS)
            for ask in (
                lambda: client.call_tool("imap_list_accounts", {}),
                lambda: client.read_resource("imap://home/mailbox"),
            ):
                with pytest.raises(MCPError) as caught:
                    await ask()
                assert caught.value.error.code == -32603
                assert caught.value.error.data == {
                    "code": "internal",
                    "reason": "unexpected",
                    "retryable": False,
                }
            assert (await client.list_resources()).resources

    monkeypatch.setitem(sys.modules, missing, None)  # Python finds no such module
    anyio.run(run)
