"""The TypeScript clients, 1.x and 2.x, over stdio: each reply of each tool in each dialect.

The cases are in `clients.cases`. Both check structured content against the published output
schema by themselves, 1.x that of errors too, and throw when it does not fit.
"""

import pytest

from clients.exchange import CALLS, Client, Exchange, Exchanges, problems
from clients.node import run_driver
from clients.site import Site
from mcp_envelope import Dialect

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("node")]


def typescript_1(site: Site, dialect: Dialect) -> Exchange:
    """Client of SDK 1.x."""
    return _exchange(site, dialect, "ts_v1.mjs")


def typescript_2_legacy(site: Site, dialect: Dialect) -> Exchange:
    """Client 2.x as it comes: it begins with `initialize`."""
    return _exchange(site, dialect, "ts_v2.mjs", "legacy")


def typescript_2_modern(site: Site, dialect: Dialect) -> Exchange:
    """Client 2.x, told to speak the revision without a handshake."""
    return _exchange(site, dialect, "ts_v2.mjs", "modern")


def _exchange(site: Site, dialect: Dialect, driver: str, *arguments: str) -> Exchange:
    recorded = site.recorded(dialect, "-".join([driver, *arguments, dialect.value]))
    listed, *endings = run_driver(driver, *arguments, *recorded.command, calls=CALLS)
    return Exchange(
        version=listed["version"], tools=listed["tools"], endings=endings, sent=recorded.results()
    )


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize(
    ("client", "version"),
    [
        (typescript_1, "2025-11-25"),
        (typescript_2_legacy, "2025-11-25"),
        (typescript_2_modern, "2026-07-28"),
    ],
)
def test_client_hands_over_every_reply_unharmed(
    exchanges: Exchanges, client: Client, version: str, dialect: Dialect
) -> None:
    exchange = exchanges.of(client, dialect)
    assert exchange.version == version
    assert problems(exchange, dialect) == []
    assert exchange.endings[-1]["error"]["code"] == -32602
