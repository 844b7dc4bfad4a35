"""Draws docs/session.svg, the picture of the README: the beginning of what `scripts/demo` shows.

.venv/bin/python -m scripts.picture
"""

import re
import textwrap
from datetime import UTC, datetime
from html import escape
from itertools import groupby
from pathlib import Path

import anyio
from mcp import Client
from scripts.demo_session import Session, read

from mailmcp.cli.demo import account_of
from mailmcp.demo.sample_account import load_sample
from mailmcp.demo.server import EmbeddedServer
from mailmcp.server.app import Options, build_server

PICTURE = Path(__file__).parents[1] / "docs" / "session.svg"
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
COLUMNS = 108
QUESTIONS = 2
LINES_OF_REPLY = 18
"""Longer replies are cut, and the picture says so."""

_LINE_HEIGHT, _CHAR_WIDTH, _MARGIN = 18, 7.83, 16
_COLOURS = {"#": "#79c0ff", ">": "#d2a8ff", " ": "#e6edf3", "…": "#8b949e"}
"""By how a line begins: questions, calls, replies, and what is left out."""


async def play() -> list[str]:
    """Play what is read in the session; return the lines of its first questions, without empty ones."""
    shown: list[str] = []
    with EmbeddedServer(mailboxes=load_sample(NOW)) as server:
        async with Client(build_server([account_of(server)], Options())) as client:
            await read(Session(client, shown.append))
    lines = [line for line in "\n".join(shown).splitlines() if line.strip()]
    starts = [number for number, line in enumerate(lines) if line.startswith("##")]
    return lines[: starts[QUESTIONS]]


def wrap(lines: list[str]) -> list[str]:
    """Wrap long lines, and cut long replies."""
    wrapped: list[str] = []
    for is_reply, group in groupby(lines, key=lambda line: line.startswith(" ")):
        parts = [part for line in group for part in textwrap.wrap(line, COLUMNS, subsequent_indent=" " * 8)]
        wrapped += parts[:LINES_OF_REPLY] if is_reply else parts
        if is_reply and len(parts) > LINES_OF_REPLY:
            wrapped.append(f"… {len(parts) - LINES_OF_REPLY} more lines")
    return wrapped


def draw(lines: list[str]) -> str:
    """Write the lines as a picture of a terminal; values that differ from run to run are replaced."""
    height = 2 * _MARGIN + _LINE_HEIGHT * len(lines)
    width = round(2 * _MARGIN + _CHAR_WIDTH * COLUMNS)
    rows = [
        f'<text x="{_MARGIN}" y="{_MARGIN + _LINE_HEIGHT * (number + 1) - 5}" fill="{_COLOURS[line[0]]}">'
        f"{escape(_settle(line))}</text>"
        for number, line in enumerate(lines)
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
    return re.sub(r"\b((?:body_)?text )[0-9a-f]{12}\b", r"\g<1>9f2c61d07be4", line)


if __name__ == "__main__":
    PICTURE.write_text(draw(wrap(anyio.run(play))), encoding="utf-8")
