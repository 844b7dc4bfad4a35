"""What all tests share: the option `--full`, servers and their certificates, the check of every reply.

`dovecot` is shared by the whole run, and each test has a user of its own there;
the other servers start in milliseconds and belong to one test.
"""

import itertools
import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from mcp import Client
from mcp.types import CallToolResult

import wire_log
from mcp_envelope import Dialect, check_reply
from servers.certificates import Certificates
from servers.dovecot import Dovecot, Login, find_dovecot
from servers.embedded import Pymap
from servers.peer import Peer, PeerFactory
from servers.proxy import CountingProxy, ProxyFactory

LOG_LINES_SHOWN = 40

# No deadline: a slow machine is not a failure. Derandomized: a run can be repeated.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("full", deadline=None, derandomize=True, max_examples=100)

_user_numbers = itertools.count(1)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="Run the tests marked `full` too.")
    parser.addoption("--wire-log", type=Path, help="Write how often each test sent each IMAP command here.")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("full" if config.getoption("full") else "default")
    config.pluginmanager.register(wire_log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("full"):
        left_out = [item for item in items if item.get_closest_marker("full")]
        items[:] = [item for item in items if not item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """An authority for peers; Dovecot has its own."""
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def dovecot() -> Iterator[Dovecot]:
    """The shared Dovecot; without one on the machine tests are skipped, but fail in CI."""
    if find_dovecot() is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Dovecot is not installed, and CI must have it")
        pytest.skip("Dovecot is not installed (Debian: dovecot-imapd)")
    with Dovecot() as server:
        yield server


@pytest.fixture
def dovecot_user(dovecot: Dovecot) -> Login:
    """A user nobody else has, whose mailboxes are empty."""
    return dovecot.user(f"user-{next(_user_numbers)}")


@pytest.fixture
def pymap_server() -> Iterator[Pymap]:
    """An empty pymap of this test's own."""
    with Pymap() as server:
        yield server


@pytest.fixture
def peer() -> Iterator[PeerFactory]:
    """Starts scripted peers, which stop with the test; arguments as `Peer` takes them."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(Peer(**options))


@pytest.fixture
def proxy() -> Iterator[ProxyFactory]:
    """Starts counting proxies, which stop with the test; arguments as `CountingProxy` takes them."""
    with ExitStack() as stack:
        yield lambda host, port, **options: stack.enter_context(CountingProxy(host, port, **options))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the end of Dovecot's log below a failed test that used it."""
    report = yield
    server = item.funcargs.get("dovecot") if isinstance(item, pytest.Function) else None
    if report.failed and isinstance(server, Dovecot):
        lines = server.log().splitlines()[-LOG_LINES_SHOWN:]
        report.sections.append(("Dovecot's log", "\n".join(lines)))
    return report


@pytest.fixture(autouse=True)
def _every_reply_keeps_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check every envelope that any test's client receives against the rules of its dialect."""
    call_tool = Client.call_tool

    async def checked(self: Client, *args: Any, **options: Any) -> CallToolResult:
        result = await call_tool(self, *args, **options)
        reply = result.structured_content
        if reply is not None:  # a tool that a test defines may have none
            assert check_reply(reply, dialect_of(reply)) == []
        return result

    monkeypatch.setattr(Client, "call_tool", checked)


def dialect_of(reply: dict[str, Any] | None) -> Dialect:
    """Return the dialect that a reply is in: only two have `success`, and one of them has `meta` too."""
    if "success" not in (reply or {}):
        return Dialect.SUMMARY
    return Dialect.RESPONSE_V2 if "meta" in (reply or {}) else Dialect.DISCRIMINATED
