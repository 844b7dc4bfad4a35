"""Adds an account to the settings file or changes one key of it; every other octet stays as it is."""

import json
import re
import stat
import tomllib
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from pathlib import Path

from mailmcp.atomic import write_atomically
from mailmcp.settings.problems import SettingsError
from mailmcp.settings.sources import read_toml


def set_account_key(path: Path, account_id: str, key: str, value: str) -> None:
    """Set a key of an account: its line is replaced, or a new one follows that of `account_id`.

    Raises:
        SettingsError: The file can't be read or written, has no such account, or can't be edited by lines.
    """
    text, accounts = _read(path)
    if account_id not in [each.get("account_id") for each in accounts]:
        raise SettingsError([f"{path}: has no account {account_id}"])
    wanted = [{**each, key: value} if each.get("account_id") == account_id else each for each in accounts]
    if wanted != accounts:
        _replace(path, _edits(text, key, value), wanted, "can't be edited automatically")


def _edits(text: str, key: str, value: str) -> Iterable[str]:
    """Set a key in each place where that may make the file wanted."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        name = re.match(r"\s*(\w+)\s*=", line)
        if name and name[1] in {key, "account_id"}:
            kept = [] if name[1] == key else [line]
            yield "\n".join([*lines[:number], *kept, f"{key} = {json.dumps(value)}", *lines[number + 1 :]])


def add_account(path: Path, account: Mapping[str, str | int]) -> None:
    """Append an account to a file, or create the file, which then only its owner can read.

    Raises:
        SettingsError: The file can't be read or written, has an account of this id, or ends in something that
            no table can follow.
    """
    text, accounts = _read(path, optional=True)
    if account["account_id"] in [each.get("account_id") for each in accounts]:
        raise SettingsError([f"{path}: has an account {account['account_id']} already."])
    table = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in account.items())
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    fault = "no account can be appended. Write each one as a table [[accounts]]"
    _replace(path, [f"{text}{gap}[[accounts]]\n{table}"], [*accounts, account], fault)


def read_accounts(path: Path) -> list[Mapping[str, object]]:
    """Return the accounts of a file, unchecked; none if it is missing.

    Raises:
        SettingsError: The file can't be read, or they are no tables.
    """
    return _read(path, optional=True)[1]


def _read(path: Path, *, optional: bool = False) -> tuple[str, list[Mapping[str, object]]]:
    text, data = read_toml(path, optional=optional)
    accounts = data.get("accounts", [])
    if not isinstance(accounts, list) or not all(isinstance(each, dict) for each in accounts):
        raise SettingsError([f"{path}: accounts must be an array of tables; write [[accounts]]."])
    return text, accounts


def _replace(path: Path, texts: Iterable[str], accounts: list[Mapping[str, object]], fault: str) -> None:
    """Replace a file by the first text that differs in the accounts alone, and has those.

    A link stays one. The mode, the byte order mark and the line breaks stay, too.

    Raises:
        SettingsError: There is no such text, or it can't be written.
    """
    wanted = {**read_toml(path, optional=True)[1], "accounts": accounts}
    text = next((each for each in texts if _parse(each) == wanted), None)
    if text is None:
        raise SettingsError([f"{path}: {fault}."])
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


def _parse(text: str) -> object:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
