"""The MCP Inspector's command line, in both eras.

Each reply of each tool over HTTP, many calls in one process, and some over stdio, as a
shell starts it. It checks the structured content of errors too, exits with 5 for them, and
has an opinion on the published schemas.
"""

import json

import pytest

from clients.cases import CASES
from clients.exchange import CALLS, Client, Exchange, Exchanges, problems
from clients.node import MODULES, run_driver, run_node
from clients.site import Site
from mcp_envelope import Dialect

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("node")]

INSPECTOR = MODULES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"

ERAS = ("legacy", "modern")

TOOL_ERROR = 5
"""Exit status for a result with `isError`."""


def inspector_legacy(site: Site, dialect: Dialect) -> Exchange:
    """As it comes."""
    return _exchange(site, dialect, "legacy")


def inspector_modern(site: Site, dialect: Dialect) -> Exchange:
    """Told to speak the revision without a handshake."""
    return _exchange(site, dialect, "modern")


def _exchange(site: Site, dialect: Dialect, era: str) -> Exchange:
    """Nobody listens between the two; so the server's text is the envelope."""
    home = {"HOME": str(site.home)}
    listed, *endings = run_driver("inspector.mjs", era, site.url(dialect), calls=CALLS, env=home)
    assert "result" in listed, listed
    return Exchange(version=None, tools=listed["result"]["tools"], endings=endings, sent=None, listing=listed)


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("client", [inspector_legacy, inspector_modern])
def test_client_hands_over_every_reply_unharmed(
    exchanges: Exchanges, client: Client, dialect: Dialect
) -> None:
    exchange = exchanges.of(client, dialect)
    assert problems(exchange, dialect) == []
    exits = {case.name: ending["exit"] for case, ending in zip(CASES, exchange.endings, strict=False)}
    assert exits == {case.name: TOOL_ERROR if case.code else 0 for case in CASES}
    assert exchange.endings[-1]["exit"] != 0


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("client", [inspector_legacy, inspector_modern])
def test_schemas_are_portable(exchanges: Exchanges, client: Client, dialect: Dialect) -> None:
    """`--strict` exits with 6 where a host would refuse a schema, and warns where one might."""
    listing = exchanges.of(client, dialect).listing
    findings = [each for tool in listing.get("schemaFindings", ()) for each in tool["findings"]]
    assert listing["exit"] == 0, findings
    assert findings == []


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", ["mailboxes: one not counted", "search: stale cursor"])
def test_shell_gets_the_result_and_its_status(site: Site, name: str, era: str) -> None:
    case = next(each for each in CASES if each.name == name)
    recorded = site.recorded(Dialect.SUMMARY, f"inspector-{era}-{case.tool}")
    options = ["--protocol-era", era, "--method", "tools/call", "--tool-name", case.tool]
    options += ["--tool-args-json", json.dumps(case.arguments), "--format", "json", "--quiet"]
    done = run_node(INSPECTOR, "--cli", *options, "--", *recorded.command, env={"HOME": str(site.home)})
    assert done.returncode == (TOOL_ERROR if case.code else 0), done.stderr
    result = json.loads(done.stdout)["result"]
    (sent,) = recorded.results()
    for key in ("content", "structuredContent", "isError"):
        assert result[key] == sent[key]
