"""A Dovecot that takes access tokens of the tests' authorization server."""

import os
import time
from collections.abc import Iterator

import keyring
import keyring.backends.fail
import pytest

from cli.conftest import restored_logging
from servers.authorization import AuthorizationServer
from servers.dovecot import Dovecot, find_dovecot

__all__ = ["restored_logging"]
"""Commands run in this process here, too."""


@pytest.fixture(autouse=True)
def _no_key_store() -> Iterator[None]:
    """The machine has no key store, whichever one it has."""
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.backends.fail.Keyring())  # type: ignore[no-untyped-call]
    yield
    keyring.set_keyring(before)


@pytest.fixture(scope="module")
def _authorization() -> Iterator[AuthorizationServer]:
    with AuthorizationServer(time.time) as server:
        yield server


@pytest.fixture(scope="module")
def mail_server(_authorization: AuthorizationServer) -> Iterator[Dovecot]:
    if find_dovecot() is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Dovecot is not installed, and CI must have it")
        pytest.skip("Dovecot is not installed (Debian: dovecot-imapd)")
    with Dovecot(token_issuer=_authorization.issuer) as server:
        yield server


@pytest.fixture
def authorization(_authorization: AuthorizationServer) -> AuthorizationServer:
    """The server, behaving well, as each test finds it."""
    _authorization.reset()
    return _authorization
