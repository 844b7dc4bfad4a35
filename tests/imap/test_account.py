"""An account says where and how, and never the password."""

import pytest

from mailmcp import limits
from mailmcp.imap.account import Account, Password, Tls, is_loopback


def account(tls: Tls = Tls.IMPLICIT) -> Account:
    return Account(
        account_id="main",
        host="h",
        port=993,
        user="u",
        credentials=Password(lambda: "fake-password"),
        tls=tls,
    )


def test_tls_from_the_first_octet_is_the_default() -> None:
    given = Account(
        account_id="main", host="h", port=993, user="u", credentials=Password(lambda: "fake-password")
    )
    assert given.tls is Tls.IMPLICIT
    assert given.max_sessions == limits.SESSIONS_PER_ACCOUNT


@pytest.mark.parametrize(("tls", "secure"), [(Tls.IMPLICIT, True), (Tls.STARTTLS, True), (Tls.NONE, False)])
def test_only_plain_text_is_not_secure(tls: Tls, *, secure: bool) -> None:
    assert account(tls=tls).secure == secure


def test_the_way_to_the_password_is_not_shown() -> None:
    assert "read_password" not in repr(account())


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("LOCALHOST", True),
        ("127.0.0.1", True),
        ("127.255.0.9", True),
        ("::1", True),
        ("0:0:0:0:0:0:0:1", True),
        ("::1%1", True),
        ("127.0.0.1%localhost", False),
        ("::ffff:127.0.0.1", False),
        ("::", False),
        ("0.0.0.0", False),  # noqa: S104 - not bound to
        ("192.168.0.1", False),
        ("localhost.example.com", False),
        ("127.0.0.1.example.com", False),
    ],
)
def test_loopback_stays_on_this_machine(host: str, *, loopback: bool) -> None:
    assert is_loopback(host) is loopback
