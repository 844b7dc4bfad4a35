"""An account says where and how, and never the password."""

import pytest

from mailmcp import limits
from mailmcp.imap.account import Account, Tls


def account(tls: Tls = Tls.IMPLICIT) -> Account:
    return Account(
        account_id="main", host="h", port=993, user="u", read_password=lambda: "fake-password", tls=tls
    )


def test_tls_from_the_first_octet_is_the_default() -> None:
    given = Account(account_id="main", host="h", port=993, user="u", read_password=lambda: "fake-password")
    assert given.tls is Tls.IMPLICIT
    assert given.max_sessions == limits.SESSIONS_PER_ACCOUNT


@pytest.mark.parametrize(("tls", "secure"), [(Tls.IMPLICIT, True), (Tls.STARTTLS, True), (Tls.NONE, False)])
def test_only_plain_text_is_not_secure(tls: Tls, *, secure: bool) -> None:
    assert account(tls=tls).secure == secure


def test_the_way_to_the_password_is_not_shown() -> None:
    assert "read_password" not in repr(account())
