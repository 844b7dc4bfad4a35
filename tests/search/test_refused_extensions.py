"""An extension that is advertised and then refused is not used again, and no reply mentions it."""

from collections.abc import Sequence

import pytest

from imap.scenes import Clock
from mailmcp.imap.session import REFUSAL_AGE_S
from mcp_envelope import InternalError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox, make_messages
from tools.desk import Desk
from tools.stores import peer_account

REFUSALS = [b"{tag} BAD Unknown command\r\n", b"{tag} NO [CANNOT] Not here\r\n"]
PASSING = b"{tag} NO [UNAVAILABLE] Later\r\n"
EXTENSIONS = {
    "ESEARCH": (("ESEARCH",), "UID SEARCH", "RETURN"),
    "SORT": (("SORT",), "UID SORT", ""),
    "LIST-STATUS": (("LIST-EXTENDED", "LIST-STATUS"), "LIST", "RETURN"),
    "SPECIAL-USE": (("LIST-EXTENDED", "SPECIAL-USE"), "LIST", "RETURN"),
}


def refusing(peer: PeerFactory, capabilities: Sequence[str], rule: Rule) -> Peer:
    boxes = [PeerMailbox(name="Lists", messages=make_messages(4, 5))]
    known = ("IMAP4rev1", "LITERAL+", *capabilities)
    return peer(messages=make_messages(1, 2, 3), mailboxes=boxes, capabilities=known, rules=[rule])


def read_everything(desk: Desk) -> None:
    """Use each extension, and expect what there is without it."""
    found = desk.search(dates="written", limit=100)
    assert (sorted(found.uids), found.data["status"]) == ([1, 2, 3], "ok")
    everywhere = desk.search(mailbox="*", subject="Message", limit=100)
    assert (sorted(everywhere.uids), everywhere.data["status"]) == ([1, 2, 3, 4, 5], "ok")
    listed = desk.call("imap_list_mailboxes", {"include_counts": True}).data
    assert [(each["name"], each["messages"]) for each in listed["mailboxes"]] == [("INBOX", 3), ("Lists", 2)]
    message_id = found.data["messages"][0]["message_id"]
    conversation = desk.call("imap_get_thread", {"message_id": message_id}).data
    assert (conversation["total"], conversation["status"]) == (1, "ok")


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("extension", EXTENSIONS)
def test_a_refused_extension_is_not_used_again(peer: PeerFactory, extension: str, refusal: bytes) -> None:
    capabilities, command, containing = EXTENSIONS[extension]
    server = refusing(
        peer, capabilities, Rule(command=command, containing=containing, action=Respond(refusal))
    )

    def asked() -> int:
        return sum(each.name == command and containing in each.line for each in server.commands)

    clock = Clock()
    with Desk([peer_account(server)], clock=clock) as desk:
        read_everything(desk)
        before = asked()
        assert before
        read_everything(desk)
        assert asked() == before
        clock.now += REFUSAL_AGE_S
        read_everything(desk)
        assert asked() > before


def test_a_passing_refusal_of_an_extension_is_no_verdict(peer: PeerFactory) -> None:
    rule = Rule(command="UID SEARCH", containing="RETURN", action=Respond(PASSING), nth=1)
    server = refusing(peer, ["ESEARCH"], rule)
    with Desk([peer_account(server)]) as desk:
        with pytest.raises(InternalError):
            desk.search()
        assert desk.search().uids == [3, 2, 1]
        assert sum("RETURN" in each.line for each in server.commands) > 1
