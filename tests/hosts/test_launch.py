"""The command in an entry works tomorrow, too."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mailmcp.hosts.launch import NoLaunchError, choose_launch, find_launch
from mailmcp.hosts.table import Launch


def make_script(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Launch]:
    def choose(
        prefix: Path, *folders: Path, config: Path | None = None, direct_url: dict[str, object] | None = None
    ) -> Launch:
        monkeypatch.setenv("PATH", ":".join(map(str, folders)))
        url = json.dumps(direct_url) if direct_url else None
        return choose_launch(config, prefix=prefix, scripts=prefix / "bin", direct_url=url)

    return choose


def make_uv_cache(folder: Path) -> Path:
    """Make a cache as uv does, with an environment; return that."""
    environment = folder / "cache" / "archive-v0" / "5e42XuU6"
    make_script(environment / "bin" / "mailmcp")
    (folder / "cache" / "CACHEDIR.TAG").touch()
    return environment


def test_the_link_that_tools_renew_is_written_as_it_is(choose: Callable[..., Launch], tmp_path: Path) -> None:
    tool, links = tmp_path / "tools" / "mailmcp", tmp_path / "links"
    script = make_script(tool / "bin" / "mailmcp")
    (tool / "CACHEDIR.TAG").touch()  # uv marks each environment
    links.mkdir()
    (links / "mailmcp").symlink_to(script)
    assert choose(tool, links) == Launch(command=str(links / "mailmcp"), args=("serve",))


def test_another_mailmcp_in_the_path_is_not_meant(choose: Callable[..., Launch], tmp_path: Path) -> None:
    script = make_script(tmp_path / "venv" / "bin" / "mailmcp")
    other = make_script(tmp_path / "other" / "mailmcp")
    assert choose(tmp_path / "venv", other.parent).command == str(script)
    assert choose(tmp_path / "venv").command == str(script)


def test_without_a_script_python_runs_the_module(choose: Callable[..., Launch], tmp_path: Path) -> None:
    wanted = Launch(command=sys.executable, args=("-m", "mailmcp", "serve"))
    assert choose(tmp_path) == wanted


@pytest.mark.parametrize(
    ("direct_url", "wanted"),
    [
        (None, ["mailmcp"]),
        ({"url": "file:///home/ann/my%20mail", "dir_info": {}}, ["--from", "/home/ann/my mail", "mailmcp"]),
        (
            {"url": "https://example.com/mailmcp.whl", "archive_info": {}},
            ["--from", "https://example.com/mailmcp.whl", "mailmcp"],
        ),
        (
            {"url": "https://example.com/m.git", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}},
            ["--from", "git+https://example.com/m.git", "mailmcp"],
        ),
        (
            {"url": "https://example.com/m.git", "vcs_info": {"vcs": "git", "requested_revision": "v1"}},
            ["--from", "git+https://example.com/m.git@v1", "mailmcp"],
        ),
    ],
)
def test_what_uvx_runs_is_run_by_uvx_again(
    choose: Callable[..., Launch], direct_url: dict[str, object] | None, wanted: list[str], tmp_path: Path
) -> None:
    environment = make_uv_cache(tmp_path)
    uvx = make_script(tmp_path / "links" / "uvx")
    launch = choose(environment, environment / "bin", uvx.parent, direct_url=direct_url)
    assert launch == Launch(command=str(uvx), args=(*wanted, "serve"))


@pytest.mark.parametrize("kind", ["uv", "pipx"])
def test_a_temporary_environment_that_can_not_be_made_anew_is_refused(
    choose: Callable[..., Launch], kind: str, tmp_path: Path
) -> None:
    environment = make_uv_cache(tmp_path) if kind == "uv" else tmp_path / "pipx" / ".cache" / "d1234"
    make_script(environment / "bin" / "mailmcp")
    with pytest.raises(NoLaunchError, match="uv tool install mailmcp"):
        choose(environment, environment / "bin")


def test_the_settings_file_is_named_absolutely(
    choose: Callable[..., Launch], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    launch = choose(tmp_path, config=Path("mail.toml"))
    assert launch.args[-3:] == ("serve", "--config", str(tmp_path / "mail.toml"))


def test_this_very_mailmcp_has_a_command() -> None:
    launch = find_launch(None)
    assert Path(launch.command).is_absolute()
    assert Path(launch.command).exists()
