"""A search that finds nothing on a server: what else there is, and that the next action leads there."""

import pytest

from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import make_messages
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.stores import peer_account


@pytest.mark.parametrize(
    "arguments",
    [
        {"subject": r"Quarterly \| review"},
        {"subject": "BUY OR SELL", "body": "NOT A DRILL NOW"},
        {"from": r"Example, Ann\|x"},
        {"subject": "long " * 200, "body": "words " * 150},
        {"subject": '"in quotes" here', "query": '"two words" three'},
    ],
)
def test_next_actions_are_accepted_as_they_stand(desk: Desk, arguments: dict[str, str]) -> None:
    """Until none is left; each finds as little."""
    tools: list[str] = []
    reply = desk.search(**arguments)
    while reply.data["next_action"]["tool"] == "imap_search_messages":
        assert reply.data["total"] == 0
        assert len(tools) < 5
        tools.append(reply.data["next_action"]["tool"])
        reply = desk.call("imap_search_messages", reply.data["next_action"]["arguments"])
    assert reply.data["next_action"]["tool"] == "imap_list_mailboxes"


def test_a_failed_list_only_leaves_out_the_other_mailboxes(peer: PeerFactory, open_desk: DeskFactory) -> None:
    rules = [Rule(command="LIST", action=Respond(b"{tag} NO not now\r\n"))]
    reply = open_desk(peer_account(peer(messages=make_messages(1), rules=rules))).search(subject="nowhere")
    assert reply.data["returned"] == 0
    assert "mailboxes_not_searched" not in reply.data["coverage"]
    assert reply.data["next_action"]["tool"] == "imap_list_mailboxes"
