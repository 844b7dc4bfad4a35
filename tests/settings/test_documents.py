"""The example file and the page for users say what the code does."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner

from mailmcp.cli.main import cli
from mailmcp.imap.account import Tls
from mailmcp.settings.load import Settings, load_settings
from mailmcp.settings.model import TABLES, AccountTable, ServerTable, Table
from mcp_envelope import Dialect
from settings.loading import ACCOUNT

ROOT = Path(__file__).parents[2]
EXAMPLE = (ROOT / "config.example.toml").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
COMMENTED_OUT = re.compile(r"^# (?=[a-z_]+ = |\[)", re.MULTILINE)
MODELS: list[type[Table]] = [*TABLES.values(), AccountTable]


def load_text(text: str, tmp_path: Path) -> Settings:
    path = tmp_path / "config.toml"
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")
    return load_settings(path, {})


def blocks(language: str) -> list[str]:
    """Take the code blocks of the page, those in lists as well, without their indent."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
    return [re.sub(f"^{indent}", "", text, flags=re.MULTILINE) for indent, text in found]


def test_each_default_that_the_example_shows_is_the_real_one(tmp_path: Path) -> None:
    assert load_text(EXAMPLE, tmp_path).server == ServerTable()
    without_token = re.sub(r"^# http_token = .*\n", "", EXAMPLE, flags=re.MULTILINE)
    settings = load_text(COMMENTED_OUT.sub("", without_token), tmp_path)
    assert settings.server == ServerTable()
    assert settings.server.model_fields_set == set(ServerTable.model_fields) - {"http_token"}
    assert (settings.preferences.save_folder, str(settings.preferences.zone)) == (None, "UTC")
    shown = settings.accounts[0]
    real = load_text(ACCOUNT, tmp_path).accounts[0]
    for key in ("port", "tls", "ca_file", "max_sessions", "connect_timeout_s", "command_timeout_s"):
        assert getattr(shown, key) == getattr(real, key)


@pytest.mark.parametrize("model", MODELS)
def test_each_key_is_in_the_example_and_in_the_page_with_its_values(model: type[Table]) -> None:
    for key, field in model.model_fields.items():
        assert re.search(rf"^(# )?{key} = ", EXAMPLE, re.MULTILINE), f"add {key} to config.example.toml"
        rows = re.findall(rf"^\| `{key}` \|.*\|$", PAGE, re.MULTILINE)
        assert len(rows) == 1, f"add a row for {key} to docs/configuration.md"
        kind: Any = field.annotation
        values = list(kind) if kind in {Dialect, Tls} else get_args(kind)
        assert [each for each in values if isinstance(each, str) and f'`"{each}"`' not in rows[0]] == []
        if model is not AccountTable and key != "http_token":
            default = field.get_default()
            assert json.loads(rows[0].split(" | ")[2].strip("`")) == default


def test_the_files_of_the_page_load(tmp_path: Path) -> None:
    right, with_command, for_http, _ = blocks("toml")
    assert [account.account_id for account in load_text(right, tmp_path).accounts] == ["work", "home"]
    assert load_text(with_command, tmp_path).accounts
    assert load_text(for_http + ACCOUNT, tmp_path).server.http_allowed_hosts == ["mail.example.com"]
    (entry,) = blocks("json")
    settings = load_settings(None, json.loads(entry)["mcpServers"]["mail"]["env"])
    assert [account.account_id for account in settings.accounts] == ["default"]


def test_the_errors_and_warnings_of_the_page_are_real(tmp_path: Path) -> None:
    errors, warnings = blocks("text")
    path = tmp_path / "config.toml"
    path.write_text(blocks("toml")[-1], encoding="utf-8")
    printed = CliRunner().invoke(cli, ["check", "--config", str(path)], env={"MAILMCP_TEXT": "x"}).stderr
    assert printed.replace(str(path), "/home/ann/config.toml") == errors
    path.write_text(ACCOUNT, encoding="utf-8")
    path.chmod(0o644)
    told = load_settings(path, {"MAILMCP_LOGLEVEL": "x"}).warnings
    assert [line.replace(str(path), "/home/ann/config.toml") for line in told] == warnings.splitlines()
