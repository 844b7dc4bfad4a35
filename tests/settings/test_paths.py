from pathlib import Path

import pytest

from mailmcp.settings.paths import default_config_path, resolve_path
from settings.loading import HOME


def test_the_default_is_a_file_in_the_folder_of_mailmcp() -> None:
    path = default_config_path()
    assert path.is_absolute()
    assert (path.parent.name, path.name) == ("mailmcp", "config.toml")
    assert path.parent.parent.name != "mailmcp"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("~", "home"),
        ("~/a/b.pem", "home/a/b.pem"),
        ("a.pem", "folder/a.pem"),
        ("../a.pem", "folder/../a.pem"),
        ("~other/a.pem", "folder/~other/a.pem"),
        ("x/~/a.pem", "folder/x/~/a.pem"),
        ("", "folder"),
    ],
)
def test_relative_paths_start_at_the_folder_and_tilde_at_home(
    tmp_path: Path, text: str, expected: str
) -> None:
    environ = {HOME: str(tmp_path / "home")}
    assert resolve_path(text, folder=tmp_path / "folder", environ=environ) == tmp_path / expected


def test_an_absolute_path_stays(tmp_path: Path) -> None:
    assert resolve_path(str(tmp_path), folder=Path("elsewhere"), environ={}) == tmp_path


def test_without_a_home_a_tilde_is_a_name(tmp_path: Path) -> None:
    """Home comes from the environment that is passed in, never from the process's own."""
    assert resolve_path("~/a", folder=tmp_path, environ={}) == tmp_path / "~" / "a"


def test_a_relative_folder_is_the_current_one() -> None:
    assert resolve_path("a", folder=Path(), environ={}) == Path.cwd() / "a"
