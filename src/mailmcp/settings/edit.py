"""Adds an account to the settings file or changes one key of it; every other octet stays as it is."""

import json
import stat
import tomllib
from codecs import BOM_UTF8
from collections.abc import Mapping
from pathlib import Path

from mailmcp.atomic import write_atomically
from mailmcp.settings.problems import SettingsError
from mailmcp.settings.toml_file import TomlFile, find_line, read_toml


def set_account_key(path: Path, account_id: str, key: str, value: str) -> bool:
    """Set a key of an account, in a new file that replaces the old one.

    The line of the key is replaced, or a new one follows that of `account_id`. The result must differ only
    in that value, which also finds what can't be edited by lines, such as inline tables.

    Returns:
        False if the file already has that value.

    Raises:
        SettingsError: The file can't be read or written, has no such account, or can't be edited by lines.
    """
    file = read_toml(path)
    accounts = accounts_of(file)
    found = (place for place, each in enumerate(accounts) if each.get("account_id") == account_id)
    position = next(found, None)
    if position is None:
        raise SettingsError([f"{path}: has no account {account_id}"])
    old = accounts[position]
    if old.get(key) == value:
        return False
    lines = file.text.split("\n")
    number = find_line(file.text, ("accounts", position, key if key in old else "account_id")) or 0
    lines[number - 1 if key in old else number : number] = [f"{key} = {json.dumps(value)}"]
    text = "\n".join(lines)
    wanted = [{**each, key: value} if each is old else each for each in accounts]
    if _parse(text) != {**file.data, "accounts": wanted}:
        raise SettingsError([f"{path}: can't be edited automatically."])
    _replace(path, text)
    return True


def add_account(path: Path, account: Mapping[str, str | int]) -> None:
    """Append an account to a file, or create the file, which then only its owner can read.

    Raises:
        SettingsError: The file can't be read or written, has an account of this id, or ends in something that
            no table can follow.
    """
    file = read_toml(path, optional=True)
    accounts = accounts_of(file)
    if any(each.get("account_id") == account["account_id"] for each in accounts):
        raise SettingsError([f"{path}: has an account {account['account_id']} already."])
    table = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in account.items())
    gap = "" if not file.text else "\n" if file.text.endswith("\n") else "\n\n"
    text = f"{file.text}{gap}[[accounts]]\n{table}"
    if _parse(text) != {**file.data, "accounts": [*accounts, dict(account)]}:
        raise SettingsError([f"{path}: no account can be appended. Write each one as a table [[accounts]]."])
    _replace(path, text)


def accounts_of(file: TomlFile) -> list[Mapping[str, object]]:
    """Return the accounts of a file, unchecked.

    Raises:
        SettingsError: They are no tables.
    """
    accounts = file.data.get("accounts", [])
    if not isinstance(accounts, list) or not all(isinstance(each, dict) for each in accounts):
        raise SettingsError([f"{file.path}: accounts must be an array of tables; write [[accounts]]."])
    return accounts


def _parse(text: str) -> object:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _replace(path: Path, text: str) -> None:
    """Replace a file, or the one that a link leads to, with its mode, byte order mark and line breaks.

    A new file can only be read by its owner.

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
