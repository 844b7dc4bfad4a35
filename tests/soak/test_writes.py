"""A short part of `scripts/soak writes`."""

import pytest

from servers.dovecot import MDBOX, Dovecot, find_dovecot
from soak.writes import opened_soak
from tools.stores import Store, dovecot_store

OPERATIONS = 150


@pytest.mark.parametrize("server", ["maildir", "mdbox", "pymap"])
def test_replies_are_the_truth_and_no_message_is_lost(server: str, request: pytest.FixtureRequest) -> None:
    """Whatever another program does meanwhile, and wherever connections are cut; and undoing undoes."""
    if server == "mdbox":
        if find_dovecot() is None:
            pytest.skip("Dovecot is not installed (Debian: dovecot-imapd)")
        with Dovecot(extra=MDBOX) as dovecot:
            _run(dovecot_store(dovecot, dovecot.user("ann")), OPERATIONS)
        return
    store: Store = request.getfixturevalue("dovecot_mail" if server == "maildir" else "pymap_mail")
    _run(store, OPERATIONS if server == "maildir" else OPERATIONS // 3)


def _run(store: Store, operations: int) -> None:
    with opened_soak(store, seed=1) as soak:
        figures = soak.run(operations)
    assert sum(count for what, count in figures.outcomes.items() if what.endswith("done")) > operations // 20
