"""Whatever strangers write, all words around a change that are outside of quotes and code spans are ours."""

import re
from pathlib import Path

import pytest
from mcp_types import CallToolResult

from hostile.layout import our_words
from hostile.strangers import MARK, Stranger
from hostile.test_voice import SEEDS, check
from hostile.writes.stage import CHANGE, DRAFT, UNDO, Agent, agent_of, reply_of
from mailmcp.imap.account import Writes
from mailmcp.tools.registry import load_tools
from servers.embedded import Pymap
from thinning import thin
from tools.change.changing import writing
from tools.stores import dovecot_store, pymap_store


@pytest.mark.parametrize("seed", thin(SEEDS, keep_every=len(SEEDS)))
@pytest.mark.parametrize("server", ["dovecot", "pymap_server"])
def test_every_word_around_a_change_is_ours(
    request: pytest.FixtureRequest, tmp_path: Path, server: str, seed: int
) -> None:
    opened, stranger, folder = request.getfixturevalue(server), Stranger(seed), tmp_path
    is_pymap = isinstance(opened, Pymap)
    store = pymap_store(opened) if is_pymap else dovecot_store(opened, opened.user(f"voice-{seed}"))
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
    assert called == {tool.name for tool in load_tools() if tool.writes is not Writes.OFF}
    with agent_of(writing(store.account), journal=folder, forms=True) as agent:
        check(agent.send(CHANGE, {"action": "delete_forever", "search": {"mailbox": "*"}}))
        assert MARK in agent.forms[0]
        assert MARK not in our_words(agent.forms[0])
    account = writing(store.account, protected_mailboxes=frozenset({other, shared}))
    with agent_of(account, journal=folder) as agent:
        for name in (other, shared):
            refused = agent.send(CHANGE, {"action": "move", "mailbox": name, "search": {"mailbox": "*"}})
            check(refused)
            assert MARK in reply_of(refused)["message"]
