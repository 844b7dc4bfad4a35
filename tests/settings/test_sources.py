"""The raw values of each source, and the paths in them."""

from pathlib import Path

import pytest

from mailmcp.settings.model import AccountTable, ServerTable, Table
from mailmcp.settings.problems import format_where
from mailmcp.settings.sources import (
    EnvironmentSource,
    FileSource,
    default_config_path,
    resolve_path,
    split_list,
)
from mailmcp.settings.toml_file import TomlFile
from settings.loading import HOME


@pytest.mark.parametrize(
    ("model", "key", "text", "value"),
    [
        (ServerTable, "http_allowed_hosts", "a.example", ["a.example"]),
        (ServerTable, "http_allowed_hosts", "a.example:1, [::1]:*", ["a.example:1", "[::1]:*"]),
        (ServerTable, "http_allowed_hosts", "a.example, ,", ["a.example"]),
        (AccountTable, "names", "Ann Lee, A. Lee", ["Ann Lee", "A. Lee"]),
        (AccountTable, "trusted_authserv_ids", "mx.example,mx2.example", ["mx.example", "mx2.example"]),
        (AccountTable, "user", "a,b", "a,b"),
        (AccountTable, "password", "a,b", "a,b"),
    ],
)  # fmt: skip
def test_only_lists_are_split_at_commas(model: type[Table], key: str, text: str, value: object) -> None:
    assert split_list(model, key, text) == value


def test_an_empty_variable_is_not_set() -> None:
    source = EnvironmentSource(
        {"MAILMCP_TEXT": "", "MAILMCP_LOG_LEVEL": " ", "MAILMCP_HOST": "", "OTHER": "x"}
    )
    assert source.tables == {"server": {"log_level": " "}, "attachments": {}, "search": {}}
    assert source.accounts == []


def test_the_account_of_the_environment_is_called_default() -> None:
    source = EnvironmentSource({"MAILMCP_HOST": "h", "MAILMCP_PORT": "1"})
    assert source.accounts == [{"account_id": "default", "host": "h", "port": "1"}]


@pytest.mark.parametrize("environ", [{}, {"MAILMCP_TEXT": "json"}, {"MAILMCP_PASSWORD": "p"}])
def test_a_variable_that_the_file_names_asks_for_no_account(environ: dict[str, str]) -> None:
    assert EnvironmentSource(environ, named_in_file={"MAILMCP_PASSWORD"}).accounts == []


def test_unknown_variables_are_warned_of_without_their_value() -> None:
    environ = {
        "MAILMCP_PASWORD": "hunter2",
        "MAILMCP_\n": "hunter2",
        "MAILMCP_HOST": "h",
        "MAILMCP_CONFIG": "c",
        "MAILMCP_TEXT": "json",
        "MAILMCP_SAVE_FOLDER": "/s",
        "MAILMCP_TIME_ZONE": "UTC",
        "MAILMCP_WORK": "named",
        "MAILMCP_OTHER": "",
        "OTHER": "x",
    }
    first, second = EnvironmentSource(environ, named_in_file={"MAILMCP_WORK"}).warn_of_unknown()
    assert first.startswith('"MAILMCP_\\n": is not a known variable')
    assert second == (
        "MAILMCP_PASWORD: is not a known variable and is ignored; did you mean MAILMCP_PASSWORD?"
    )


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"server": 1}, {}),
        ({"http_token": 1}, {"http_token": "is not a known key here; it belongs in [server]"}),
        ({"time_zone": "UTC"}, {"time_zone": "is not a known key here; it belongs in [search]"}),
        ({"host": 1}, {"host": "is not a known key here; it belongs in [[accounts]]"}),
        ({"accounts": {"host": "h"}}, {"accounts": "must be an array of tables; write [[accounts]]"}),
        ({"acounts": []}, {"acounts": "is not a known key here; did you mean accounts?"}),
        (
            {"mail": 1},
            {"mail": "is not a known key here; the known ones are server, attachments, search, accounts"},
        ),
    ],
)
def test_names_that_a_file_can_not_have(data: dict[str, object], expected: dict[str, str]) -> None:
    problems = FileSource(TomlFile(data=data), {}).check_names()
    assert {format_where(where): message for where, message in problems} == expected


def test_a_file_of_any_shape_is_read_before_it_is_checked() -> None:
    source = FileSource(
        TomlFile(data={"accounts": [1, {"password_env": "A"}, {}, {"password_env": 2}], "server": 1}), {}
    )
    assert source.account_values("password_env") == [(1, "A"), (3, 2)]
    assert source.server_value("http_token") is None
    assert source.named_variables() == {"A"}
    assert FileSource(TomlFile(data={"accounts": 1}), {}).accounts == []


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
