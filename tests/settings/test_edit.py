import stat
from pathlib import Path

import pytest

from mailmcp.settings.edit import add_account
from mailmcp.settings.problems import SettingsError

FILE = """# top
[server]
log_level = "info"   # quiet

[[accounts]]
account_id = "home"  # mine
host = "h"

# the office
[[accounts]]
account_id = "work"
host = "w"
"""


ACCOUNT: dict[str, str | int] = {"account_id": "new", "host": "n", "port": 1993, "user": 'Ä "quoted" \\ name'}
TABLE = """[[accounts]]
account_id = "new"
host = "n"
port = 1993
user = "Ä \\"quoted\\" \\\\ name"
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", TABLE),
        (FILE, f"{FILE}\n{TABLE}"),
        ("[server] # last", f"[server] # last\n\n{TABLE}"),
        ("# only a comment\n", f"# only a comment\n\n{TABLE}"),
    ],
)
def test_an_account_is_appended_and_all_else_stays(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(before, encoding="utf-8")
    path.chmod(0o640)
    add_account(path, ACCOUNT)
    assert path.read_text(encoding="utf-8") == after
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_line_breaks_of_windows_stay_when_an_account_is_appended(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xef\xbb\xbf" + FILE.replace("\n", "\r\n").encode())
    add_account(path, ACCOUNT)
    changed = path.read_bytes()
    assert changed.startswith(b"\xef\xbb\xbf# top\r\n")
    assert changed.count(b"\n") == changed.count(b"\r\n") == f"{FILE}\n{TABLE}".count("\n")


def test_a_link_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "config.toml"
    real.write_text(FILE)
    link.symlink_to(real)
    add_account(link, ACCOUNT)
    assert link.is_symlink()
    assert 'account_id = "new"' in real.read_text()


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "config.toml"
    add_account(path, ACCOUNT)
    assert path.read_text(encoding="utf-8") == TABLE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("[[accounts]]\naccount_id = 'new'\n", "has an account new already"),
        ("accounts = [{account_id = 'home'}]\n", "no account can be appended"),
        ("accounts = 3\n", "accounts must be an array of tables"),
        ("accounts = [3]\n", "accounts must be an array of tables"),
        ("[[accounts\n", "line 1"),
    ],
)
def test_a_file_that_takes_no_more_accounts_stays(tmp_path: Path, content: str, fault: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(content)
    with pytest.raises(SettingsError, match=fault):
        add_account(path, ACCOUNT)
    assert path.read_text() == content
    assert [each.name for each in tmp_path.iterdir()] == ["config.toml"]
