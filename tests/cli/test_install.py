"""`mailmcp install` and `mailmcp uninstall`, in the home of somebody."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.settings_files import write_settings
from mailmcp.cli.main import cli
from mailmcp.hosts.machine import Machine, expected_files
from mailmcp.hosts.table import HOSTS, Host
from servers.peer import PeerFactory
from tools.stores import peer_account


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    for variable in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "MAILMCP_CONFIG"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("sys.platform", "linux")
    return home


def run(*arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=answer)


def file_of(host: Host, home: Path) -> Path:
    path = expected_files(host, Machine(system="linux", home=home, environ={}))[0]
    path.parent.mkdir(parents=True, exist_ok=True)
    (home / ".claude").mkdir(exist_ok=True)
    return path


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.host_id)
def test_a_host_gets_the_entry_and_loses_it(host: Host, home: Path) -> None:
    path = file_of(host, home)
    printed = run("install", host.host_id, "--print")
    assert not path.exists()
    installed = run("install", host.host_id, "--yes")
    assert installed.exit_code == 0
    assert f"Wrote {path}\nRestart {host.name}" in installed.stdout
    assert path.read_text() == printed.stdout
    again = run("install", host.host_id)
    assert (again.exit_code, again.stdout) == (0, f"{host.name} has this entry already: {path}\n")
    assert f"{host.host_id:<15} installed  {path}\n" in run("install", "--list").stdout
    removed = run("uninstall", host.host_id, "--yes")
    assert removed.exit_code == 0
    assert not path.exists()
    assert f"{host.host_id:<15} found      {path}\n" in run("install", "--list").stdout
    assert run("uninstall", host.host_id).stdout == f"{host.name} has no entry mailmcp: {path}\n"


@pytest.mark.parametrize(("answer", "is_done"), [("y\n", True), ("n\n", False), ("\n", False), ("", False)])
def test_it_shows_the_difference_and_asks(answer: str, home: Path, *, is_done: bool) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{\n  "mcpServers": {}\n}\n')
    result = run("install", "cursor", answer=answer)
    assert '+    "mailmcp": {' in result.stdout
    assert "Change the settings of Cursor?" in result.stdout
    assert ("mailmcp" in path.read_text()) == is_done
    assert result.exit_code == (0 if is_done else 1)
    assert (home / ".cursor" / "mcp.json.before-mailmcp").exists() == is_done


def test_every_edition_gets_it_after_one_question(home: Path) -> None:
    paths = [home / ".lmstudio" / "mcp.json", home / ".cache" / "lm-studio" / "mcp.json"]
    for path in paths:
        path.parent.mkdir(parents=True)
    result = run("install", "lm-studio", answer="y\n")
    assert result.stdout.count("?") == 1
    assert all(path.exists() for path in paths)


def test_one_broken_edition_leaves_both_alone(home: Path) -> None:
    paths = [home / ".lmstudio" / "mcp.json", home / ".cache" / "lm-studio" / "mcp.json"]
    for path in paths:
        path.parent.mkdir(parents=True)
    paths[1].write_text("{")
    result = run("install", "lm-studio", "--yes")
    assert result.exit_code == 1
    assert f"{paths[1]}: line 1, column 2: expected a string in double quotes" in result.stderr
    assert not paths[0].exists()
    assert f"lm-studio       error      {paths[1]}: line 1" in run("install", "--list").stdout
    assert run("uninstall", "lm-studio").exit_code == 1


def test_a_read_only_file_is_said_to_be_one(home: Path) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text("{}")
    path.chmod(0o444)
    result = run("install", "cursor", "--yes")
    assert (result.exit_code, result.stderr) == (1, f"mailmcp: {path}: is read-only. Nothing was changed\n")


def test_the_settings_file_may_be_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".cursor").mkdir()
    monkeypatch.setenv("MAILMCP_CONFIG", "~/mail.toml")
    printed = json.loads(run("install", "cursor", "--print", "--name", "work").stdout)
    assert printed["mcpServers"]["work"]["args"][-3:] == ["serve", "--config", str(home / "mail.toml")]
    result = run("install", "cursor", "--config", str(home / "other.toml"), "--yes")
    assert f"mailmcp has no settings yet: {home / 'other.toml'} is missing" in result.stderr
    entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["mailmcp"]
    assert entry["args"][-1] == str(home / "other.toml")


def test_what_a_host_starts_answers(home: Path, peer: PeerFactory, tmp_path: Path) -> None:
    """With the few variables that hosts pass on."""
    (home / ".cursor").mkdir()
    config = write_settings(tmp_path, peer_account(peer()))
    run("install", "cursor", "--config", str(config), "--yes")
    entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["mailmcp"]
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    ended = subprocess.run(
        [entry["command"], *entry["args"]],
        input=json.dumps(message) + "\n",
        capture_output=True,
        text=True,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        cwd="/",
        timeout=60,
        check=True,
    )
    assert json.loads(ended.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "mailmcp"


@pytest.mark.parametrize(
    ("arguments", "status", "fault"),
    [
        (["install"], 2, "Name the host. The hosts are: claude-desktop, "),
        (["install", "emacs"], 2, "there is no such host. The hosts are: claude-desktop, "),
        (["uninstall"], 2, "Missing argument 'HOST'"),
        (["install", "cursor", "--name", "my mail"], 2, "use up to 64 letters, digits, _ and -"),
        (["install", "cursor"], 1, "Cursor was not found: there is no "),
        (["uninstall", "lm-studio"], 1, ".lmstudio or "),
    ],
)
def test_a_mistake_is_said(arguments: list[str], status: int, fault: str, home: Path) -> None:
    result = run(*arguments)
    assert (result.exit_code, fault in result.stderr) == (status, True)
    assert list(home.iterdir()) == []


def test_on_an_empty_machine_no_host_is_found(home: Path) -> None:
    assert list(home.iterdir()) == []
    assert run("install", "--list").stdout.count("not found\n") == len(HOSTS)
