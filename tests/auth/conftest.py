"""An authorization server, a clock that tests set, and a browser that consents at once."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from mailmcp.auth.client import OAuthClient, discover
from mailmcp.auth.store import FileStore
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

    pages: list[httpx2.Response] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)

    def __call__(self, url: str) -> None:
        thread = threading.Thread(target=self.visit, args=[url])
        self.threads.append(thread)
        thread.start()

    def visit(self, url: str) -> None:
        self.pages.append(httpx2.get(url, follow_redirects=True, timeout=10))


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


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "data" / "secrets.json")


MakeClient = Callable[[], OAuthClient]
