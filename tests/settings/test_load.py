import dataclasses
import os
from pathlib import Path

import platformdirs
import pytest
from pydantic import SecretStr

from mailmcp.model.owner import Owner
from mailmcp.settings.load import load_settings, load_settings_without_accounts, read_http_token
from mailmcp.settings.model import HTTP_TOKEN, ServerTable
from mailmcp.settings.problems import SettingsError
from servers.logins import password_of
from settings.loading import ACCOUNT, ENVIRON, HOME, SECRET, Faults, Load, Write


def test_empty_variables_are_not_set(load: Load) -> None:
    blank = dict.fromkeys(
        ["MAILMCP_CONFIG", "MAILMCP_TEXT", "MAILMCP_PORT", "MAILMCP_CA_FILE", "MAILMCP_OTHER"], ""
    )
    settings = load({**blank, **ENVIRON})
    assert (settings.server.text, settings.accounts[0].port, settings.warnings) == ("markdown", 993, ())


def test_without_an_account_the_error_names_both_ways_to_add_one(
    write: Write, faults: Faults, path: Path
) -> None:
    (fault,) = faults({"MAILMCP_HOST": ""})
    for part in ("MAILMCP_HOST", "MAILMCP_USER", "MAILMCP_PASSWORD", "[[accounts]]", str(path)):
        assert part in fault
    write(path, "[server]")
    assert faults() == [fault]


SERVER = '[server]\nlog_level = "error"\n' + ACCOUNT


@pytest.mark.parametrize(
    ("text", "environ", "overrides", "level"),
    [
        (ACCOUNT, {}, {}, "info"),
        (ACCOUNT, {}, {"log_level": None}, "info"),
        (SERVER, {}, {}, "error"),
        (SERVER, {"MAILMCP_LOG_LEVEL": ""}, {}, "error"),
        (SERVER, {"MAILMCP_LOG_LEVEL": "warning"}, {}, "warning"),
        (SERVER, {"MAILMCP_LOG_LEVEL": "warning"}, {"log_level": None}, "warning"),
        (SERVER, {"MAILMCP_LOG_LEVEL": "warning"}, {"log_level": "debug"}, "debug"),
        (SERVER, {}, {"log_level": "info"}, "info"),
        (ACCOUNT, {"MAILMCP_LOG_LEVEL": "warning"}, {}, "warning"),
    ],
)
def test_command_line_then_environment_then_file_then_default(
    load: Load,
    path: Path,
    text: str,
    environ: dict[str, str],
    overrides: dict[str, object],
    level: str,
) -> None:
    path.write_text(text, encoding="utf-8")
    assert load(environ, **overrides).server.log_level == level


@pytest.mark.parametrize("timeout", ["5", "5.0", 5, 5.0])
def test_every_server_key_can_be_overridden(load: Load, timeout: object) -> None:
    overrides: dict[str, object] = {
        "envelope": "discriminated",
        "text": "json",
        "rows": "lean",
        "log_level": "debug",
        "log_format": "json",
        "http_token": SECRET * 3,
        "http_allowed_hosts": ["a.example", "b.example:1"],
    }
    environ = {f"MAILMCP_{key.upper()}": value for key, value in overrides.items() if isinstance(value, str)}
    environ["MAILMCP_HTTP_ALLOWED_HOSTS"] = "a.example, b.example:1"
    expected = {
        **overrides,
        "call_timeout_s": 5.0,
        "http_token": SecretStr(SECRET * 3),
        "http_token_env": None,
    }
    by_command_line = load(ENVIRON, **overrides, call_timeout_s=timeout)
    by_environment = load({**ENVIRON, **environ, "MAILMCP_CALL_TIMEOUT_S": str(timeout)})
    assert by_command_line.server.model_dump() == by_environment.server.model_dump() == expected


def test_every_mistake_of_every_source_is_reported_at_once(write: Write, faults: Faults, path: Path) -> None:
    write(path, '[server]\ntext = "hunter2"\n' + ACCOUNT + "port = 0\nprot = 1\n")
    found = faults(
        {"MAILMCP_LOG_FORMAT": SECRET, "MAILMCP_PORT": SECRET, "MAILMCP_USER": "ann"},
        log_level=SECRET,
        colour="blue",
    )
    assert [fault.split(": ")[:2] for fault in found] == [
        [f"{path}, line 2", "server.text"],
        [f"{path}, line 9", "accounts[1].port"],
        [f"{path}, line 10", "accounts[1].prot"],
        ["MAILMCP_LOG_FORMAT", 'must be one of "text", "json"'],
        ["MAILMCP_HOST", found[4].split(": ")[1]],
        ["MAILMCP_PORT", "must be a whole number from 1 to 65535"],
        [
            "MAILMCP_PASSWORD",
            "is missing; run mailmcp password default, or set one of MAILMCP_PASSWORD, MAILMCP_PASSWORD_FILE",
        ],
        ["--log-level", 'must be one of "debug", "info", "warning", "error"'],
        ["--colour", f"is not a known key; the known ones are {', '.join(ServerTable.model_fields)}"],
    ]


def test_a_value_that_is_overridden_is_checked_all_the_same(write: Write, faults: Faults, path: Path) -> None:
    write(path, SERVER.replace("error", "loud"))
    assert len(faults({"MAILMCP_LOG_LEVEL": "debug"})) == 1


def test_the_command_line_names_the_file_before_the_environment(
    write: Write, load: Load, tmp_path: Path
) -> None:
    named = write(tmp_path / "named.toml", ACCOUNT)
    other = write(tmp_path / "other.toml", ACCOUNT.replace("work", "other"))
    write(tmp_path / "config.toml", ACCOUNT.replace("work", "default-place"))
    for environ, config, source in [
        ({}, None, tmp_path / "config.toml"),
        ({"MAILMCP_CONFIG": str(other)}, None, other),
        ({"MAILMCP_CONFIG": "~/other.toml", HOME: str(tmp_path)}, None, other),
        ({"MAILMCP_CONFIG": str(other)}, named, named),
    ]:
        assert load(environ, config=config).source == source


def test_a_relative_name_starts_at_the_current_folder(
    write: Write, load: Load, tmp_path: Path, ca_pem: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ca.pem").write_bytes(ca_pem.read_bytes())
    write(tmp_path / "named.toml", ACCOUNT + 'ca_file = "ca.pem"\n')
    monkeypatch.chdir(tmp_path)
    for settings in (load(config=Path("named.toml")), load({"MAILMCP_CONFIG": "named.toml"})):
        assert settings.source == tmp_path / "named.toml"
        assert settings.accounts[0].ca_file == tmp_path / "ca.pem"


@pytest.mark.parametrize("by_variable", [True, False])
def test_a_named_file_must_exist(
    load: Load,
    tmp_path: Path,
    by_variable: bool,  # noqa: FBT001 - a column of the table
) -> None:
    missing = tmp_path / "missing.toml"
    environ = {**ENVIRON, "MAILMCP_CONFIG": str(missing) if by_variable else ""}
    with pytest.raises(SettingsError) as caught:
        load(environ, config=None if by_variable else missing)
    (fault,) = caught.value.lines
    assert fault.startswith(f"{missing}: can't be read: ")
    assert fault.endswith(" (MAILMCP_CONFIG names this file)") is by_variable


def test_a_file_that_is_not_toml_does_not_hide_other_mistakes(
    write: Write, faults: Faults, path: Path
) -> None:
    write(path, f"password = {SECRET}")
    found = faults({"MAILMCP_TEXT": "x"})
    assert [fault.split(":")[0] for fault in found] == [f"{path}, line 1, column 12", "MAILMCP_TEXT"]


def test_the_default_place_is_the_users_own_configuration_folder(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def config_path(name: str, **_: object) -> Path:
        return tmp_path / name

    monkeypatch.setattr(platformdirs, "user_config_path", config_path)
    (tmp_path / "mailmcp").mkdir()
    written = write(tmp_path / "mailmcp" / "config.toml", ACCOUNT)
    assert load_settings(None, {}).source == written


def test_nothing_is_read_of_the_environment_of_the_process(
    write: Write, load: Load, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (*ENVIRON, "MAILMCP_TEXT", "MAILMCP_CONFIG", "WORK"):
        monkeypatch.setenv(name, "of the process")
    write(path, ACCOUNT.replace(f'password = "{SECRET}"', 'password_env = "WORK"'))
    settings = load({"WORK": SECRET})
    assert settings.server.text == "markdown"
    assert password_of(settings.accounts[0]) == SECRET


def test_an_unknown_variable_of_ours_is_a_warning(load: Load) -> None:
    (warning,) = load({**ENVIRON, "MAILMCP_LOGLEVEL": SECRET}).warnings
    assert warning.startswith("MAILMCP_LOGLEVEL: ")
    assert SECRET not in warning


TOKEN = f'[server]\nhttp_token = "{SECRET * 3}"\n'


@pytest.mark.parametrize(
    ("text", "environ", "token", "variable"),
    [
        (TOKEN, {}, SECRET * 3, None),
        (TOKEN, {"MAILMCP_HTTP_TOKEN": "x" * 16}, "x" * 16, None),
        (TOKEN, {"MAILMCP_HTTP_TOKEN": ""}, SECRET * 3, None),
        ('[server]\nhttp_token_env = "A"\n', {}, None, "A"),
        ('[server]\nhttp_token_env = "A"\n', {"MAILMCP_HTTP_TOKEN": "x" * 16}, "x" * 16, None),
    ],
)
def test_the_token_of_the_environment_replaces_that_of_the_file(
    load: Load, path: Path, text: str, environ: dict[str, str], token: str | None, variable: str | None
) -> None:
    path.write_text(text + ACCOUNT, encoding="utf-8")
    server = load(environ).server
    assert (server.http_token, server.http_token_env) == (token and SecretStr(token), variable)


def test_the_variable_that_holds_the_token_is_known(write: Write, load: Load, path: Path) -> None:
    write(path, '[server]\nhttp_token_env = "MAILMCP_WORK_TOKEN"\n' + ACCOUNT)
    assert load({"MAILMCP_WORK_TOKEN": SECRET}).warnings == ()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no permission bits")
@pytest.mark.parametrize(
    ("mode", "text", "warned"),
    [
        (0o600, ACCOUNT, False),
        (0o640, ACCOUNT, True),
        (0o644, ACCOUNT, True),
        (0o644, ACCOUNT.replace("password =", "password_file ="), False),
        (0o600, TOKEN + ACCOUNT.replace("password =", "password_file ="), False),
        (0o640, TOKEN + ACCOUNT.replace("password =", "password_file ="), True),
        (
            0o644,
            TOKEN.replace("token =", "token_env =") + ACCOUNT.replace("password =", "password_file ="),
            False,
        ),
    ],
)
def test_a_secret_in_a_file_that_others_may_read_is_a_warning(
    write: Write,
    load: Load,
    path: Path,
    mode: int,
    text: str,
    warned: bool,  # noqa: FBT001 - a column of the table
) -> None:
    write(path, text).chmod(mode)
    warnings = load().warnings
    assert [warning.split(":")[0] for warning in warnings] == ([str(path)] if warned else [])
    assert SECRET not in repr(warnings)


def test_settings_do_not_change_and_do_not_show_passwords(write: Write, load: Load, path: Path) -> None:
    write(path, ACCOUNT)
    settings = load(ENVIRON)
    assert SECRET not in f"{settings} {settings!r} {dataclasses.asdict(settings)}"
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.accounts = ()  # type: ignore[misc] # that it cannot be is the test


def test_without_accounts_the_environment_and_the_command_line_count_and_no_file(
    write: Write, tmp_path: Path
) -> None:
    named = write(tmp_path / "named.toml", '[server]\ntext = "json"\n')
    environ = {
        "MAILMCP_CONFIG": str(named),
        "MAILMCP_HOST": "a b",
        "MAILMCP_TIME_ZONE": "Asia/Tokyo",
        "MAILMCP_ROWS": "lean",
    }
    settings = load_settings_without_accounts(environ, overrides={"log_level": "error"})
    assert settings.server == ServerTable(rows="lean", log_level="error")
    assert str(settings.preferences.zone) == "Asia/Tokyo"
    assert (settings.accounts, settings.source, settings.warnings) == ((), None, ())
    with pytest.raises(SettingsError) as caught:
        load_settings_without_accounts({"MAILMCP_TEXT": "x", "MAILMCP_TIME_ZONE": "x"})
    assert [line.partition(":")[0] for line in caught.value.lines] == ["MAILMCP_TEXT", "MAILMCP_TIME_ZONE"]


@pytest.mark.parametrize(
    ("table", "token"),
    [
        ({}, None),
        ({"http_token": SECRET * 3}, SecretStr(SECRET * 3)),
        ({"http_token_env": "NAME"}, SecretStr(SECRET * 3)),
    ],
)
def test_the_http_token_is_read_from_where_the_settings_say(
    table: dict[str, str], token: SecretStr | None
) -> None:
    assert read_http_token(ServerTable.model_validate(table), {"NAME": SECRET * 3}) == token


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "is not set or is empty"),
        ({"NAME": ""}, "is not set or is empty"),
        ({"NAME": SECRET}, f"must be {HTTP_TOKEN}"),
        (
            {"NAME": SECRET * 3 + "\n"},
            f"must be {HTTP_TOKEN}",
        ),
    ],
)
def test_the_error_for_a_variable_without_a_token_names_it(environ: dict[str, str], expected: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_http_token(ServerTable(http_token_env="NAME"), environ)
    assert caught.value.lines == (
        f"environment variable NAME, which server.http_token_env names: {expected}",
    )


HOME_ACCOUNT = '[[accounts]]\naccount_id = "home"\nhost = "h"\nuser = "ann@example.com"\npassword = "p"\n'


def test_preferences_come_from_the_file_and_the_environment(
    write: Write, load: Load, path: Path, tmp_path: Path
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    tables = '[attachments]\nsave_folder = "~/one"\n[search]\ntime_zone = "Asia/Tokyo"\n'
    write(path, tables + HOME_ACCOUNT + 'names = ["Ann"]\n')
    environ = {HOME: str(tmp_path)}
    of_file = load(environ).preferences
    assert (of_file.save_folder, str(of_file.zone)) == (tmp_path / "one", "Asia/Tokyo")
    assert of_file.owner_of("home") == Owner(names=("Ann",), addresses=("ann@example.com",))

    account = {"MAILMCP_HOST": "h", "MAILMCP_USER": "lee", "MAILMCP_PASSWORD": "p"}
    chosen = {"MAILMCP_SAVE_FOLDER": "~/two", "MAILMCP_TIME_ZONE": "UTC", "MAILMCP_NAMES": "Lee, L."}
    both = load(environ | account | chosen).preferences
    assert (both.save_folder, str(both.zone)) == (tmp_path / "two", "UTC")
    assert both.owner_of("home").names == ("Ann",)
    assert both.owner_of("default") == Owner(names=("Lee", "L."))


def test_mistakes_in_preferences_are_reported_where_they_were_made(
    write: Write, faults: Faults, path: Path
) -> None:
    write(
        path,
        '[attachments]\nsave_folder = "/nowhere/at/all"\n[search]\ntime_zone = "Mars"\nzone = 1\n'
        + HOME_ACCOUNT
        + 'addresses = ["ann"]\nsave_folder = "x"\n',
    )
    zone = 'must be the name of a time zone, such as "UTC" or "Europe/Berlin"'
    folder = 'must be the path of a folder, absolute or starting with ~, or "" to save nothing'
    found = faults({"MAILMCP_SAVE_FOLDER": "relative", "MAILMCP_TIME_ZONE": "Mars"})
    assert found == [
        f"{path}, line 2: attachments.save_folder: must be an existing folder; create it, "
        "or remove this key to save nothing",
        f"{path}, line 4: search.time_zone: {zone}",
        f"{path}, line 5: search.zone: is not a known key; did you mean time_zone?",
        f"{path}, line 11: accounts[1].addresses: must be a list of at most 50 addresses, "
        'such as "ann@example.com"',
        found[4],
        f"MAILMCP_SAVE_FOLDER: {folder}",
        f"MAILMCP_TIME_ZONE: {zone}",
    ]
    assert found[4].startswith(f"{path}, line 12: accounts[1].save_folder: is not a known key")
