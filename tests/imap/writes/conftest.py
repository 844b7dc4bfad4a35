"""Fixtures of the tests of writes: an empty store on each of three servers."""

from collections.abc import Iterator
from itertools import count

import pytest

from servers.dovecot import MDBOX, Dovecot, find_dovecot
from servers.embedded import Pymap
from tools.stores import Store, dovecot_store, pymap_store

_user_numbers = count(1)


@pytest.fixture(scope="session")
def mdbox() -> Iterator[Dovecot]:
    """A Dovecot that keeps mail in mdbox, whose MOVE is another piece of code than Maildir's."""
    if find_dovecot() is None:
        pytest.skip("Dovecot is not installed (Debian: dovecot-imapd)")
    with Dovecot(extra=MDBOX) as server:
        yield server


@pytest.fixture(params=["maildir", "mdbox", "pymap"])
def mail(request: pytest.FixtureRequest) -> Store:
    """An empty store on each server in turn."""
    if request.param == "pymap":
        server = request.getfixturevalue("pymap_server")
        assert isinstance(server, Pymap)
        return pymap_store(server)
    dovecot = request.getfixturevalue("dovecot" if request.param == "maildir" else "mdbox")
    assert isinstance(dovecot, Dovecot)
    return dovecot_store(dovecot, dovecot.user(f"writer-{next(_user_numbers)}"))
