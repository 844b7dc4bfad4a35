"""What the clients talk to: mailmcp as it is installed, and a scripted IMAP peer behind it.

The text of its replies is the envelope itself, so that what a client made of the two can be compared.
"""

import sys
from contextlib import ExitStack
from email.message import EmailMessage
from email.policy import SMTP
from functools import cache
from pathlib import Path
from typing import Any, Self

from documents.documents import zipped
from documents.pictures import image
from mcp_envelope import Dialect
from servers.http_process import HttpProcess
from servers.peer import Peer
from servers.peer_actions import FailUid, Respond, Rule, Silence
from servers.peer_mailbox import PeerMailbox, PeerMessage, make_messages

JsonObject = dict[str, Any]

UIDVALIDITY = 1700000000
BROKEN_UID = 5
"""In INBOX, among others; the server refuses to hand it out."""

RICH_UID = 12
"""In Archive: several languages, HTML, attachments."""

ALONE_UID = 21
"""The only message of Alone, and broken as well."""

ODD_UID = 31
ODD = "Entwürfe/100%"
"""A mailbox whose name must be percent-encoded in URIs, its own sign included."""

UNCOUNTED = "Shared"
"""The mailbox that cannot be counted."""

_AWKWARD = 'Grüße, 日本語, 👩🏽‍🚀, "quoted", \\back\\slash, </script>, line\u2028separator\ttab'
"""What JSON writers and readers are known to disagree about."""


@cache
def rich_message() -> bytes:
    """Write the message of Archive; once, since its boundaries are drawn by lot."""
    message = EmailMessage(policy=SMTP)
    message["From"] = "Ánn Example <ann@example.org>"
    message["To"] = "Bob Example <bob@example.org>"
    message["Subject"] = "Grüße 日本語 👋"
    message["Date"] = "Mon, 1 Jan 2024 12:00:00 +0000"
    message["Message-ID"] = "<rich@example.org>"
    message.set_content(f"{_AWKWARD}\n", cte="base64")
    message.add_alternative(f"<p>{_AWKWARD}</p><p style='display:none'>unseen</p>", subtype="html")
    message.add_attachment(f"a,b\n{_AWKWARD},1\n", subtype="csv", filename="table.csv")
    message.add_attachment(b"\x00\x01", maintype="application", subtype="octet-stream", filename="x.bin")
    message.add_attachment(image(2, 1), maintype="image", subtype="png", filename="x.png")
    message.add_attachment(zipped({"in.csv": "a,b"}), maintype="application", subtype="zip", filename="x.zip")
    return message.as_bytes()


def _main_peer() -> Peer:
    archive = [*make_messages(11), PeerMessage(uid=RICH_UID, octets=rich_message()), *make_messages(13)]
    return Peer(
        messages=make_messages(1, 2, 3, 4, BROKEN_UID, 6),
        mailboxes=[
            PeerMailbox(name="Archive", messages=archive, uidvalidity=UIDVALIDITY),
            PeerMailbox(name="Alone", messages=make_messages(ALONE_UID), uidvalidity=UIDVALIDITY),
            PeerMailbox(name=UNCOUNTED),
            PeerMailbox(name="Entw&APw-rfe/100%", messages=make_messages(ODD_UID), uidvalidity=UIDVALIDITY),
        ],
        rules=[
            Rule(command="UID FETCH", action=FailUid(BROKEN_UID)),
            Rule(command="UID FETCH", action=FailUid(ALONE_UID)),
            Rule(command="STATUS", containing=UNCOUNTED, action=Respond(b"{tag} NO Not yours\r\n")),
        ],
    )


_ACCOUNT = """
[[accounts]]
account_id = "{}"
host = "{}"
port = {}
user = "{}"
password = "{}"
tls = "none"
connect_timeout_s = 3.0
"""


class Site:
    """The peers and the settings that name them, for one `with` block."""

    def __init__(self, folder: Path) -> None:
        self._config = folder / "config.toml"
        self._processes: dict[Dialect, HttpProcess] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        work = self._stack.enter_context(_main_peer())
        silent = self._stack.enter_context(Peer(greeting=Silence()))
        accounts = (("work", work, work.password), ("locked", work, "wrong"), ("silent", silent, "x"))
        tables = [_ACCOUNT.format(name, peer.host, peer.port, peer.user, key) for name, peer, key in accounts]
        self._config.touch(mode=0o600)
        self._config.write_text("".join(tables))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def command(self, dialect: Dialect) -> list[str]:
        """Return the command that serves over stdio."""
        variables = ["MAILMCP_TEXT=json", f"MAILMCP_ENVELOPE={dialect.value}", "MAILMCP_LOG_LEVEL=warning"]
        return ["env", *variables, sys.executable, "-m", "mailmcp", "serve", "--config", str(self._config)]

    def url(self, dialect: Dialect) -> str:
        """Return the address of a dialect's server over HTTP."""
        if dialect not in self._processes:
            variables = {"MAILMCP_TEXT": "json", "MAILMCP_ENVELOPE": dialect.value}
            process = HttpProcess(None, "--config", str(self._config), variables=variables)
            self._processes[dialect] = self._stack.enter_context(process)
        return self._processes[dialect].url
