"""Snippets are an extra: rows do without those that cannot be fetched."""

import pytest

from servers.peer import PeerFactory
from servers.peer_actions import Close, Respond, Rule
from servers.peer_mailbox import PeerMailbox, make_messages
from tools.conftest import DeskFactory
from tools.stores import peer_account


@pytest.mark.parametrize(
    "rule",
    [
        Rule(command="UID FETCH", containing="BODY.PEEK[TEXT]", action=Close("before")),
        Rule(command="UID FETCH", containing="BODY.PEEK[TEXT]", action=Respond(b"{tag} NO not this\r\n")),
        Rule(command="EXAMINE", containing="INBOX", action=Respond(b"{tag} NO not again\r\n"), nth=3),
    ],
)
def test_rows_stay_without_snippets_that_fail(peer: PeerFactory, open_desk: DeskFactory, rule: Rule) -> None:
    """The third time INBOX is opened is for the snippets: before, it was for SEARCH and for FETCH."""
    server = peer(messages=make_messages(1), mailboxes=[PeerMailbox(name="B")], rules=[rule])
    reply = open_desk(peer_account(server)).search(mailbox="*", snippet_max_chars=50)
    assert [row["subject"] for row in reply.data["messages"]] == ["Message 1"]
    assert reply.data["messages"][0]["snippet"] == ""
    assert reply.data["status"] == "ok"
