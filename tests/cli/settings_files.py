"""Settings files for accounts on the test servers."""

import json
from pathlib import Path

from mailmcp.imap.account import Account
from servers.logins import password_of


def write_settings(folder: Path, *accounts: Account, server: str = "", extra: str = "") -> Path:
    """Write a settings file: lines of `[server]`, accounts with passwords, more lines of the last one."""
    text = f"[server]\n{server}\n"
    for account in accounts:
        keys = ("account_id", "host", "port", "user", "tls")
        values = {key: getattr(account, key) for key in keys} | {"password": password_of(account)}
        values |= {"ca_file": str(account.ca_file or "")}
        # JSON strings and numbers are TOML, too.
        text += "\n[[accounts]]\n" + "".join(f"{key} = {json.dumps(each)}\n" for key, each in values.items())
    path = folder / "config.toml"
    path.touch(mode=0o600)
    path.write_text(text + extra, encoding="utf-8")
    return path
