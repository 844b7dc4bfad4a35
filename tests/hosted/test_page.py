"""The page for administrators and the example say what the code does."""

import json
import re
from pathlib import Path
from typing import get_args

from mailmcp.hosted.users import CALLS_PER_USER, PLACEHOLDER, READERS, USER_IDLE_S
from mailmcp.settings.hosted import USER_PLACEHOLDER, OAuthTable
from settings.loading import load

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
EXAMPLE = (ROOT / "config.example.toml").read_text(encoding="utf-8")


def test_the_table_has_each_key_with_its_default_and_values() -> None:
    table = PAGE[PAGE.index("| key |") :].partition("\n\n")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \|(.*)\|$", table, re.MULTILINE))
    assert list(rows) == list(OAuthTable.model_fields)
    for key, field in OAuthTable.model_fields.items():
        values = [each for each in get_args(field.annotation) if isinstance(each, str)]
        assert [each for each in values if f'`"{each}"`' not in rows[key]] == []
        default = rows[key].split(" | ")[1]
        if default.startswith("`"):
            shown = json.loads(default.split("`")[1])
            assert (tuple(shown) if isinstance(shown, list) else shown) == field.default


def test_the_settings_of_the_page_and_of_the_example_load(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    [text] = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    path.write_text(text)
    oauth = load(config=path).oauth
    assert oauth is not None
    lines = re.findall(r"^#   (.*)$", EXAMPLE[EXAMPLE.index("#   [http.oauth]") :], re.MULTILINE)
    path.write_text("\n".join([*lines, text[text.index("[[accounts]]") :].replace("password_file", "#")]))
    shown = load(config=path).oauth
    assert shown is not None
    assert shown.model_fields_set == set(OAuthTable.model_fields)
    for key in ("audience", "scopes", "user_claim", "check", "master_user", "sasl", "users_max"):
        assert getattr(shown, key) == OAuthTable.model_fields[key].default


def test_the_limits_of_the_page_are_real() -> None:
    assert f"| {CALLS_PER_USER}; one more" in PAGE
    assert f"2 for a user, {READERS} for all" in PAGE
    assert (USER_IDLE_S, "five idle minutes" in PAGE) == (300, True)
    assert PLACEHOLDER == USER_PLACEHOLDER
