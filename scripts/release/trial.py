"""Tries what was built as a user gets it: installed in an environment of its own, away from the sources."""

import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from scripts.release.commands import run

import mailmcp


def install(folder: Path, *arguments: str) -> Path:
    """Make a virtual environment, have pip install into it, and return the path of `mailmcp` there."""
    venv.create(folder, symlinks=True)
    python = str(folder / "bin" / "python")
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", *arguments)
    return folder / "bin" / "mailmcp"


def check_version(command: Path) -> None:
    """Run `mailmcp --version`.

    Raises:
        RuntimeError: The version isn't that of the checkout.
    """
    printed = subprocess.check_output([command, "--version"], text=True)  # noqa: S603 - what we have built
    if printed.split()[-1] != mailmcp.__version__:
        raise RuntimeError(f"mailmcp --version printed {printed!r} instead of {mailmcp.__version__}")


async def use_demo(command: Path, cwd: Path) -> None:
    """Start `mailmcp demo` over stdio, find its message with a PDF, and get the text and a picture of that.

    These need the libraries for documents and pictures, and the process of their own that reads them.

    Raises:
        RuntimeError: A call failed, or returned something else.
    """
    async with Client(StdioServerParameters(command=str(command), args=["demo"], cwd=cwd)) as client:
        found = await _data(client, "imap_search_messages", {"subject": "Ticket 7F3K3"})
        part = {"message_id": found["messages"][0]["message_id"], "part_id": "2"}
        text = await _data(client, "imap_get_attachment", part)
        picture = await _data(client, "imap_get_attachment", {**part, "mode": "image"})
    if "Eastwold" not in text["text"] or not picture["width"]:
        raise RuntimeError(f"not the text and picture of the PDF: {text}, {picture}")


async def _data(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    reply = await client.call_tool(tool, arguments)
    if reply.is_error:
        raise RuntimeError(f"{tool} failed: {reply.structured_content}")
    data: dict[str, Any] = (reply.structured_content or {})["data"]
    return data
