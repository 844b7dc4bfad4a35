"""Tries what was built as a user gets it: installed in an environment of its own, away from the sources."""

import subprocess
import sys
import venv
from pathlib import Path

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


async def search_demo(command: Path, cwd: Path) -> None:
    """Start `mailmcp demo` over stdio, and search its mailbox once.

    Raises:
        RuntimeError: The call failed, or found nothing.
    """
    async with Client(StdioServerParameters(command=str(command), args=["demo"], cwd=cwd)) as client:
        reply = await client.call_tool("imap_search_messages", {"limit": 1})
    if reply.is_error or not (reply.structured_content or {})["data"]["messages"]:
        raise RuntimeError(f"a search of the sample mailbox found nothing: {reply.structured_content}")
