"""What the clients talk to: mailmcp as it is installed, and a scripted IMAP peer behind it.

Between a client and its server stands `tee`, which writes down what the server said, so
that what the client made of it can be held against that.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from email.message import EmailMessage
from email.policy import SMTP
from functools import cache
from pathlib import Path
from typing import Any, Self

from clients.serving import serving
from documents.documents import zipped
from documents.pictures import image
from mcp_envelope import Dialect
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

_TEE = 'record=$1; shift; "$@" | tee -a "$record"'


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


_SETTINGS = """
[[accounts]]
account_id = "work"
{work}
password = "{password}"

[[accounts]]
account_id = "locked"
{work}
password = "wrong"

[[accounts]]
account_id = "silent"
{silent}
password = "{password}"
connect_timeout_s = 3.0
"""


class Site:
    """The peers and the settings that name them, for one `with` block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._config = folder / "config.toml"
        self._urls: dict[Dialect, str] = {}

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            work = stack.enter_context(_main_peer())
            silent = stack.enter_context(Peer(greeting=Silence()))
            self._write_settings(work, silent)
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    def serve(self, dialect: Dialect, *options: str) -> list[str]:
        """Give the command that serves; over stdio unless options say otherwise."""
        command = [sys.executable, "-m", "mailmcp", "serve", "--config", str(self._config)]
        return ["env", f"MAILMCP_ENVELOPE={dialect.value}", *command, *options]

    def url(self, dialect: Dialect) -> str:
        """Return the address of a dialect's server over HTTP, whose text is the envelope as well."""
        if dialect not in self._urls:
            options = ["--transport", "http", "--port", "0"]
            self._urls[dialect] = self._cleanup.enter_context(
                serving(["env", "MAILMCP_TEXT=json", *self.serve(dialect, *options)])
            )
        return self._urls[dialect]

    def recorded(self, dialect: Dialect, name: str) -> tuple[list[str], Path]:
        """Return a command that serves over stdio, and the file in which it writes down what it said."""
        record = self._folder / f"{name}.jsonl"
        return ["sh", "-c", _TEE, "sh", str(record), *self.serve(dialect)], record

    def results(self, record: Path) -> list[JsonObject]:
        """Read what tools/call was answered with, in order."""
        answers = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
        return [each["result"] for each in answers if "content" in each.get("result", {})]

    def _write_settings(self, work: Peer, silent: Peer) -> None:
        tables = {name: "\n".join(_table(peer)) for name, peer in (("work", work), ("silent", silent))}
        self._config.touch(mode=0o600)
        self._config.write_text(_SETTINGS.format(password=work.password, **tables))


def _table(peer: Peer) -> Iterator[str]:
    yield f'host = "{peer.host}"'
    yield f"port = {peer.port}"
    yield f'user = "{peer.user}"'
    yield 'tls = "none"'
