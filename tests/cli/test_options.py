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
    config = write_settings(
        tmp_path, NOWHERE, server='envelope = "xml"\nspeed = 1', extra='portt = 1\npassword_env = "X"'
    )
    result = CliRunner().invoke(cli, [command, "--config", str(config)])
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert lines[0] == "mailmcp: the settings have errors:"
    for named in ("envelope", "speed", "portt"):
        assert any(named in line for line in lines[1:]), named
    assert result.stdout == ""
    assert SECRET not in result.output


@pytest.mark.parametrize("command", ["serve", "check"])
def test_a_missing_file_is_a_mistake(command: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, [command, "--config", str(tmp_path / "none.toml")])
    assert result.exit_code == 2
    assert "none.toml" in result.stderr


def test_no_settings_at_all_are_a_mistake_that_says_what_to_do() -> None:
    result = CliRunner().invoke(cli, ["check"])
    assert result.exit_code == 2
    assert "MAILMCP_" in result.stderr


def test_broken_toml_does_not_show_its_secrets(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[[accounts]]\npassword = "{SECRET}\n')
    result = CliRunner().invoke(cli, ["serve", "--config", str(config)])
    assert result.exit_code == 2
    assert SECRET not in result.output


@pytest.mark.parametrize(
    "wrong",
    [
        ["--log-level", "loud"],
        ["--log-format", "xml"],
        ["--envelope", "xml"],
        ["--text", "html"],
        ["--rows", "long"],
    ],
)
def test_a_wrong_option_names_the_right_ones(wrong: list[str]) -> None:
    result = CliRunner().invoke(cli, ["serve", *wrong])
    assert result.exit_code == 2
    assert "is not one of" in result.stderr


def test_options_win_over_the_file(serve: Serve, tmp_path: Path) -> None:
    config = write_settings(tmp_path, NOWHERE, server='log_format = "text"\ntext = "markdown"')
    served = serve("--config", str(config), "--log-format", "json", "--text", "json")
    served.introduce()
    (content,) = served.call("imap_list_accounts")["content"]
    assert content["text"].startswith('{"summary":"1 account"')
    assert served.close() == 0
    assert all(line.startswith("{") for line in served.stderr.splitlines())


def test_rows_can_be_made_lean_by_an_option(serve: Serve, peer: PeerFactory, tmp_path: Path) -> None:
    config = write_settings(tmp_path, peer_account(peer(messages=make_messages(1))))
    for options, has_uid in (((), True), (("--rows", "lean"), False)):
        served = serve("--config", str(config), *options)
        served.introduce()
        (row,) = served.call("imap_search_messages")["structuredContent"]["data"]["messages"]
        assert ("uid" in row) is has_uid
        assert served.close() == 0


def test_warnings_of_the_settings_are_logged(serve: Serve, tmp_path: Path) -> None:
    config = write_settings(tmp_path, NOWHERE)
    config.chmod(0o644)
    served = serve("--config", str(config))
    served.introduce()
    assert served.close() == 0
    assert " WARNING mailmcp.cli.serve " in served.stderr
    assert SECRET not in served.stderr


@pytest.mark.parametrize("alone", [["--host", "127.0.0.1"], ["--port", "8000"]])
def test_an_address_goes_with_http(alone: list[str]) -> None:
    result = CliRunner().invoke(cli, ["serve", *alone])
    assert result.exit_code == 2
    assert "--host and --port need --transport http." in result.stderr
