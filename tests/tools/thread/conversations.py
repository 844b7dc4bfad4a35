"""What tests of conversations share."""

import re

from servers.peer_mailbox import PeerMessage
from tools.desk import Desk, Reply
from tools.stores import Store
from tools.talks import BEGAN


def spread(store: Store, turns: list[bytes], *mailboxes: str) -> None:
    """Put the messages of a conversation into mailboxes, turn and turn about."""
    with store.client() as client:
        for name in mailboxes:
            if name != "INBOX":
                client.create_folder(name)
    for number, name in enumerate(mailboxes):
        store.fill(name, turns[number :: len(mailboxes)], received=BEGAN)


def peer_messages(turns: list[bytes], first: int = 1) -> list[PeerMessage]:
    return [PeerMessage(uid=number, octets=octets) for number, octets in enumerate(turns, first)]


def newest_id(desk: Desk, mailbox: str = "INBOX", account_id: str = "") -> str:
    rows = desk.search(account_id=account_id, mailbox=mailbox, limit=1).data["messages"]
    return str(rows[0]["message_id"])


def thread(desk: Desk, message_id: str = "", **arguments: object) -> Reply:
    """Call the tool, for the newest message of INBOX unless another is named."""
    return desk.call("imap_get_thread", {"message_id": message_id or newest_id(desk), **arguments})


def texts(reply: Reply) -> list[str]:
    return [row["text"] for row in reply.data["messages"]]


def turns_of(reply: Reply) -> list[int]:
    """Tell which turns a reply shows."""
    return [int(re.findall(r"Turn (\d+)", text)[0]) for text in texts(reply)]
