"""Accounts of servers on loopback, and what they log in with."""

from typing import Any

from mailmcp.imap.account import Account, Password, Tls


def plain_account(host: str, port: int, user: str, password: str, **options: Any) -> Account:
    """Make an account without TLS; it is called `work` unless options say otherwise."""
    known: dict[str, Any] = {"account_id": "work", "tls": Tls.NONE}
    credentials = Password(lambda: password)
    return Account(host=host, port=port, user=user, credentials=credentials, **known | options)


def password_of(account: Account) -> str:
    """Read the password of an account that has one."""
    assert isinstance(account.credentials, Password)
    return account.credentials.read()
