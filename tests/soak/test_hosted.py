"""A short part of `scripts/soak hosted`."""

import pytest

from servers.dovecot import find_dovecot
from servers.nginx import need_nginx
from servers.valkey import need_valkey
from soak.hosted import run

USERS = 100


@pytest.mark.full
def test_a_hundred_users_see_their_own_mail_alone_and_nothing_is_written_twice() -> None:
    need_nginx()
    need_valkey()
    if find_dovecot() is None:
        pytest.skip("Dovecot is not installed (Debian: dovecot-imapd)")
    figures = run(users=USERS, seconds=10, seed=1)
    assert len(figures.events) == 7
    assert figures.calls.total() > USERS
    assert figures.done.total() > 20
    assert 0 < figures.lost.total() <= 3 * USERS, "each replica ends once, and a user has a call or two"
