"""An authorization server, a clock that tests set, a browser that consents at once, places for secrets."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import keyring
import keyring.backends.fail
import pytest

from mailmcp.auth.client import OAuthClient, discover
from servers.authorization import CLIENT_ID, AuthorizationServer


@dataclass(slots=True)
class Clock:
    """Seconds since 1970, moved by tests."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass(slots=True)
class Browser:
    """Follows the address that it is given, in a thread, as a browser does."""

    threads: list[threading.Thread] = field(default_factory=list)

    def __call__(self, url: str, *before: str) -> None:
        """Visit a page; `before` are requests of strangers to the address where the browser will return."""
        thread = threading.Thread(target=self.visit, args=[url, before])
        self.threads.append(thread)
        thread.start()

    def visit(self, url: str, before: tuple[str, ...]) -> None:
        redirect = httpx2.URL(url).params["redirect_uri"]
        for path in before:
            assert httpx2.get(redirect + path).status_code == 400
        httpx2.get(url, follow_redirects=True, timeout=10)


@pytest.fixture(autouse=True)
def secrets_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where secrets go: folders of the test's own, and no key store of the system."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.backends.fail.Keyring())  # type: ignore[no-untyped-call]
    yield tmp_path / "data" / "mailmcp" / "secrets.json"
    keyring.set_keyring(before)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def browser() -> Iterator[Browser]:
    browser = Browser()
    yield browser
    for thread in browser.threads:
        thread.join()


@pytest.fixture
def provider(clock: Clock) -> Iterator[AuthorizationServer]:
    with AuthorizationServer(clock) as server:
        yield server


@pytest.fixture
def client(provider: AuthorizationServer, clock: Clock) -> OAuthClient:
    return OAuthClient(provider=discover(provider.issuer), client_id=CLIENT_ID, clock=clock)
