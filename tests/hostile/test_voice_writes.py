"""The same for the tools that change mail: in plans, replies and lists of changes all words are ours."""

import re
from dataclasses import replace
from pathlib import Path

import anyio
from mcp import Client

from hostile.strangers import MARK, Stranger
from hostile.test_voice import CALLED, call, check
from mailmcp.imap.account import Writes
from mailmcp.server.app import Options, build_server
from mailmcp.tools.preferences import Preferences
from mailmcp.tools.registry import TOOLS
from servers.dovecot import Dovecot, Login
from tools.stores import dovecot_store


def test_every_word_of_a_change_is_ours(dovecot: Dovecot, dovecot_user: Login, tmp_path: Path) -> None:
    store, stranger = dovecot_store(dovecot, dovecot_user), Stranger(0)
    messages, shared = list(stranger.messages()), stranger.mailbox()
    store.fill("INBOX", messages)
    store.fill(shared, messages[:3])
    account = replace(store.account, writes=Writes.ALL)
    options = Options(preferences=Preferences(journal_folder=tmp_path))

    async def run() -> None:
        async with Client(build_server([account], options)) as client:
            similar = re.sub("[*%]", "", shared)[:-1]
            for arguments in ({"action": "trash"}, {"action": "move", "mailbox": similar}):
                sent = {**arguments, "search": {"mailbox": "*"}}
                asked = await client.call_tool("imap_change_messages", sent)
                assert MARK in str(asked.structured_content)
                check(asked)
            page = await call(client, "imap_search_messages", mailbox=shared)
            ids = [each["message_id"] for each in page["messages"]]
            changed = await call(client, "imap_change_messages", action="mark_read", message_ids=ids[:2])
            await call(client, "imap_undo", entry_id=changed["entry_id"])
            await call(client, "imap_undo")
            await call(client, "imap_save_draft", reply_to=ids[0], reply_all=True, body="Text")
            await call(client, "imap_save_draft", forward=ids[1], to=["ann@example.org"], body="Text")

    anyio.run(run)
    assert {tool.name for tool in TOOLS if tool.writes is not Writes.OFF} <= CALLED
