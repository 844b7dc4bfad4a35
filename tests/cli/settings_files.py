"""Settings files for accounts on the test servers."""

import json
from pathlib import Path

from mailmcp.imap.account import Account
from servers.logins import password_of


def write_settings(folder: Path, *accounts: Account, server: str = "", extra: str = "") -> Path:
    """Write a settings file that only its owner can read, as passwords in it demand.

    Args:
        folder: Where to.
        accounts: Their passwords are written out.
        server: Lines of `[server]`.
        extra: Lines for the last account.
    """
    tables = [f"[server]\n{server}\n"]
    for account in accounts:
        values = {
            "account_id": account.account_id,
            "host": account.host,
            "port": account.port,
            "user": account.user,
            "password": password_of(account),
            "tls": account.tls.value,
            "ca_file": str(account.ca_file or ""),
        }
        # JSON strings and numbers are TOML, too.
        lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in values.items())
        tables.append(f"[[accounts]]\n{lines}\n")
    path = folder / "config.toml"
    path.touch(mode=0o600)
    path.write_text("\n".join([*tables, extra]), encoding="utf-8")
    return path
