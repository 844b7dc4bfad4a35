"""The accounts of the settings, listed without a connection."""

from pathlib import Path
from typing import Any

from mailmcp.imap.account import Account, Password, Tls
from mailmcp.model.owner import Owner
from mailmcp.tools.preferences import Preferences
from servers.peer import PeerFactory
from tools.conftest import DeskFactory
from tools.stores import peer_account


def test_accounts_are_listed_in_order_without_user_and_secret(open_desk: DeskFactory) -> None:
    def unreadable() -> str:
        raise AssertionError("nobody logs in")

    login: dict[str, Any] = {"user": "secret-user", "credentials": Password(unreadable)}
    accounts = [
        Account(account_id="b", host="imap.example.org", port=993, **login),
        Account(account_id="a", host="::1", port=143, tls=Tls.NONE, ca_file=Path("secret.pem"), **login),
    ]
    desk = open_desk(*accounts)
    desk.preferences = Preferences(owners={"b": Owner(addresses=("ann_lee@example.org", "a@b.example"))})
    reply = desk.call("imap_list_accounts")
    rows = [tuple(row.values()) for row in reply.data["accounts"]]
    assert rows == [
        ("b", ["ann_lee@example.org", "a@b.example"], "imap.example.org", 993, True),
        ("a", [], "::1", 143, False),
    ]
    assert reply.outcome.summary == "2 accounts"
    assert "status" not in reply.data
    assert "secret" not in reply.text + str(reply.data)
    assert "- `b` ann_lee@example.org, a@b.example, imap.example.org:993 (TLS)" in reply.text
    assert "(plain text)" in reply.text


def test_no_connection_is_made_and_the_next_step_works(peer: PeerFactory, open_desk: DeskFactory) -> None:
    server = peer()
    desk = open_desk(peer_account(server))
    reply = desk.call("imap_list_accounts")
    assert server.connections == 0
    assert reply.outcome.summary == "1 account"
    action = reply.data["next_action"]
    assert desk.call(action["tool"], action["arguments"]).data["account_id"] == "work"
    assert server.connections == 1
