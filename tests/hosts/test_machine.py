"""Where the settings of hosts are."""

from pathlib import Path

import pytest

from hosts.samples import BY_ID
from mailmcp.hosts.machine import Machine, expected_files, find_files
from mailmcp.hosts.table import HOSTS, Host, System

SYSTEMS: tuple[System, ...] = ("darwin", "win32", "linux")


def machine(home: Path, system: System = "linux", **environ: str) -> Machine:
    return Machine(system=system, home=home, environ=environ)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.host_id)
def test_a_host_is_there_once_its_folder_is(host: Host, system: System, tmp_path: Path) -> None:
    here = machine(tmp_path, system)
    assert find_files(host, here) == []
    expected = expected_files(host, here)
    assert all(path.is_relative_to(tmp_path) for path in expected)
    for path in expected:
        folder = Path(str(path.parent).replace("*", "pzs8sxrjxfjjc"))
        (tmp_path / ".claude" if host.host_id == "claude-code" else folder).mkdir(parents=True)
    assert find_files(host, here) == [Path(str(path).replace("*", "pzs8sxrjxfjjc")) for path in expected]


def test_on_windows_both_editions_of_claude_desktop_are_found(tmp_path: Path) -> None:
    local, roaming = tmp_path / "l", tmp_path / "r"
    here = machine(tmp_path, "win32", LOCALAPPDATA=str(local), APPDATA=str(roaming))
    store = local / "Packages" / "Claude_pzs8sxrjxfjjc" / "LocalCache" / "Roaming" / "Claude"
    name = "claude_desktop_config.json"
    (local / "Packages" / "Claude_empty").mkdir(parents=True)
    store.mkdir(parents=True)
    assert find_files(BY_ID["claude-desktop"], here) == [store / name]
    (roaming / "Claude").mkdir(parents=True)
    assert find_files(BY_ID["claude-desktop"], here) == [store / name, roaming / "Claude" / name]


def test_claude_code_without_a_folder_is_known_by_its_file(tmp_path: Path) -> None:
    (tmp_path / ".claude.json").write_text("{}")
    assert find_files(BY_ID["claude-code"], machine(tmp_path)) == [tmp_path / ".claude.json"]


@pytest.mark.parametrize(
    ("host_id", "variable", "name"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("zed", "XDG_CONFIG_HOME", "zed/settings.json"),
        ("vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json"),
    ],
)
def test_a_variable_moves_the_folder(host_id: str, variable: str, name: str, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    here = Machine(system="linux", home=tmp_path, environ={variable: str(moved)})
    assert find_files(BY_ID[host_id], here) == []
    (moved / name).parent.mkdir(parents=True)
    assert find_files(BY_ID[host_id], here) == [moved / name]


def test_the_xdg_variable_counts_on_linux_alone_and_must_be_absolute(tmp_path: Path) -> None:
    for here in (machine(tmp_path, "darwin", XDG_CONFIG_HOME="/x"), machine(tmp_path, XDG_CONFIG_HOME="x")):
        assert expected_files(BY_ID["zed"], here) == [tmp_path / ".config" / "zed" / "settings.json"]
