"""Which command it is, and what it says of itself."""

import pytest
from click.testing import CliRunner
from mcp import Client

from cli.conftest import ServeTo
from mailmcp import __version__
from mailmcp.cli.main import cli

COMMANDS = ["serve", "setup", "login", "logout", "password", "install", "uninstall", "check", "demo"]


def test_help_names_the_commands_and_each_has_help() -> None:
    lines = CliRunner().invoke(cli, ["-h"]).output.splitlines()
    assert [name for name in COMMANDS if any(line.startswith(f"  {name} ") for line in lines)] == COMMANDS
    for command in COMMANDS:
        assert f"Usage: cli {command}" in CliRunner().invoke(cli, [command, "--help"]).output
    assert CliRunner().invoke(cli, ["--version"]).output == f"mailmcp, version {__version__}\n"
    assert "No such command 'sreve'" in CliRunner().invoke(cli, ["sreve"]).output


def test_a_person_at_a_terminal_gets_help_and_a_host_the_server(
    serve_to: ServeTo, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def host(client: Client) -> None:
        assert (await client.call_tool("imap_list_accounts", {})).is_error, "no account is set up"

    assert "waits for a host" not in serve_to(host).stderr
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _self: True, raising=False)
    assert "Usage:" in CliRunner().invoke(cli, []).output
    assert "waits for a host to speak MCP on stdin" in serve_to(host, "serve").stderr
