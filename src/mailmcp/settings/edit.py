"""Changes one key of an account in the settings file; every other octet stays as it is."""

import json
import os
import secrets
import stat
import tomllib
from codecs import BOM_UTF8
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mailmcp.settings.problems import SettingsError
from mailmcp.settings.toml_file import find_line, read_toml


def set_account_key(path: Path, account_id: str, key: str, value: str) -> bool:
    """Set a key of an account, in a new file that replaces the old one.

    The line of the key is replaced, or a new one follows that of `account_id`. What comes out must differ by
    that value alone, which also finds what can't be edited by lines, such as inline tables.

    Returns:
        False if the file says so already.

    Raises:
        SettingsError: The file can't be read or written, has no such account, or can't be edited by lines.
    """
    file = read_toml(path)
    accounts: Any = file.data.get("accounts", [])
    found = (place for place, each in enumerate(accounts) if each.get("account_id") == account_id)
    position = next(found, None)
    if position is None:
        raise SettingsError([f"{path}: has no account {account_id}"])
    old: Mapping[str, object] = accounts[position]
    if old.get(key) == value:
        return False
    lines = file.text.split("\n")
    number = find_line(file.text, ("accounts", position, key if key in old else "account_id")) or 0
    lines[number - 1 if key in old else number : number] = [f"{key} = {json.dumps(value)}"]
    text = "\n".join(lines)
    wanted = [{**each, key: value} if each is old else each for each in accounts]
    if _parse(text) != {**file.data, "accounts": wanted}:
        raise SettingsError([f"{path}: can't be edited automatically."])
    try:
        _replace(path.resolve(), text)
    except OSError as error:
        raise SettingsError([f"{path}: can't be written: {error.strerror}."]) from error
    return True


def _parse(text: str) -> object:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _replace(path: Path, text: str) -> None:
    """Write a new file with the mode of the old one and rename it: a crash leaves one of the two, whole."""
    old = path.read_bytes()
    mark = BOM_UTF8 if old.startswith(BOM_UTF8) else b""
    line_break = b"\r\n" if b"\r\n" in old else b"\n"
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    mode = stat.S_IMODE(path.stat().st_mode)
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(mark + text.encode().replace(b"\n", line_break))
            file.flush()
            os.fsync(file.fileno())
        new.chmod(mode)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
