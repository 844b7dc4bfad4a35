"""A session that a person can follow: mailmcp on its sample mailbox, driven by the SDK's own client.

Starts the embedded IMAP server, launches `mailmcp` over stdio as a desktop host does, and
prints what a model would read. `scripts/demo` runs it; a test does too.
"""

import json
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import click
from imapclient import IMAPClient
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from mailmcp.demo.sample_account import load_sample
from mailmcp.demo.server import EmbeddedServer

COMMAND = Path(sys.executable).with_name("mailmcp")
REBUILT = "Projects/Apollo"

Show = Callable[[str], None]


class Guide:
    """Makes the calls of the session and shows each with its reply."""

    def __init__(self, client: Client, show: Show) -> None:
        self._client = client
        self._show = show

    def say(self, text: str) -> None:
        """Print what comes next."""
        self._show(f"\n## {text}\n")

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> CallToolResult:
        """Call a tool and show call and reply."""
        shown = json.dumps(arguments or {}, ensure_ascii=False)
        self._show(f"> {tool} {shown}\n")
        result = await self._client.call_tool(tool, dict(arguments or {}))
        for content in result.content:
            if isinstance(content, TextContent):
                self._show("".join(f"    {line}\n" for line in content.text.splitlines()).rstrip() + "\n")
        return result

    async def follow(self, result: CallToolResult) -> CallToolResult:
        """Send the next action of a reply exactly as it is."""
        envelope = result.structured_content or {}
        action = envelope.get("data", envelope.get("error", {}))["next_action"]
        return await self.call(action["tool"], action["arguments"])


async def walk(client: Client, show: Show, rebuild: Callable[[], None]) -> None:
    """Walk through what the server does; `rebuild` deletes the mailbox `REBUILT` and creates it again.

    Raises:
        RuntimeError: A reply is not what the session is there to show.
    """
    guide = Guide(client, show)
    guide.say("Which accounts are there?")
    _expect(await guide.call("imap_list_accounts"))

    guide.say("Which mailboxes, and how full are they?")
    _expect(await guide.call("imap_list_mailboxes", {"account_id": "default", "include_counts": True}))

    guide.say("What unread mail arrived recently? Three messages at a time, each with the start of its text")
    search = {"unread_only": True, "limit": 3, "snippet_max_chars": 100}
    first = _expect(await guide.call("imap_search_messages", search))

    guide.say("The next page. A cursor alone is enough")
    _expect(await guide.follow(first))

    guide.say("A message with an attachment. Only its text is downloaded")
    found = _expect(await guide.call("imap_search_messages", {"subject": "firmware 2.4.2", "limit": 1}))
    _expect(await guide.call("imap_get_message", {"message_id": _first_id(found)}))

    await _walk_further(guide)

    guide.say("An invalid request. One error reports every mistake")
    wrong = {"mailbox": "INBOX", "limit": 500, "last_days": 7, "start_date": "2026-01-01", "form": "Priya"}
    _expect(await guide.call("imap_search_messages", wrong), error="invalid_input")

    guide.say("An id of a mailbox that was rebuilt since: a conflict, not the wrong message")
    apollo = _expect(await guide.call("imap_search_messages", {"mailbox": REBUILT, "limit": 1}))
    rebuild()
    show(
        f"(meanwhile another program archives the messages of {REBUILT!r}, deletes it and creates it again)\n"
    )
    stale = _expect(await guide.call("imap_get_message", {"message_id": _first_id(apollo)}), error="conflict")

    guide.say("The reply says what to do next. Its next action is sent unchanged")
    _expect(await guide.follow(stale))


async def _walk_further(guide: Guide) -> None:
    """Search across mailboxes and read an attachment."""
    guide.say("The conversation of a message, from all mailboxes, without quoted history")
    found = _expect(await guide.call("imap_search_messages", {"subject": "sensor drift", "limit": 1}))
    _expect(await guide.call("imap_get_thread", {"message_id": _first_id(found), "max_chars": 1_500}))

    guide.say("A word anywhere in any mailbox, and where it was found. Then the text of an attached PDF")
    everywhere = {
        "query": "7F3K3",
        "has_attachment": True,
        "mailbox": "*",
        "limit": 1,
        "snippet_max_chars": 80,
    }
    found = _expect(await guide.call("imap_search_messages", everywhere))
    part = {"message_id": _first_id(found), "part_id": "2"}
    _expect(await guide.call("imap_get_attachment", part))


def _first_id(result: CallToolResult) -> str:
    return str((result.structured_content or {})["data"]["messages"][0]["message_id"])


def _expect(result: CallToolResult, *, error: str | None = None) -> CallToolResult:
    found = (result.structured_content or {}).get("error", {}).get("code")
    if found != error:
        raise RuntimeError(f"expected {error or 'a success'}, got {found or 'a success'}")
    return result


def rebuild_mailbox(server: EmbeddedServer) -> None:
    """Archive the messages of the mailbox `REBUILT`, delete it and create it again, as mail programs can."""
    with IMAPClient(server.host, server.port, ssl=False) as other:
        other.login(server.user, server.password)
        other.select_folder(REBUILT)
        other.copy("1:*", "Archive")
        other.select_folder("INBOX")
        other.delete_folder(REBUILT)
        other.create_folder(REBUILT)


def server_parameters(server: EmbeddedServer) -> StdioServerParameters:
    """Return how a host launches mailmcp for the account of `server`, by environment variables."""
    return StdioServerParameters(
        command=str(COMMAND),
        args=["serve", "--log-level", "error"],
        env={
            "MAILMCP_HOST": server.host,
            "MAILMCP_PORT": str(server.port),
            "MAILMCP_USER": server.user,
            "MAILMCP_PASSWORD": server.password,
            "MAILMCP_TLS": "none",
        },
    )


def host_snippets() -> str:
    """Write the entries for a desktop host's config, with this checkout's paths."""
    demo = {"command": str(COMMAND), "args": ["demo"]}
    own = {
        "command": str(COMMAND),
        "args": ["serve"],
        "env": {
            "MAILMCP_HOST": "imap.example.com",
            "MAILMCP_USER": "you@example.com",
            "MAILMCP_PASSWORD": "an app password",
        },
    }
    return json.dumps({"mcpServers": {"mail-demo": demo, "mail": own}}, indent=2)


async def run(show: Show, *, mode: str = "auto") -> None:
    """Run the whole session; `mode` is the SDK client's choice of protocol era."""
    with EmbeddedServer(mailboxes=load_sample(datetime.now(UTC))) as server:
        async with Client(server_parameters(server), mode=mode) as client:
            await walk(client, show, lambda: rebuild_mailbox(server))


@click.command()
def main() -> None:
    """Show a session with the sample mailbox, then how to put mailmcp into a desktop host."""
    anyio.run(run, click.echo)
    click.echo("\n## Add this to your desktop host's config, such as claude_desktop_config.json\n")
    click.echo("mail-demo serves this sample mailbox. mail serves your own account:\n")
    click.echo(host_snippets())
    click.echo(f"\nmailmcp can do both for you: run {COMMAND} setup, then {COMMAND} install --list")


if __name__ == "__main__":
    main()
