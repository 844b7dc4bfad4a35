"""Whatever strangers write, all words around a change that are outside of quotes and code spans are ours."""

import re
from pathlib import Path

import pytest
from mcp_types import CallToolResult

from hostile.layout import our_words
from hostile.strangers import MARK, Stranger
from hostile.test_voice import SEEDS, check
from hostile.writes.stage import CHANGE, DRAFT, UNDO, Agent, agent_of
from mailmcp.imap.account import Writes
from mailmcp.tools.registry import TOOLS
from servers.dovecot import Dovecot, Login
from servers.embedded import Pymap
from thinning import thin
from tools.change.changing import writing
from tools.stores import Store, dovecot_store, pymap_store


@pytest.mark.parametrize("seed", thin(SEEDS, keep_every=len(SEEDS)))
def test_every_word_around_a_change_is_ours(
    dovecot: Dovecot, dovecot_user: Login, tmp_path: Path, seed: int
) -> None:
    change_everything(dovecot_store(dovecot, dovecot_user), Stranger(seed), tmp_path)


@pytest.mark.parametrize("seed", thin(SEEDS, keep_every=len(SEEDS)))
def test_so_it_is_on_a_plain_server(pymap_server: Pymap, tmp_path: Path, seed: int) -> None:
    change_everything(pymap_store(pymap_server), Stranger(seed), tmp_path)


def change_everything(store: Store, stranger: Stranger, folder: Path) -> None:
    messages, shared = list(stranger.messages()), stranger.mailbox()
    store.fill("INBOX", messages)
    store.fill(shared, messages[:3])
    other = re.sub("[*%]", "", shared)[:-1]
    called: set[str] = set()

    def call(agent: Agent, tool: str, **arguments: object) -> CallToolResult:
        called.add(tool)
        result = agent.send(tool, arguments)
        check(result)
        return result

    with agent_of(writing(store.account), journal=folder) as agent:
        for arguments in ({"action": "trash"}, {"action": "move", "mailbox": other}):
            asked = call(agent, CHANGE, **arguments, search={"mailbox": "*"})
            assert MARK in str(asked.structured_content)
            done = agent.follow((asked.structured_content or {})["error"])
            call(agent, UNDO)
            taken_back = call(agent, UNDO, entry_id=done["entry_id"])
            check(
                agent.send(UNDO, (taken_back.structured_content or {})["error"]["next_action"]["arguments"])
            )
        ids = [
            row["message_id"] for row in agent.call("imap_search_messages", mailbox="*", limit=50)["messages"]
        ]
        for message_id in ids:
            for given in ({"reply_to": message_id, "reply_all": True}, {"forward": message_id}):
                call(agent, DRAFT, **given, body="Yes.")
            call(agent, DRAFT, replaces=message_id, body="")
            call(agent, CHANGE, action="flag", message_ids=[message_id])
        store.rebuild(shared)
        for message_id in ids:
            call(agent, CHANGE, action="junk", message_ids=[message_id])
            call(agent, DRAFT, reply_to=message_id, body="")
        call(agent, UNDO)
    assert called == {tool.name for tool in TOOLS if tool.writes is not Writes.OFF}
    with agent_of(writing(store.account), journal=folder, forms=True) as agent:
        check(agent.send(CHANGE, {"action": "delete_forever", "search": {"mailbox": "*"}}))
        assert MARK in agent.forms[0]
        assert MARK not in our_words(agent.forms[0])
    account = writing(store.account, protected_mailboxes=frozenset({other, shared}), writes_per_call=1)
    with agent_of(account, journal=folder) as agent:
        for name in (other, shared):
            check(agent.send(CHANGE, {"action": "move", "mailbox": name, "search": {"mailbox": "*"}}))
            check(agent.send(CHANGE, {"action": "flag", "search": {"mailbox": name}}))
