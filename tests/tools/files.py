"""What the tests of attachments share: letters with files, and calls for them."""

from email.message import EmailMessage

import pytest

from mcp_envelope import ToolError
from servers.peer_mailbox import PeerMessage
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.stores import Store

MIB = 1_048_576
ZIP = b"\x50\x4b\x05\x06" + b"\0" * 18

PEER_ID = "imap:work:INBOX:1700000000:1"
"""Of the message of a peer."""


def attached(*files: tuple[str, bytes, str], cte: str = "base64") -> EmailMessage:
    """A letter with files: name, content, type."""
    letter = make_letter()
    for name, content, content_type in files:
        main, _, sub = content_type.partition("/")
        letter.add_attachment(content, maintype=main, subtype=sub, filename=name, cte=cte)
    return letter


def store_and_find(store: Store, desk: Desk, message: EmailMessage | bytes) -> str:
    octets = message if isinstance(message, bytes) else message.as_bytes()
    store.fill("INBOX", [octets])
    return str(desk.search(limit=1).data["messages"][0]["message_id"])


def get(desk: Desk, message_id: str, part_id: str = "2", **arguments: object) -> Reply:
    return desk.call("imap_get_attachment", {"message_id": message_id, "part_id": part_id, **arguments})


def refused(desk: Desk, message_id: str, part_id: str = "2", **arguments: object) -> ToolError:
    with pytest.raises(ToolError) as caught:
        get(desk, message_id, part_id, **arguments)
    return caught.value


def follow(desk: Desk, reply: Reply | ToolError) -> Reply:
    """Make the call that a reply or an error suggests, as it is."""
    action = reply.outcome.next_action if isinstance(reply, Reply) else reply.next_action
    assert action is not None
    return desk.call(action.tool, dict(action.arguments))


PEER_PART = b"QUJD\r\n" * 5


def peer_message(encoding: bytes = b"base64", octets: bytes = PEER_PART) -> PeerMessage:
    head = b'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'
    part = b"Content-Type: application/x-a\r\nContent-Transfer-Encoding: %b\r\n\r\n%b" % (encoding, octets)
    text = b"Content-Type: text/plain\r\n\r\nText"
    return PeerMessage(
        uid=1, octets=head + b"".join(b"--b\r\n%b\r\n" % each for each in (text, part)) + b"--b--\r\n"
    )
