"""Listings that are odd, and mailboxes that are listed and can't be opened."""

from dataclasses import replace

import pytest

from mailmcp.tools.names import LIST_MAILBOXES
from mcp_envelope import AuthFailedError, NotFoundError
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


def test_a_mailbox_that_is_listed_and_not_opened_is_said_so(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    refused = Respond(b"{tag} NO [NONEXISTENT] Unknown mailbox\r\n")
    server = peer(
        messages=make_messages(1),
        mailboxes=[PeerMailbox(name="Posta in uscita", quoted=False)],
        rules=[Rule(command="EXAMINE", action=refused, containing="Posta")],
    )
    desk = open_desk(peer_account(server))
    with pytest.raises(NotFoundError, match="lists `Posta in uscita`, but doesn't open it") as caught:
        desk.search(mailbox="Posta in uscita")
    assert caught.value.next_action is None or "Posta" not in str(caught.value.next_action.arguments)
    reply = desk.search(mailbox="*")
    assert reply.uids == [1]
    assert "but doesn't open it" in reply.outcome.issues[0].message


def test_an_unsafe_login_earns_advice(peer: PeerFactory, open_desk: DeskFactory) -> None:
    text = b"{tag} NO EXAMINE Unsafe Login. Please contact kefu@188.com for help\r\n"
    server = peer(messages=make_messages(1), rules=[Rule(command="EXAMINE", action=Respond(text))])
    with pytest.raises(AuthFailedError, match="authorization code, and enter it with: mailmcp password work"):
        open_desk(peer_account(server)).search(mailbox="INBOX")
