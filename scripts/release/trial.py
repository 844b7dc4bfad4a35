"""Tries what was built as a user gets it: installed in an environment of its own, away from the sources."""

import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

from mcp import Client, StdioServerParameters

import mailmcp


def install(folder: Path, requirements: Sequence[str], *, options: Sequence[str] = ()) -> Path:
    """Make a virtual environment, install into it, and return its folder of commands."""
    venv.create(folder, symlinks=True)
    commands = folder / "bin"
    pip = [sys.executable, "-m", "pip", "--python", str(commands / "python"), "install", "-q", *options]
    subprocess.run([*pip, *requirements], check=True)
    return commands


async def try_installed(commands: Path, *, cwd: Path) -> None:
    """Run `mailmcp --version`, and make one call to `mailmcp demo` over stdio.

    Raises:
        RuntimeError: The version is another one, or the call failed.
    """
    command = str(commands / "mailmcp")
    done = subprocess.run([command, "--version"], cwd=cwd, check=True, capture_output=True, text=True)
    if done.stdout.split()[-1] != mailmcp.__version__:
        raise RuntimeError(f"mailmcp --version printed {done.stdout!r} instead of {mailmcp.__version__}")
    async with Client(StdioServerParameters(command=command, args=["demo"], cwd=cwd)) as client:
        reply = await client.call_tool("imap_search_messages", {"limit": 1})
    if reply.is_error or not (reply.structured_content or {})["data"]["messages"]:
        raise RuntimeError(f"a search of the sample mailbox found nothing: {reply.structured_content}")
