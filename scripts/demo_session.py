"""A session that a person can follow: mailmcp on its sample mailbox, driven by the SDK's own client.

Starts `mailmcp demo` over stdio as a desktop host does, and prints what a model would read. `scripts/demo`
runs it; a test does too.
"""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import click
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

COMMAND = Path(sys.executable).with_name("mailmcp")

Show = Callable[[str], None]


class Session:
    """Sends calls, and shows them with their replies."""

    def __init__(self, client: Client, show: Show) -> None:
        self.client, self.show = client, show

    async def call(
        self, tool: str, arguments: Mapping[str, Any], *, error: str | None = None
    ) -> CallToolResult:
        """Call a tool.

        Raises:
            RuntimeError: The reply is not what the session is there to show.
        """
        self.show(f"> {tool} {json.dumps(arguments, ensure_ascii=False)}\n")
        result = await self.client.call_tool(tool, dict(arguments))
        texts = [content.text for content in result.content if isinstance(content, TextContent)]
        self.show("".join(f"    {line}\n" for text in texts for line in text.splitlines()))
        found = (result.structured_content or {}).get("error", {}).get("code")
        if found != error:
            raise RuntimeError(f"expected {error or 'a success'}, got {found or 'a success'}")
        return result

    async def search(self, **arguments: Any) -> CallToolResult:
        """Search for messages."""
        return await self.call("imap_search_messages", arguments)

    async def follow(self, result: CallToolResult) -> CallToolResult:
        """Send the next action of a reply exactly as it is."""
        envelope = result.structured_content or {}
        action = envelope.get("data", envelope.get("error", {}))["next_action"]
        return await self.call(action["tool"], action["arguments"])


def first(result: CallToolResult) -> dict[str, str]:
    """Return the id of the first message of a page, as an argument."""
    return {"message_id": (result.structured_content or {})["data"]["messages"][0]["message_id"]}


async def read(session: Session) -> None:
    """Search and read."""
    show, call, search = session.show, session.call, session.search
    show("\n## When is my train? A word anywhere in any mailbox, then the text of an attached PDF\n")
    found = await search(query="7F3K3", has_attachment=True, mailbox="*", limit=1, snippet_max_chars=80)
    await call("imap_get_attachment", {**first(found), "part_id": "2"})

    show("\n## What does the parcel service want? Hidden orders to the model are removed and counted\n")
    await call("imap_get_message", first(await search(subject="Your parcel", limit=1)))

    show("\n## The conversation of a message, from all mailboxes, without quoted history\n")
    found = await search(subject="sensor drift", limit=1)
    await call("imap_get_thread", {**first(found), "max_chars": 1_500})

    show("\n## What unread mail arrived? Each message with the start of its text, then the next page\n")
    await session.follow(await search(unread_only=True, limit=3, snippet_max_chars=100))

    show("\n## A message with an attachment. Only its text is downloaded\n")
    await call("imap_get_message", first(await search(subject="firmware 2.4.2", limit=1)))

    show("\n## Which mailboxes are there, and how full are they?\n")
    await call("imap_list_accounts", {})
    await call("imap_list_mailboxes", {"account_id": "demo", "include_counts": True})

    show("\n## An invalid request. One error reports every mistake\n")
    wrong = {"mailbox": "INBOX", "limit": 500, "last_days": 7, "since": "2026-01-01", "form": "Priya"}
    await call("imap_search_messages", wrong, error="invalid_input")


async def organize(session: Session) -> None:
    """Change mail, and take that back."""
    session.show(
        "\n## Archive the newsletters. The reply is a plan: nothing is done before it is confirmed\n"
    )
    newsletters = {"mailbox": "INBOX", "kind": "newsletter"}
    await session.search(**newsletters)
    archive = {"action": "archive", "search": newsletters}
    plan = await session.call("imap_change_messages", archive, error="auth_failed")

    session.show("\n## The user says yes. What was done is what was seen afterwards, with the new ids\n")
    done = await session.follow(plan)

    session.show("\n## That was wrong: take it back. Each change is in a journal\n")
    await session.follow(done)
    await session.search(**newsletters)


async def run(show: Show, *, mode: str = "auto", command: Path = COMMAND) -> None:
    """Run the whole session with a `mailmcp`; `mode` is the SDK client's choice of protocol era."""
    started = StdioServerParameters(command=str(command), args=["demo"], env={"MAILMCP_LOG_LEVEL": "error"})
    async with Client(started, mode=mode) as client:
        session = Session(client, show)
        await read(session)
        await organize(session)


@click.command()
def main() -> None:
    """Show a session with the sample mailbox, then how to go on."""
    anyio.run(run, click.echo)
    entry = {"mcpServers": {"mail-demo": {"command": str(COMMAND), "args": ["demo"]}}}
    click.echo("\n## To use this sample mailbox in a desktop host, add this to its settings\n")
    click.echo(json.dumps(entry, indent=2))
    click.echo(f"\nFor your own mail, run {COMMAND} setup, then {COMMAND} install --list")


if __name__ == "__main__":
    main()
