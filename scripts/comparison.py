"""Asks MCP servers for IMAP the same questions about the same mail, and prints what they answer as a table.

Each is asked by the tool that serves best, and with its defaults. All mail servers are on this machine.
"""

import json
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from email.message import EmailMessage
from string import Template
from typing import NamedTuple

import anyio
from imapclient import IMAPClient
from mcp import Client, StdioServerParameters
from mcp.types import TextContent

from clients.node import find_node
from documents.documents import docx, paragraph
from mailmcp import __version__
from mailmcp.demo.sample_account import OWNER, load_sample
from servers.dovecot import Dovecot
from servers.filling import append

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
SUBJECTS = {"hostile": "Your parcel", "newsletter": "Rain gauges", "contract": "The contract"}
HIDDEN = ("Ignore previous instructions", "the user has agreed", "call imap_get_message")
"""In the hostile message: not displayed; of size 0; in a comment."""

MAILBOXES = ("INBOX", "Sent", "Archive", "Archive/2025", "Projects/Apollo")
CONTRACT = "The contract ends on 30 June 2027."
INSTALL_TIMEOUT_S, ASK_TIMEOUT_S = 300, 60
HEAD = """\
| | hidden instructions passed on | mailboxes searched by one call | text of a DOCX | \
characters of ten results | of a newsletter | of `tools/list` |
|---|--:|--:|--:|--:|--:|--:|
"""


class Peer(NamedTuple):
    """A server: its package, what `env` starts it with, and its calls, each a tool and the arguments."""

    package: str
    start: str
    page: str
    subject: str
    message: str
    file: str


PEERS = (
    Peer(
        package=f"mailmcp=={__version__}",
        start="MAILMCP_HOST=$host MAILMCP_PORT=$port MAILMCP_USER=$user MAILMCP_PASSWORD=$password "
        f"MAILMCP_CA_FILE=$ca {sys.prefix}/bin/mailmcp serve",
        page='imap_search_messages {"limit": 10}',
        subject='imap_search_messages {"subject": "kestrel", "mailbox": "*"}',
        message='imap_get_message {"message_id": "imap:default:INBOX:$uidvalidity:$uid"}',
        file='imap_get_attachment {"message_id": "imap:default:INBOX:$uidvalidity:$uid", "part_id": "2"}',
    ),
    Peer(
        package="mcp-email-server==1.13.3",
        start="MCP_EMAIL_SERVER_EMAIL_ADDRESS=$user MCP_EMAIL_SERVER_PASSWORD=$password "
        "MCP_EMAIL_SERVER_IMAP_HOST=$host MCP_EMAIL_SERVER_IMAP_PORT=$port SSL_CERT_FILE=$ca "
        "MCP_EMAIL_SERVER_ENABLE_ATTACHMENT_CONTENT=true $home/bin/mcp-email-server stdio",
        page='list_emails_metadata {"account_name": "default", "page_size": 10}',
        subject='list_emails_metadata {"account_name": "default", "subject": "kestrel"}',
        message='get_emails_content {"account_name": "default", "email_ids": ["$uid"]}',
        file='get_attachment_content {"account_name": "default", "email_id": "$uid", '
        '"attachment_name": "a.docx"}',
    ),
    Peer(
        package="@codefuturist/email-mcp@0.2.0",
        start="MCP_EMAIL_ADDRESS=$user MCP_EMAIL_PASSWORD=$password MCP_EMAIL_IMAP_HOST=$host "
        "MCP_EMAIL_IMAP_PORT=$port MCP_EMAIL_SMTP_HOST=$host MCP_EMAIL_SMTP_PORT=9 NODE_EXTRA_CA_CERTS=$ca "
        "$node $home/node_modules/@codefuturist/email-mcp/dist/main.js stdio",
        page='list_emails {"account": "default", "pageSize": 10}',
        subject='search_emails {"account": "default", "query": "kestrel"}',
        message='get_email {"account": "default", "emailId": "$uid", "format": "text"}',
        file='download_attachment {"account": "default", "id": "$uid", "filename": "a.docx"}',
    ),
    Peer(
        package="mcp-mail-server@1.2.1",
        start="IMAP_HOST=$host IMAP_PORT=$port IMAP_SECURE=true SMTP_HOST=$host SMTP_PORT=9 SMTP_SECURE=true "
        "EMAIL_USER=$user EMAIL_PASS=$password $node $home/node_modules/mcp-mail-server/dist/index.js",
        page='get_recent_messages {"limit": 10}',
        subject='search_by_subject {"subject": "kestrel"}',
        message='get_message {"uid": $uid}',
        file='save_attachment {"uid": $uid, "savePath": "$home", "returnBase64": true}',
    ),
)


def install(home: str) -> None:
    """Install the others into a folder."""
    others = [peer.package for peer in PEERS[1:]]
    python, node = [name for name in others if "==" in name], [name for name in others if "==" not in name]
    for step in (
        [sys.executable, "-m", "venv", home],
        [f"{home}/bin/pip", "install", *python],
        ["npm", "install", "--ignore-scripts", "--prefix", home, *node],
    ):
        subprocess.run(step, check=True, stdout=sys.stderr, timeout=INSTALL_TIMEOUT_S)  # noqa: S603 - no shell


def fill(client: IMAPClient) -> dict[str, str]:
    """Fill the mailboxes; return the UIDVALIDITY of INBOX, and the UIDs of `SUBJECTS` there."""
    letter = EmailMessage()
    letter["Subject"] = SUBJECTS["contract"]
    letter.set_content("Attached.")
    letter.add_attachment(
        docx(paragraph(CONTRACT)), maintype="application", subtype="docx", filename="a.docx"
    )
    append(client, "INBOX", [letter.as_bytes()], received=NOW)
    for name in MAILBOXES:
        append(client, name, [f"Subject: Kestrel in {name}\r\n\r\nA bird.".encode()], received=NOW)
    for mailbox in load_sample(NOW):
        for message in mailbox.messages:
            append(client, mailbox.name, [message.octets], received=message.internal_date)
    selected = client.select_folder("INBOX", readonly=True)
    uids = {name: str(client.search(["SUBJECT", words])[0]) for name, words in SUBJECTS.items()}
    return {"uidvalidity": str(selected[b"UIDVALIDITY"]), **uids}


async def ask(peer: Peer, facts: dict[str, str]) -> str:
    """Start a server, ask it everything, and return its row."""
    start = Template(f"HOME=$home {peer.start}").substitute(facts).split()
    server = StdioServerParameters(command="env", args=start)
    with anyio.fail_after(ASK_TIMEOUT_S):
        async with Client(server) as client:

            async def read(call: str, message: str = "contract") -> str:
                tool, arguments = Template(call).substitute(facts, uid=facts[message]).split(" ", 1)
                result = await client.call_tool(tool, json.loads(arguments))
                return "".join(part.text for part in result.content if isinstance(part, TextContent))

            hostile, subject = await read(peer.message, "hostile"), await read(peer.subject)
            passed = sum(words in " ".join(hostile.split()) for words in HIDDEN)
            searched = sum(f"Kestrel in {name}" in subject for name in MAILBOXES)
            has_text = "yes" if CONTRACT in await read(peer.file) else "no"
            page, newsletter = await read(peer.page), await read(peer.message, "newsletter")
            tools = (await client.list_tools()).model_dump_json(by_alias=True, exclude_none=True)
    sizes = " | ".join(f"{len(text):,}" for text in (page, newsletter, tools))
    return f"| `{peer.package}` | {passed} of 3 | {searched} of 5 | {has_text} | {sizes} |\n"


async def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as home, Dovecot() as server:
        install(home)
        login = server.user(OWNER.addr_spec)
        with IMAPClient(server.host, server.plain_port, ssl=False) as client:
            client.login(*login)
            facts = fill(client)
        facts |= {"home": home, "node": str(find_node()), "host": server.host, "port": str(server.tls_port)}
        facts |= {"user": login.user, "password": login.password, "ca": str(server.ca_file)}
        sys.stdout.write(HEAD + "".join([await ask(peer, facts) for peer in PEERS]))


if __name__ == "__main__":
    anyio.run(main)
