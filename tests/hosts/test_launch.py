"""The command in an entry works tomorrow, too."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from mailmcp.hosts.launch import find_launch
from mailmcp.hosts.table import HostError, Launch


def make_script(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The virtual environment that mailmcp runs in; nothing is in the PATH."""
    use(tmp_path / "venv", monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path / "links"))
    return tmp_path / "venv"


def use(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(prefix / "bin"))


def test_the_link_that_tools_renew_is_written_as_it_is(prefix: Path, tmp_path: Path) -> None:
    script = make_script(prefix / "bin" / "mailmcp")
    (prefix / "CACHEDIR.TAG").touch()  # uv marks each environment
    assert find_launch(None).command == str(script), "nothing is in the PATH"
    link = tmp_path / "links" / "mailmcp"
    link.parent.mkdir()
    link.symlink_to(script)
    assert find_launch(None) == Launch(command=str(link), args=("serve",))
    link.unlink()
    make_script(link)
    assert find_launch(None).command == str(script), "another mailmcp isn't meant"


def test_without_a_script_python_runs_the_module_with_the_settings_file(
    prefix: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    named = ("serve", "--config", str(tmp_path / "mail.toml"))
    wanted = Launch(command=sys.executable, args=("-m", "mailmcp", *named))
    assert find_launch(Path("mail.toml")) == wanted
    assert not prefix.exists()


GIT = {"url": "https://example.com/m.git", "vcs_info": {"vcs": "git", "requested_revision": "v1"}}


@pytest.mark.parametrize(
    ("direct_url", "wanted"),
    [
        (None, []),
        ({"url": "file:///home/ann/my%20mail", "dir_info": {}}, ["--from", "/home/ann/my mail"]),
        ({"url": "https://example.com/m.whl", "archive_info": {}}, ["--from", "https://example.com/m.whl"]),
        (GIT, ["--from", "git+https://example.com/m.git@v1"]),
    ],
)
def test_what_uvx_runs_is_run_by_uvx_again(
    direct_url: dict[str, object] | None, wanted: list[str], prefix: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (prefix.parent / "CACHEDIR.TAG").touch()
    with pytest.raises(HostError, match="uv tool install mailmcp"):
        find_launch(None)
    uvx = make_script(prefix.parent / "links" / "uvx")
    text = json.dumps(direct_url) if direct_url else None
    installed = SimpleNamespace(read_text=lambda _name: text)
    monkeypatch.setattr("mailmcp.hosts.launch.distribution", lambda _name: installed)
    assert find_launch(None) == Launch(command=str(uvx), args=(*wanted, "mailmcp", "serve"))


def test_this_very_mailmcp_has_a_command() -> None:
    assert Path(find_launch(None).command).is_absolute()
    assert Path(find_launch(None).command).exists()
