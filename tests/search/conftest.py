"""Known mail on both servers: filled once for all tables."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from search.filled import Filled
from search.known_mail import fill, make_known
from search.rules import DovecotRules, PymapRules
from servers.dovecot import Dovecot
from servers.embedded import Pymap
from tools.desk import Desk
from tools.stores import dovecot_store, pymap_store

DOVECOT_MESSAGES = 5000
PYMAP_MESSAGES = 400
"""pymap parses each message anew for each search: 5,000 would take it five seconds a query."""


@pytest.fixture(scope="session")
def filled_dovecot(dovecot: Dovecot) -> Iterator[Filled]:
    """5,000 known messages on Dovecot, put there in any order; nobody changes them."""
    store = dovecot_store(dovecot, dovecot.user("known-mail"))
    known = fill(store, make_known(DOVECOT_MESSAGES))
    with Desk([store.named("home")]) as desk:
        desk.search(limit=100)  # shows that UIDs do not go by arrival: few matches of a query may not
        yield Filled(desk=desk, known=known, rules=DovecotRules())


@pytest.fixture(scope="session")
def filled_pymap() -> Iterator[Filled]:
    """The first 400 of them on pymap, which has no extensions; put there as they arrived."""
    with Pymap() as server:
        store = pymap_store(server)
        known = fill(store, sorted(make_known(PYMAP_MESSAGES), key=lambda each: each.received))
        with Desk([store.named("home")]) as desk:
            yield Filled(desk=desk, known=known, rules=PymapRules(), sorts=False)


@pytest.fixture
def open_desk() -> Iterator[Callable[..., Desk]]:
    """Opens desks for accounts; they close with the test."""
    with ExitStack() as stack:
        yield lambda *accounts: stack.enter_context(Desk(accounts))
