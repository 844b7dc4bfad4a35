"""What the tests of drafts share: whose account it is, calls, and what is stored afterwards."""

from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest

from mailmcp.imap.account import Writes
from mailmcp.model.owner import Owner
from mailmcp.tools.preferences import Preferences
from mcp_envelope import ToolError
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.letters import crlf
from tools.stores import Store

OWNER = Owner(names=("Bob Exämple",), addresses=("bob@example.org", "Bob@work.example"))


def drafts_desk(
    store: Store, open_desk: DeskFactory, *, writes: Writes = Writes.DRAFTS, folder: Path | None = None
) -> Desk:
    """Open a desk that saves drafts; the account has mailboxes for them and for what is deleted."""
    with store.client() as client:
        for name in ("Drafts", "Trash"):
            if not client.folder_exists(name):
                client.create_folder(name)
    desk: Desk = open_desk(replace(store.account, writes=writes))
    desk.preferences = Preferences(owners={"work": OWNER}, attach_folder=folder)
    return desk


def save(desk: Desk, **arguments: object) -> Reply:
    return desk.call("imap_save_draft", {"body": "", **arguments})


def refused(desk: Desk, **arguments: object) -> ToolError:
    with pytest.raises(ToolError) as caught:
        save(desk, **arguments)
    return caught.value


def receive(store: Store, desk: Desk, message: str | bytes, charset: str = "ascii") -> str:
    """Store a message in INBOX, and return its id."""
    [uid] = store.fill("INBOX", [message if isinstance(message, bytes) else crlf(message, charset)])
    ids: list[str] = [each for each in desk.message_ids() if each.endswith(f":{uid}")]
    return ids[0]


def octets_in(store: Store, mailbox: str = "Drafts") -> list[tuple[frozenset[bytes], bytes]]:
    """Read the flags and octets of the messages of a mailbox, oldest first."""
    with store.client() as client:
        client.select_folder(mailbox, readonly=True)
        rows = client.fetch(uids, ["FLAGS", "BODY.PEEK[]"]) if (uids := client.search()) else {}
    return [(frozenset(row[b"FLAGS"]) - {b"\\Recent"}, row[b"BODY[]"]) for _, row in sorted(rows.items())]


def stored(store: Store, mailbox: str = "Drafts") -> list[EmailMessage]:
    """Read the messages of a mailbox with Python's parser."""
    return [parsed(octets) for _, octets in octets_in(store, mailbox)]


def parsed(octets: bytes) -> EmailMessage:
    message = message_from_bytes(octets, policy=SMTP)
    assert isinstance(message, EmailMessage)
    return message


def text_of(message: EmailMessage) -> str:
    """Return the text, with newlines."""
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")
