"""Fixtures of the tools' tests: a store on either server, and desks to call tools from."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TypeAlias

import pytest

from mailmcp.imap.account import Account
from servers.dovecot import Dovecot, Login
from servers.embedded import Pymap
from tools.desk import Desk
from tools.stores import Store, dovecot_store, pymap_store

DeskFactory: TypeAlias = Callable[..., Desk]


@pytest.fixture
def dovecot_mail(dovecot: Dovecot, dovecot_user: Login) -> Store:
    """An empty store on Dovecot."""
    return dovecot_store(dovecot, dovecot_user)


@pytest.fixture
def pymap_mail(pymap_server: Pymap) -> Store:
    """An empty store on pymap."""
    return pymap_store(pymap_server)


@pytest.fixture(params=["dovecot", "pymap"])
def store(request: pytest.FixtureRequest) -> Store:
    """An empty store on each server in turn: the same is expected of both."""
    name = {"dovecot": "dovecot_mail", "pymap": "pymap_mail"}[request.param]
    chosen = request.getfixturevalue(name)
    assert isinstance(chosen, Store)
    return chosen


@pytest.fixture
def open_desk() -> Iterator[Callable[..., Desk]]:
    """Opens desks, which close with the test; takes accounts."""
    with ExitStack() as stack:
        yield lambda *accounts: stack.enter_context(Desk(accounts))


@pytest.fixture
def desk(store: Store, open_desk: Callable[[Account], Desk]) -> Desk:
    """A desk for the account of `store`."""
    return open_desk(store.account)
