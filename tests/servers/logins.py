"""What accounts log in with, for tests that log in by other means."""

from mailmcp.imap.account import Account, Password


def password_of(account: Account) -> str:
    """Read the password of an account that has one."""
    assert isinstance(account.credentials, Password)
    return account.credentials.read()
