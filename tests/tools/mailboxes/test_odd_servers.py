"""Listings that are odd, and mailboxes that are listed and can't be opened."""

from dataclasses import replace

import pytest

from mailmcp.tools.names import LIST_MAILBOXES
from mcp_envelope import NotFoundError
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox, make_messages
from tools.conftest import DeskFactory
from tools.stores import peer_account


def test_settings_say_which_mailbox_is_which(peer: PeerFactory, open_desk: DeskFactory) -> None:
    server = peer(mailboxes=[PeerMailbox(name="Weg damit"), PeerMailbox(name="Papierkorb")])
    account = replace(peer_account(server), special_uses={"Weg damit": "\\Trash", "Gone": "\\Sent"})
    rows = {each["name"]: each for each in open_desk(account).call(LIST_MAILBOXES).data["mailboxes"]}
    assert rows["Weg damit"]["special_use"] == "\\Trash"
    assert "special_use_guessed" not in rows["Weg damit"]
    assert not rows["Papierkorb"]["special_use"]


def test_a_name_with_blanks_may_lack_its_quotes(peer: PeerFactory, open_desk: DeskFactory) -> None:
    name = "Posta in uscita"
    server = peer(mailboxes=[PeerMailbox(name=name, quoted=False, messages=make_messages(7))])
    desk = open_desk(peer_account(server))
    assert [each["name"] for each in desk.call(LIST_MAILBOXES).data["mailboxes"]] == ["INBOX", name]
    assert desk.search(mailbox=name).uids == [7]
    assert desk.search(mailbox="*").uids == [7]


def test_a_mailbox_that_is_listed_and_not_opened_is_not_suggested_instead_of_itself(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    refused = Respond(b"{tag} NO [NONEXISTENT] Unknown mailbox\r\n")
    server = peer(
        messages=make_messages(1),
        mailboxes=[PeerMailbox(name="Posta in uscita", quoted=False)],
        rules=[Rule(command="EXAMINE", action=refused, containing="Posta")],
    )
    desk = open_desk(peer_account(server))
    with pytest.raises(NotFoundError) as caught:
        desk.search(mailbox="Posta in uscita")
    assert "Did you mean" not in caught.value.message
    reply = desk.search(mailbox="*")
    assert (reply.uids, len(reply.outcome.issues)) == ([1], 1)
