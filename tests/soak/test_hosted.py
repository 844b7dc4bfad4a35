"""A short part of `scripts/soak hosted`."""

import pytest

from servers.dovecot import find_dovecot
from servers.nginx import need_nginx
from servers.valkey import need_valkey
from soak.hosted import run


@pytest.mark.full
def test_two_hundred_users_see_their_own_mail_alone_and_nothing_is_written_twice() -> None:
    need_nginx()
    need_valkey()
    if find_dovecot() is None:
        pytest.skip("Dovecot is not installed (Debian: dovecot-imapd)")
    figures = run(users=200, seconds=20, seed=1)
    assert len(figures.events) == 7
    assert figures.calls.total() > 400
    assert figures.done.total() > 40
    assert figures.refused["internal/journal_failed"] > 0
    assert figures.read_meanwhile > 0
    unanswered = figures.lost.total() + figures.refused["timeout/deadline"]
    assert 0 < unanswered < figures.calls.total() / 10, "one replica is killed"
