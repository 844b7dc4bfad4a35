"""A Dovecot that takes access tokens of the tests' authorization server, and a person's home."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import keyring
import keyring.backends.fail
import pytest

from cli.conftest import own_process, serve_to
from servers.authorization import AuthorizationServer
from servers.dovecot import Dovecot, find_dovecot

__all__ = ["own_process", "serve_to"]
"""Commands run in this process here, too."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with no settings and no key store, and a browser whose user has consented before."""
    monkeypatch.setattr("webbrowser.open", lambda url: httpx2.get(url, follow_redirects=True))
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.backends.fail.Keyring())  # type: ignore[no-untyped-call]
    yield tmp_path
    keyring.set_keyring(before)


@pytest.fixture
def secrets(home: Path) -> Path:
    """The file that secrets go to."""
    return home / ".local" / "share" / "mailmcp" / "secrets.json"


@pytest.fixture
def config(home: Path) -> Path:
    """Where the settings belong; there are none yet."""
    return home / "config" / "mailmcp" / "config.toml"


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
