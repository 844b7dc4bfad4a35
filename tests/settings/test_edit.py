import stat
from codecs import BOM_UTF8
from pathlib import Path

import pytest

from mailmcp.settings.edit import add_account
from mailmcp.settings.sources import SettingsError

FILE = """# top
[server]
log_level = "info"   # quiet

[[accounts]]
account_id = "home"  # mine
host = "h"
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
    ],
)
@pytest.mark.parametrize(("mark", "line"), [(b"", b"\n"), (BOM_UTF8, b"\r\n")], ids=["Unix", "Windows"])
def test_an_account_is_appended_and_all_else_stays(
    tmp_path: Path, before: str, after: str, mark: bytes, line: bytes
) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "config.toml"
    real.write_bytes(mark + before.encode().replace(b"\n", line))
    real.chmod(0o640)
    link.symlink_to(real)
    add_account(link, ACCOUNT)
    assert link.is_symlink()
    kept = line if b"\r\n" in before.encode().replace(b"\n", line) else b"\n"
    assert real.read_bytes() == mark + after.encode().replace(b"\n", kept)
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("[[accounts]]\naccount_id = 'new'\n", "has an account new already"),
        ("accounts = [{account_id = 'home'}]\n", "no account can be appended"),
        ("accounts = [3]\n", "accounts: must be an array of tables"),
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
