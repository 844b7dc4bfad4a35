"""`mailmcp install` and `mailmcp uninstall`, in the home of somebody."""

import json
import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mailmcp.cli.main import cli
from mailmcp.hosts.table import HOSTS, Host


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, without any host's program in the PATH."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return home


def run(*arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=answer)


def make_program(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch, status: int = 0) -> Path:
    """Put a program into the PATH that records its arguments, one a line."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{folder}/arguments"\nexit {status}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return folder / "arguments"


@pytest.mark.parametrize("host", [each for each in HOSTS if each.files], ids=lambda each: each.host_id)
def test_each_host_with_a_file_is_added_found_and_removed(host: Host, home: Path) -> None:
    path = host.expected_files()[0]
    assert home in path.parents
    path.parent.mkdir(parents=True)
    done = run("install", host.host_id, "--yes")
    assert done.exit_code == 0, done.output
    assert f"Restart {host.name}." in done.stdout
    assert "mailmcp has no settings yet" in done.stderr
    assert json.loads(path.read_text())[host.key]["mailmcp"]["args"][-1] == "serve"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert f"{host.host_id:<15} installed  {path}\n" in run("install", "--list").stdout
    assert run("install", host.host_id).stdout == f"{host.name} has this entry already: {path}\n"
    assert run("uninstall", host.host_id, "--yes").exit_code == 0
    assert not path.exists()
    assert run("uninstall", host.host_id).stdout == f"{host.name} has no entry mailmcp: {path}\n"


@pytest.mark.parametrize(
    ("host_id", "program", "begins"),
    [
        ("claude-code", "claude", ["mcp", "add", "--scope", "user", "mailmcp", "--"]),
        ("codex", "codex", ["mcp", "add", "mailmcp", "--"]),
        ("vscode", "code", ["--add-mcp"]),
    ],
)
def test_a_host_with_a_command_is_changed_by_it(
    host_id: str, program: str, begins: list[str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = run("install", host_id, "--print").stdout.strip()
    missing = run("install", host_id, "--yes")
    assert f"there is no command {program}. Run this where it is: {shown}" in missing.stderr
    recorded = make_program(home / "bin", program, monkeypatch)
    assert run("install", host_id, answer="n\n").exit_code == 1
    assert not recorded.exists()
    assert run("install", host_id, "--yes").exit_code == 0
    assert recorded.read_text().splitlines()[: len(begins)] == begins
    assert f"{host_id:<15} found      {home / 'bin' / program}\n" in run("install", "--list").stdout
    removed = run("uninstall", host_id, "--yes")
    if program == "code":
        assert "remove the entry mailmcp by hand in VS Code" in removed.stderr
    else:
        assert recorded.read_text().splitlines()[:2] == ["mcp", "remove"]
    make_program(home / "bin", program, monkeypatch, status=3)
    assert f"{program} ended with status 3" in run("install", host_id, "--yes").stderr


def test_a_file_with_comments_is_refused_and_the_entry_printed(home: Path) -> None:
    path = home / ".config" / "zed" / "settings.json"
    path.parent.mkdir(parents=True)
    path.write_text('{\n  // mine\n  "theme": "dark"\n}')
    result = run("install", "zed", "--yes")
    assert result.exit_code == 1
    assert f"{path}: isn't plain JSON" in result.stderr
    assert run("install", "zed", "--print").stdout in result.stderr
    assert path.read_text() == '{\n  // mine\n  "theme": "dark"\n}'


def test_it_shows_the_entry_and_asks(home: Path) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text('{\n  "mcpServers": {}\n}\n')
    for answer, is_done in (("\n", False), ("", False), ("y\n", True)):
        result = run("install", "cursor", answer=answer)
        assert '    "mailmcp": {' in result.stdout
        assert "Add this to the settings of Cursor?" in result.stdout
        assert ("mailmcp" in path.read_text(), result.exit_code) == (is_done, 0 if is_done else 1)
        assert (home / ".cursor" / "mcp.json.before-mailmcp").exists() == is_done


@pytest.mark.parametrize("is_broken", [False, True])
def test_every_edition_gets_it_after_one_question_or_none_does(home: Path, *, is_broken: bool) -> None:
    paths = [home / ".lmstudio" / "mcp.json", home / ".cache" / "lm-studio" / "mcp.json"]
    for path in paths:
        path.parent.mkdir(parents=True)
    if is_broken:
        paths[1].write_text("{")
    result = run("install", "lm-studio", answer="y\n")
    assert [path.exists() for path in paths] == [not is_broken, True]
    if is_broken:
        assert f"{paths[1]}: isn't plain JSON" in result.stderr
        assert f": isn't plain JSON (it may have comments), so it can't be rewritten safely {paths[1]}" in (
            run("install", "--list").stdout
        )
    else:
        assert result.stdout.count("?") == 1


def test_the_settings_file_may_be_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".cursor").mkdir()
    monkeypatch.setenv("MAILMCP_CONFIG", "~/mail.toml")
    printed = json.loads(run("install", "cursor", "--print", "--name", "work").stdout)
    assert printed["mcpServers"]["work"]["args"][-3:] == ["serve", "--config", str(home / "mail.toml")]


@pytest.mark.parametrize(
    ("arguments", "status", "fault"),
    [
        (["install"], 2, "Name the host. The hosts are: claude-desktop, "),
        (["install", "emacs"], 2, "'emacs' is not one of 'claude-desktop', "),
        (["install", "cursor", "--name", "my mail"], 2, "use up to 64 letters, digits, _ and -"),
        (["install", "cursor"], 1, "Cursor was not found: there is no "),
        (["uninstall", "lm-studio"], 1, ".lmstudio or "),
    ],
)
def test_a_mistake_is_said(arguments: list[str], status: int, fault: str, home: Path) -> None:
    result = run(*arguments)
    assert (result.exit_code, fault in result.stderr) == (status, True)
    assert list(home.iterdir()) == []
