"""The SDK's client over stdio, in both eras of the protocol, with a real mailbox."""

import os
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from cli.settings_files import write_settings
from mailmcp.imap.account import Writes
from mailmcp.tools.registry import load_tools
from servers.dovecot import Dovecot, Login
from tools.letters import make_numbered
from tools.stores import Store, dovecot_store

NAMES = [tool.name for tool in load_tools() if tool.writes is Writes.OFF]


def state_of(store: Store) -> list[Any]:
    """All flags of all messages, and what the server counts."""
    with store.client() as client:
        status = client.folder_status("INBOX", ["MESSAGES", "RECENT", "UNSEEN", "UIDNEXT"])
    assert status[b"UNSEEN"] == status[b"RECENT"] == 25
    return [status, store.flags("INBOX")]


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_next_steps_lead_to_the_last_page_also_in_another_process_and_no_flag_changes(
    dovecot: Dovecot, dovecot_user: Login, tmp_path: Path, mode: str, version: str
) -> None:
    store = dovecot_store(dovecot, dovecot_user)
    store.fill("INBOX", make_numbered(*range(1, 26)))
    before = state_of(store)
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "mailmcp", "serve", "--config", str(write_settings(tmp_path, store.account))],
        env={name: value for name, value in os.environ.items() if name.startswith("COV")},
    )
    action: dict[str, Any] = {"tool": "imap_list_accounts", "arguments": {}}
    visited: list[str] = []
    rows: list[dict[str, Any]] = []

    async def follow(steps: int) -> None:
        """Follow so many next steps in a process of its own, and read all that was found by then."""
        nonlocal action
        async with Client(command, mode=mode) as client:
            assert client.session.protocol_version == version
            assert [tool.name for tool in (await client.list_tools()).tools] == NAMES
            for _ in range(steps):
                result = await client.call_tool(action["tool"], action["arguments"])
                data = (result.structured_content or {})["data"]
                visited.append(action["tool"])
                rows.extend(data.get("messages", []))
                action = data.get("next_action")
            for row in rows:
                everything = {"body_mode": "html", "include_headers": True, "attachment_mode": "extract_text"}
                arguments = {"message_id": row["message_id"], **everything}
                result = await client.call_tool("imap_get_message", arguments)
                assert (result.structured_content or {})["data"]["message"]["subject"] == row["subject"]

    anyio.run(follow, 3)
    anyio.run(follow, 2)
    assert visited == [*NAMES[:3], NAMES[2], NAMES[2]]
    assert not action
    assert [row["uid"] for row in rows] == list(range(25, 0, -1))
    assert state_of(store) == before
