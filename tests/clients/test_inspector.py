"""The MCP Inspector's command line, in both eras.

Each reply of each tool over HTTP, many calls in one process; and over stdio, as a shell
starts it, its judgement of the published schemas and its exit statuses. It checks the
structured content of errors too, and exits with 5 for them.
"""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clients.cases import CASES
from clients.exchange import CALLS, Client, Exchange, Exchanges, JsonObject, problems
from clients.node import MODULES, run_driver, run_node
from clients.serving import serving
from clients.site import Site
from mailmcp.envelope.dialects.names import Dialect

pytestmark = pytest.mark.usefixtures("node")

INSPECTOR = MODULES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"

ERAS = ("legacy", "modern")

TOOL_ERROR = 5
"""Exit status for a result with `isError`."""

_NULLABLE = {
    f"outputSchema.properties.{path}"
    for path in (
        "error",
        "meta.properties.warnings",
        "meta.properties.pagination",
        "meta.properties.rate_limit",
        "meta.properties.telemetry",
    )
}
"""Keys of response-v2 that are there even if empty, as null: `{"type": [kind, "null"]}`."""

WARNED_OF: Mapping[Dialect, set[str]] = {
    Dialect.SUMMARY: set(),
    Dialect.RESPONSE_V2: _NULLABLE,
    Dialect.DISCRIMINATED: set(),
}
"""Where it says that not every host may understand a schema."""


def inspector_legacy(site: Site, dialect: Dialect) -> Exchange:
    """As it comes."""
    return _exchange(site, dialect, "legacy")


def inspector_modern(site: Site, dialect: Dialect) -> Exchange:
    """Told to speak the revision without a handshake."""
    return _exchange(site, dialect, "modern")


def _exchange(site: Site, dialect: Dialect, era: str) -> Exchange:
    """Call a server whose text is the envelope, since nobody listens between the two."""
    with serving(site.serve_http(dialect, "--text", "json")) as url:
        home = {"HOME": str(site.home)}
        listed, *endings = run_driver("inspector.mjs", era, url, calls=CALLS, env=home)
    return Exchange(version=None, tools=listed["result"]["tools"], endings=endings, sent=None)


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("client", [inspector_legacy, inspector_modern])
def test_client_hands_over_every_reply_unharmed(
    exchanges: Exchanges, client: Client, dialect: Dialect
) -> None:
    exchange = exchanges.of(client, dialect)
    assert problems(_without_exits(exchange), dialect) == []
    exits = {case.name: ending["exit"] for case, ending in zip(CASES, exchange.endings, strict=False)}
    assert exits == {case.name: TOOL_ERROR if case.code else 0 for case in CASES}
    assert exchange.endings[-1]["exit"] != 0


def _without_exits(exchange: Exchange) -> Exchange:
    """Leave the result where there is one: the tool's error is no error of the client."""
    endings = [{"result": each["result"]} if "result" in each else each for each in exchange.endings]
    return Exchange(version=exchange.version, tools=exchange.tools, endings=endings, sent=exchange.sent)


@pytest.mark.parametrize("era", ERAS)
def test_schemas_are_portable(site: Site, era: str) -> None:
    """`--strict` exits with 6 where a host would refuse a schema, and warns where one might."""
    options = ["--protocol-era", era, "--method", "tools/list", "--strict"]
    with ThreadPoolExecutor(len(Dialect)) as threads:
        listing = {each: threads.submit(_inspect, site.home, options, site.serve(each)) for each in Dialect}
    for dialect, running in listing.items():
        status, answer = running.result()
        assert status == 0, answer.get("schemaFindings")
        findings = [each for tool in answer.get("schemaFindings", ()) for each in tool["findings"]]
        assert {each["severity"] for each in findings} <= {"warning"}
        assert {f"{each['schema']}.{each['path']}" for each in findings} == WARNED_OF[dialect]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "name", ["mailboxes: one not counted", "search: stale cursor", "get: everything of a rich message"]
)
def test_shell_gets_the_result_and_its_status(site: Site, name: str, era: str) -> None:
    case = next(each for each in CASES if each.name == name)
    recorded = site.recorded(Dialect.SUMMARY, f"inspector-{era}-{case.tool}")
    options = ["--protocol-era", era, "--method", "tools/call", "--tool-name", case.tool]
    options += ["--tool-args-json", json.dumps(case.arguments)]
    status, answer = _inspect(site.home, options, recorded.command)
    assert status == (TOOL_ERROR if case.code else 0)
    (sent,) = recorded.results()
    for key in ("content", "structuredContent", "isError"):
        assert answer["result"][key] == sent[key]


def _inspect(home: Path, options: Sequence[str], command: Sequence[str]) -> tuple[int, JsonObject]:
    """Run it as a shell does; give its exit status and what it printed."""
    arguments = ["--cli", "--format", "json", "--quiet", *options, "--", *command]
    done = run_node(INSPECTOR, *arguments, env={"HOME": str(home)})
    assert done.stdout, done.stderr
    answer: JsonObject = json.loads(done.stdout)
    return done.returncode, answer
