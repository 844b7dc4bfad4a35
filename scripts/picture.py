"""Draws docs/session.svg, the picture of the README, from a real run of the tools on the sample mailbox.

.venv/bin/python -m scripts.picture
"""

import json
import re
import textwrap
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.types import TextContent

from mailmcp.demo.sample_account import load_sample
from mailmcp.demo.server import EmbeddedServer
from mailmcp.imap.account import Account, Password, Tls
from mailmcp.server.app import Options, build_server

PICTURE = Path(__file__).parents[1] / "docs" / "session.svg"
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
COLUMNS = 108
LINES_OF_REPLY = 18
"""Longer replies are cut, and the picture says so."""

_LINE_HEIGHT, _CHAR_WIDTH, _MARGIN = 18, 7.83, 16
_COLOURS = {"question": "#79c0ff", "call": "#d2a8ff", "reply": "#e6edf3", "cut": "#8b949e"}

CALLS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("When is my train?", "imap_search_messages", {"subject": "ticket", "mailbox": "*", "limit": 2}),
    ("What does the parcel service want?", "imap_get_message", {"subject": "Your parcel"}),
    ("Did Ann write about the budget?", "imap_search_messages", {"subject": "budget", "mailbox": "*"}),
)
"""A question, and the call that answers it. A message is named by a word of its subject, and found first."""


async def play() -> list[tuple[str, str]]:
    """Make the calls; return the lines of the picture, each with its kind."""
    lines: list[tuple[str, str]] = []
    with EmbeddedServer(mailboxes=load_sample(NOW)) as server:
        account = Account(
            account_id="demo",
            host=server.host,
            port=server.port,
            user=server.user,
            credentials=Password(lambda: server.password),
            tls=Tls.NONE,
        )
        async with Client(build_server([account], Options())) as client:
            for question, tool, given in CALLS:
                arguments = given
                if tool == "imap_get_message":
                    found = await client.call_tool("imap_search_messages", given)
                    data = (found.structured_content or {})["data"]
                    arguments = {"message_id": data["messages"][0]["message_id"]}
                reply = await client.call_tool(tool, arguments)
                text = "\n".join(each.text for each in reply.content if isinstance(each, TextContent))
                lines += [("question", question), ("call", f"> {tool} {json.dumps(arguments)}")]
                lines += _shown(text)
    return lines


def _shown(text: str) -> list[tuple[str, str]]:
    """Wrap a reply, and cut it."""
    lines = [
        part
        for line in text.splitlines()
        for part in textwrap.wrap(line, COLUMNS, subsequent_indent="    ") or [""]
    ]
    shown = [("reply", line) for line in lines[:LINES_OF_REPLY]]
    rest = len(lines) - LINES_OF_REPLY
    return [*shown, *([("cut", f"… {rest} more lines")] if rest > 0 else []), ("reply", "")]


def draw(lines: list[tuple[str, str]]) -> str:
    """Write the lines as a picture of a terminal; values that differ from run to run are replaced."""
    height = 2 * _MARGIN + _LINE_HEIGHT * len(lines)
    width = round(2 * _MARGIN + _CHAR_WIDTH * COLUMNS)
    rows = [
        f'<text x="{_MARGIN}" y="{_MARGIN + _LINE_HEIGHT * (number + 1) - 5}" fill="{_COLOURS[kind]}">'
        f"{escape(_settle(line))}</text>"
        for number, (kind, line) in enumerate(lines)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="ui-monospace, Menlo, Consolas, monospace" '
            'font-size="13" xml:space="preserve">',
            f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>',
            *rows,
            "</svg>\n",
        ]
    )


def _settle(line: str) -> str:
    """Replace what the servers draw: UIDVALIDITY, and the marker of a fence."""
    line = re.sub(r"(imap:demo:[^:]+:)\d+", r"\g<1>1762300000", line)
    return re.sub(r"(body_text )[0-9a-f]{8,}", r"\g<1>9f2c61d07be4", line)


if __name__ == "__main__":
    PICTURE.write_text(draw(anyio.run(play)), encoding="utf-8")
