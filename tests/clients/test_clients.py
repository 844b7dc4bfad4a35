"""TypeScript clients and the Inspector: every reply of every tool in every dialect, and resources.

The TypeScript clients, over stdio, check structured content against the published output schema by
themselves, 1.x that of errors too, and throw when it doesn't fit. The Inspector's command line, over HTTP,
does so too, exits with 5 for errors, and has an opinion on the published schemas.
"""

from pathlib import Path

import pytest

from clients.cases import CASES, READS, REQUESTS, RPC_CODES, Era
from clients.exchange import problems, told_codes
from clients.node import run_driver
from clients.site import Site
from mcp_envelope import Code, Dialect

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("node")]

TOOL_ERROR = 5
"""The Inspector's exit status for a result with `isError`."""


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize(
    ("driver", "version", "era"),
    [
        (("ts_v1.mjs",), "2025-11-25", "legacy"),
        (("ts_v2.mjs", "legacy"), "2025-11-25", "legacy"),
        (("ts_v2.mjs", "modern"), "2026-07-28", "modern"),
    ],
)
def test_a_typescript_client_hands_over_every_reply_unharmed(
    site: Site, driver: tuple[str, ...], version: str, era: Era, dialect: Dialect
) -> None:
    listed, *endings = run_driver(*driver, *site.command(dialect), calls=REQUESTS)
    assert listed["version"] == version
    assert problems(listed["tools"], endings, dialect) == []
    assert endings[len(CASES)]["error"]["code"] == -32602
    failing = [read.code for read in READS if read.code]
    if driver == ("ts_v2.mjs", "legacy"):
        # It turns the old code for what isn't found into the new one by itself, and keeps only the URI.
        right = [(-32602, "") if code is Code.NOT_FOUND else (RPC_CODES[code][era], code) for code in failing]
    else:
        right = [(RPC_CODES[code][era], code) for code in failing]
    assert told_codes(endings) == right


@pytest.mark.parametrize(
    ("era", "dialect"), list(zip(["modern", "legacy", "modern"], Dialect, strict=True))
)  # each dialect in both eras: see above
def test_the_inspector_hands_over_every_reply_unharmed_and_finds_no_fault_with_the_schemas(
    site: Site, era: Era, dialect: Dialect, tmp_path: Path
) -> None:
    home = {"HOME": str(tmp_path)}
    listed, *endings = run_driver("inspector.mjs", era, site.url(dialect), calls=REQUESTS, env=home)
    assert (listed["exit"], listed.get("schemaFindings", [])) == (0, [])
    assert problems(listed["result"]["tools"], endings, dialect) == []
    exits = [ending["exit"] for ending in endings]
    assert exits[: len(CASES)] == [TOOL_ERROR if case.code else 0 for case in CASES]
    assert [bool(each) for each in exits[len(CASES) :]] == [True, *(bool(read.code) for read in READS)]
