"""The example file and the page for users say what the code does."""

import json
import re
import stat
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import pytest

from mailmcp.cli.check import USEFUL_CAPABILITIES
from mailmcp.cli.options import exit_with
from mailmcp.model.owner import Owner
from mailmcp.settings.load import load_settings, read_http_token
from mailmcp.settings.model import (
    TABLES,
    AccountTable,
    AttachmentsTable,
    SearchTable,
    ServerTable,
    Settings,
    Table,
)
from mailmcp.settings.problems import SettingsError
from mailmcp.settings.sources import EnvironmentSource, keys_with_variable

ROOT = Path(__file__).parents[2]
EXAMPLE = (ROOT / "config.example.toml").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
COMMENTED_OUT = re.compile(r"^# (?=[a-z_]+ = |\[)", re.MULTILINE)

MODELS: list[type[Table]] = [*TABLES.values(), AccountTable]
KEYS = [
    (key, EnvironmentSource({}).name_key(key) if key in keys_with_variable(table) else None)
    for table in MODELS
    for key in table.model_fields
]
TOKEN_KEYS = ServerTable.alternatives

ACCOUNT = '[[accounts]]\naccount_id = "a"\nhost = "h"\nuser = "u"\npassword = "p"\n'


def load_text(text: str, tmp_path: Path) -> Settings:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    return load_settings(path, {})


def blocks(language: str) -> list[str]:
    """Take the code blocks of the page, those in lists as well, without their indent."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
    return [re.sub(f"^{indent}", "", text, flags=re.MULTILINE) for indent, text in found]


def test_the_example_loads_as_it_is(tmp_path: Path) -> None:
    settings = load_text(EXAMPLE, tmp_path)
    assert [account.account_id for account in settings.accounts] == ["work"]
    assert settings.server == ServerTable()


def test_each_default_the_example_shows_is_the_real_one(tmp_path: Path) -> None:
    without_token = re.sub(r"^# http_token.* = .*\n", "", EXAMPLE, flags=re.MULTILINE)
    settings = load_text(COMMENTED_OUT.sub("", without_token), tmp_path)
    assert settings.server == ServerTable()
    assert settings.server.model_fields_set == set(ServerTable.model_fields) - set(TOKEN_KEYS)
    assert (settings.preferences.save_folder, str(settings.preferences.zone)) == (None, "UTC")
    assert settings.preferences.owner_of("work") == Owner(
        addresses=("ann@example.com",), trusted_authserv_ids=("mx.example.com",)
    )
    shown = settings.accounts[0]
    real = load_text(ACCOUNT, tmp_path).accounts[0]
    for key in ("port", "tls", "ca_file", "max_sessions", "connect_timeout_s", "command_timeout_s"):
        assert getattr(shown, key) == getattr(real, key)
    for line in ("allow_plaintext = false", "names = []", "addresses = []"):
        assert f"# {line}\n" in EXAMPLE
    assert [account.account_id for account in settings.accounts[1:]] == [
        "from-file",
        "from-environment",
        "from-here",
        "stored",
        "outlook",
        "by-issuer",
        "application",
        "by-command",
    ]


@pytest.mark.parametrize("key", TOKEN_KEYS)
def test_each_token_the_example_shows_would_be_one(tmp_path: Path, key: str) -> None:
    settings = load_text(EXAMPLE.replace(f"# {key} =", f"{key} ="), tmp_path)
    assert [each for each in TOKEN_KEYS if getattr(settings.server, each)] == [key]
    assert read_http_token(settings.server, {"MAIL_TOKEN": "not-a-real-token"})


@pytest.mark.parametrize("key", [key for key, _ in KEYS])
def test_no_key_is_missing_from_the_example(key: str) -> None:
    assert re.search(rf"^(# )?{key} = ", EXAMPLE, re.MULTILINE)


@pytest.mark.parametrize(("key", "variable"), KEYS)
def test_each_key_is_in_the_table_of_the_page_with_its_variable(key: str, variable: str | None) -> None:
    rows = re.findall(rf"^\| `{key}` \|.*\| (\S+?)(?:, with commas)? \|$", PAGE, re.MULTILINE)
    assert rows == [f"`{variable}`" if variable else "–"]  # noqa: RUF001 - as in the page


@pytest.mark.parametrize("key", [key for key, _ in KEYS])
def test_each_allowed_value_is_in_the_page_and_the_example(key: str) -> None:
    description = next(each.model_fields[key].description for each in MODELS if key in each.model_fields)
    values = re.findall(r'"[^"]+"', description or "") if (description or "").startswith("one of ") else []
    row = "".join(re.findall(rf"^\| `{key}` \|.*$", PAGE, re.MULTILINE))
    comment = re.search(rf"((?:^# .*\n)+)^(?:# )?{key} = ", EXAMPLE, re.MULTILINE)
    assert [each for each in values if f"`{each}`" not in row] == []
    assert [each for each in values if comment and each not in comment[1]] == []


@pytest.mark.parametrize(
    "table", [ServerTable(), AttachmentsTable(), SearchTable()], ids=lambda table: type(table).__name__
)
def test_each_default_in_the_page_is_the_real_one(table: Table) -> None:
    for key, value in table.model_dump().items():
        if key not in TOKEN_KEYS:
            shown = re.search(rf"^\| `{key}` \|[^|]*\| `([^`]*)` \|", PAGE, re.MULTILINE)
            assert shown
            assert json.loads(shown[1]) == value


@pytest.mark.parametrize("key", keys_with_variable(AccountTable))
def test_each_variable_of_the_account_is_in_the_page(key: str) -> None:
    assert f"| `{EnvironmentSource({}).name_key(key)}` | `{key}` |" in PAGE


def test_the_files_of_the_page_load(tmp_path: Path) -> None:
    files = blocks("toml")
    right, with_command, for_http = files[:3]
    assert [account.account_id for account in load_text(right, tmp_path).accounts] == ["work", "home"]
    assert load_text(with_command, tmp_path).accounts
    assert load_text(for_http + ACCOUNT, tmp_path).server.http_allowed_hosts == ["mail.example.com"]
    for number in range(2):
        other = re.sub(r"^password_command", "# old", with_command, flags=re.MULTILINE)
        commands = [each for each in other.splitlines() if each.startswith("# password_command")]
        other = other.replace(commands[number], commands[number].removeprefix("# "))
        assert load_text(other, tmp_path).accounts


def test_the_entry_for_a_desktop_host_makes_an_account(tmp_path: Path) -> None:
    (entry,) = blocks("json")
    server = json.loads(entry)["mcpServers"]["mail"]
    assert set(server) == {"command", "args", "env"}
    settings = load_settings(None, server["env"], default_config=tmp_path / "config.toml")
    assert [account.account_id for account in settings.accounts] == ["default"]
    assert settings.warnings == ()


def printed(config: Path, *, named: bool, **environ: str) -> str:
    """Take what `mailmcp serve` prints of settings that are wrong."""
    with pytest.raises(SettingsError) as caught:
        load_settings(config if named else None, environ, default_config=config)
    with pytest.raises(SystemExit), redirect_stderr(StringIO()) as errors:
        exit_with(caught.value)
    return errors.getvalue()


def test_the_errors_of_the_page_are_real(tmp_path: Path) -> None:
    errors, no_account, warnings = blocks("text")
    path = tmp_path / "config.toml"
    path.write_text(blocks("toml")[-1], encoding="utf-8")
    shown = printed(path, named=True, MAILMCP_TEXT="x")
    assert shown.replace(str(path), "/home/ann/config.toml") == errors

    missing = tmp_path / "none.toml"
    shown = printed(missing, named=False)
    assert shown.replace(str(missing), "/home/ann/.config/mailmcp/config.toml") == no_account

    path.write_text(ACCOUNT, encoding="utf-8")
    path.chmod(stat.S_IRUSR | stat.S_IRGRP)
    tmp_path.chmod(stat.S_IRWXU | stat.S_IWOTH | stat.S_IXOTH)
    told = load_settings(path, {"MAILMCP_LOGLEVEL": "x"}).warnings
    assert [line.replace(str(tmp_path), "/home/ann") for line in told] == warnings.splitlines()


def test_the_page_shows_what_a_check_says() -> None:
    section = PAGE.partition("\n## Checking\n")[2].partition("\n## ")[0]
    capabilities = section.partition("capabilities ┃")[2].partition("└")[0]
    assert set(re.findall(r"[A-Z]+[-+][A-Z0-9-]*", capabilities)) <= set(USEFUL_CAPABILITIES)
