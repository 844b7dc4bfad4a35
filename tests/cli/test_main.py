"""Which command it is, and what it says of itself."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from cli.conftest import Serve
from cli.served import clean_environment
from cli.settings_files import write_settings
from mailmcp import __version__
from mailmcp.cli.main import cli
from servers.peer import PeerFactory
from tools.stores import peer_account

COMMANDS = [
    "serve",
    "setup",
    "login",
    "logout",
    "password",
    "install",
    "uninstall",
    "check",
    "demo",
]


def test_version() -> None:
    result = CliRunner().invoke(cli, ["--version"])
    assert (result.exit_code, result.output) == (0, f"mailmcp, version {__version__}\n")


def test_help_names_the_commands_and_each_has_help() -> None:
    lines = CliRunner().invoke(cli, ["-h"]).output.splitlines()
    assert [name for name in COMMANDS if any(line.startswith(f"  {name} ") for line in lines)] == COMMANDS
    for command in COMMANDS:
        result = CliRunner().invoke(cli, [command, "--help"])
        assert f"Usage: cli {command}" in result.output


def test_an_unknown_command_is_a_mistake() -> None:
    result = CliRunner().invoke(cli, ["sreve"])
    assert result.exit_code == 2
    assert "No such command 'sreve'" in result.output


def test_it_serves_when_stdin_is_a_pipe(peer: PeerFactory, serve: Serve, tmp_path: Path) -> None:
    config = write_settings(tmp_path, peer_account(peer()))
    served = serve("--log-level", "error", environment={"MAILMCP_CONFIG": str(config)})
    assert served.introduce()["result"]["serverInfo"]["name"] == "mailmcp"
    assert served.close() == 0


END_OF_INPUT = b"\x04"


def run_at_a_terminal(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run mailmcp for a person who types only Ctrl-D."""
    parent, terminal = pty.openpty()
    try:
        os.write(parent, END_OF_INPUT)
        return subprocess.run(
            [sys.executable, "-m", "mailmcp", *arguments],
            stdin=terminal,
            capture_output=True,
            text=True,
            env=clean_environment(folder),
            timeout=60,
            check=False,
        )
    finally:
        os.close(terminal)
        os.close(parent)


def test_a_person_at_a_terminal_gets_help(tmp_path: Path) -> None:
    ended = run_at_a_terminal(tmp_path)
    assert "Usage:" in ended.stdout + ended.stderr
    assert "uninstall" in ended.stdout + ended.stderr


def test_a_person_who_starts_the_server_learns_what_it_waits_for(tmp_path: Path) -> None:
    ended = run_at_a_terminal(tmp_path, "demo")
    assert ended.returncode == 0
    assert "waits for a host to speak MCP on stdin" in ended.stderr
