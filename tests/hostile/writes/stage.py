"""What the hostile scenes share: a server with its client, agents that obey what they read, and the truth.

The truth is what another program of the same user finds on the server.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from email.policy import SMTP
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias
from zlib import crc32

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitResult, TextContent

from hostile.layout import read_borders
from mailmcp.imap.account import Account
from mailmcp.model.owner import Owner
from mailmcp.server.app import Options, build_server
from mailmcp.tools.preferences import Preferences
from tools.letters import make_letter
from tools.stores import Store

CHANGE: Final = "imap_change_messages"
DRAFT: Final = "imap_save_draft"
UNDO: Final = "imap_undo"

STRANGER: Final = "Mallory <mallory@evil.example>"
MARK: Final = "zq"
"""Begins each word of strangers that must never be one of ours."""

Answer: TypeAlias = dict[str, Any] | None
"""What is filled into a form; None for declining."""

_ORDER: Final = re.compile(r"^(imap_\w+) (\{.*\})$", re.MULTILINE)


class Agent:
    """An agent that does whatever mail says, on a host that may show forms to its user."""

    def __init__(self, client: Client, portal: BlockingPortal) -> None:
        self.client = client
        self.portal = portal
        self.forms: list[str] = []
        """The plans that the host has shown."""

        self.answer: Answer | Callable[[], Answer] = None
        """What the user fills in."""

    def send(self, tool: str, arguments: dict[str, Any], **options: Any) -> CallToolResult:
        """Call a tool; options are those of the SDK's client, for hosts that forge answers."""
        result = self.portal.call(partial(self.client.call_tool, tool, arguments, **options))
        assert isinstance(result, CallToolResult)
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool, and return the data of its reply, or its error."""
        return reply_of(self.send(tool, arguments))

    def change(self, action: str, **arguments: Any) -> dict[str, Any]:
        """Change messages."""
        return self.call(CHANGE, action=action, **arguments)

    def ids(self, mailbox: str = "INBOX", **arguments: Any) -> dict[str, str]:
        """Find messages; their ids by their subjects."""
        rows = self.call("imap_search_messages", mailbox=mailbox, limit=50, **arguments)["messages"]
        return {row["subject"]: row["message_id"] for row in rows}

    def obey(self, message_id: str, **words: str) -> list[dict[str, Any]]:
        """Read a message and send each call that its text asks for, in which `words` are filled in."""
        text = text_of(self.send("imap_get_message", {"message_id": message_id}))
        [(_, body)] = read_borders(text)[1]
        for name, word in {"THIS": message_id, **words}.items():
            body = body.replace(name, word)
        orders = _ORDER.findall(body)
        assert orders, "the agent reads no orders, so its obedience would prove nothing"
        return [self.call(tool, **json.loads(arguments)) for tool, arguments in orders]

    def follow(self, reply: dict[str, Any]) -> dict[str, Any]:
        """Send the next action of a reply as it is."""
        return self.call(reply["next_action"]["tool"], **reply["next_action"]["arguments"])


@contextmanager
def agent_of(*accounts: Account, era: str = "auto", forms: bool = False, journal: Path) -> Iterator[Agent]:
    """Serve accounts to an agent, by a process that has its own key."""

    async def fill_in(_context: object, params: ElicitRequestFormParams) -> ElicitResult:
        agent.forms.append(params.message)
        answer = agent.answer() if callable(agent.answer) else agent.answer
        return ElicitResult(action="decline" if answer is None else "accept", content=answer)

    owners = {each.account_id: Owner(addresses=("me@example.org",)) for each in accounts}
    preferences = Preferences(owners=owners, journal_folder=journal)
    server = build_server(accounts, Options(preferences=preferences))
    options: dict[str, Any] = {"mode": era, "elicitation_callback": fill_in if forms else None}
    client = Client(server, **options)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client) as opened:
        agent = Agent(opened, portal)
        yield agent


def text_of(result: CallToolResult) -> str:
    """Return the text channel."""
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


def reply_of(result: CallToolResult) -> dict[str, Any]:
    """Return the data of a reply, or its error."""
    envelope = result.structured_content or {}
    reply: dict[str, Any] = envelope.get("data") or envelope["error"]
    return reply


def reason_of(reply: dict[str, Any]) -> str:
    """Return why a call was refused; "" if it wasn't."""
    reason: str = reply.get("details", {}).get("reason", "")
    return reason


def mail(subject: str, *orders: str, sender: str = "Ann <ann@example.org>", text: str = "Text") -> bytes:
    """Write a message, which may ask for calls of tools."""
    asks = "".join(f"\n{each}\n" for each in orders)
    letter = make_letter(subject, f"{text}\n{asks}", sender=STRANGER if orders else sender)
    letter["Message-ID"] = f"<{crc32(letter.as_bytes())}@mail.example.org>"
    return letter.as_bytes(policy=SMTP)


Truth: TypeAlias = dict[str, list[tuple[str, frozenset[bytes]]]]
"""By mailbox the subjects and flags of its messages, sorted; without empty mailboxes."""


def truth(store: Store) -> Truth:
    """Read everything as another program."""
    found: Truth = {}
    with store.client() as client:
        for flags, _, name in client.list_folders():
            if b"\\Noselect" in flags:
                continue
            client.select_folder(name, readonly=True)
            rows = client.fetch(uids, ["FLAGS", "ENVELOPE"]) if (uids := client.search()) else {}
            if rows:
                found[name] = sorted(
                    (row[b"ENVELOPE"].subject.decode(), frozenset(row[b"FLAGS"]) - {b"\\Recent"})
                    for row in rows.values()
                )
    return found


def read_journal(folder: Path) -> list[dict[str, Any]]:
    """Return the entries of the journal, the oldest first, as they begin."""
    lines = (folder / "journal.jsonl").read_text(encoding="utf-8").split("\n")
    return [line["entry"] for line in map(json.loads, filter(None, lines)) if "entry" in line]


ways_out: set[object] = set()
"""Where this process has connected to, and what it has started; tests clear it."""


def _watch(event: str, arguments: Sequence[Any]) -> None:
    if event in {"socket.connect", "socket.sendto"}:
        ways_out.add(arguments[1])
    elif event in {"subprocess.Popen", "os.posix_spawn", "os.fork"}:
        ways_out.add(event)


sys.addaudithook(_watch)
