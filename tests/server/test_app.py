"""The server as a client sees it: tools, schemas, eras, dialects."""

import json
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
from mcp_envelope.dialects import shape_of
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
            assert caught.value.error.data == {"code": shape_of(dialect).UNKNOWN_TOOL}
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
