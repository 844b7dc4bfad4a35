"""Adds an account to the settings file; every other octet stays as it is."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

from mailmcp.atomic import rewrite
from mailmcp.settings.sources import SettingsError, read_toml


def add_account(path: Path, account: Mapping[str, str | int]) -> None:
    """Append an account to a file, or create the file, which then only its owner can read.

    Raises:
        SettingsError: The file can't be read or written, has an account of this id, or ends in something that
            no table can follow.
    """
    text, data, accounts = read_toml(path, optional=True)
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
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        rewrite(path, text)
    except OSError as error:
        raise SettingsError([f"{path}: can't be written: {error.strerror}."]) from error
