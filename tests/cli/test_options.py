"""Options on the command line, and what is said of settings that are wrong."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.conftest import Serve
from cli.settings_files import write_settings
from mailmcp.cli.main import cli
from servers.logins import plain_account
from servers.peer import PeerFactory
from servers.peer_mailbox import make_messages
from tools.stores import peer_account

SECRET = "hunter2-in-the-settings"
NOWHERE = plain_account("127.0.0.1", 1, "fake-user", SECRET)


@pytest.mark.parametrize("command", ["serve", "check"])
def test_wrong_settings_exit_with_2_and_name_every_mistake(command: str, tmp_path: Path) -> None:
    config = write_settings(tmp_path, NOWHERE, server='envelope = "xml"\nspeed = 1', extra="portt = 1")
    result = CliRunner().invoke(cli, [command, "--config", str(config)])
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert lines[0] == "mailmcp: the settings have errors:"
    assert [named for named in ("envelope", "speed", "portt") if named not in "\n".join(lines[1:])] == []
    assert result.stdout == ""
    assert SECRET not in result.output
    missing = CliRunner().invoke(cli, [command, "--config", str(tmp_path / "none.toml")])
    assert missing.exit_code == 2
    assert "none.toml: can't be read" in missing.stderr


@pytest.mark.parametrize("option", ["--log-level", "--log-format", "--envelope", "--text", "--rows"])
def test_a_wrong_option_names_the_right_values(option: str, tmp_path: Path) -> None:
    config = write_settings(tmp_path, NOWHERE)
    result = CliRunner().invoke(cli, ["serve", "--config", str(config), option, "wrong"])
    assert result.exit_code == 2
    assert f'{option}: must be one of "' in result.stderr
    assert f"{option} NAME" in CliRunner().invoke(cli, ["serve", "--help"]).output


def test_options_win_over_the_file_and_warnings_are_logged(
    serve: Serve, peer: PeerFactory, tmp_path: Path
) -> None:
    account = peer_account(peer(messages=make_messages(1)))
    config = write_settings(tmp_path, account, server='text = "markdown"')
    config.chmod(0o644)
    served = serve("--config", str(config), "--text", "json", "--rows", "lean")
    served.introduce()
    (content,) = served.call("imap_list_accounts")["content"]
    assert content["text"].startswith('{"summary":"1 account"')
    (row,) = served.call("imap_search_messages")["structuredContent"]["data"]["messages"]
    assert "uid" not in row
    assert served.close() == 0
    assert " WARNING mailmcp.cli.serve " in served.stderr


@pytest.mark.parametrize("alone", [["--host", "127.0.0.1"], ["--port", "8000"]])
def test_an_address_goes_with_http(alone: list[str]) -> None:
    result = CliRunner().invoke(cli, ["serve", *alone])
    assert result.exit_code == 2
    assert "--host and --port need --transport http." in result.stderr
