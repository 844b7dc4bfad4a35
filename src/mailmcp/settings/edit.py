"""Adds an account to the settings file; every other octet stays as it is."""

import json
import stat
import tomllib
from codecs import BOM_UTF8
from collections.abc import Mapping
from pathlib import Path

from mailmcp.atomic import write_atomically
from mailmcp.settings.problems import SettingsError
from mailmcp.settings.sources import read_toml


def add_account(path: Path, account: Mapping[str, str | int]) -> None:
    """Append an account to a file, or create the file, which then only its owner can read.

    Raises:
        SettingsError: The file can't be read or written, has an account of this id, or ends in something that
            no table can follow.
    """
    text, data = read_toml(path, optional=True)
    accounts = read_accounts(path)
    if account["account_id"] in [each.get("account_id") for each in accounts]:
        raise SettingsError([f"{path}: has an account {account['account_id']} already."])
    table = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in account.items())
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    text = f"{text}{gap}[[accounts]]\n{table}"
    try:
        is_right = tomllib.loads(text) == {**data, "accounts": [*accounts, account]}
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise SettingsError([f"{path}: no account can be appended. Write each one as a table [[accounts]]."])
    _replace(path, text)


def read_accounts(path: Path) -> list[Mapping[str, object]]:
    """Return the accounts of a file, unchecked; none if it is missing.

    Raises:
        SettingsError: The file can't be read, or they are no tables.
    """
    accounts = read_toml(path, optional=True)[1].get("accounts", [])
    if not isinstance(accounts, list) or not all(isinstance(each, dict) for each in accounts):
        raise SettingsError([f"{path}: accounts must be an array of tables; write [[accounts]]."])
    return accounts


def _replace(path: Path, text: str) -> None:
    """Replace a file. A link stays one; the mode, the byte order mark and the line breaks stay, too.

    Raises:
        SettingsError: It can't be written.
    """
    real = path.resolve()
    mode, mark, line_break = 0o600, b"", b"\n"
    try:
        if real.exists():
            old = real.read_bytes()
            mode = stat.S_IMODE(real.stat().st_mode)
            mark = BOM_UTF8 if old.startswith(BOM_UTF8) else b""
            line_break = b"\r\n" if b"\r\n" in old else b"\n"
        real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(real, mark + text.encode().replace(b"\n", line_break), mode=mode)
    except OSError as error:
        raise SettingsError([f"{path}: can't be written: {error.strerror}."]) from error
