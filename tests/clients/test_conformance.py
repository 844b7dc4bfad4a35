"""The official conformance suite over HTTP, in both eras.

Those of its scenarios that mean something for any server; the rest call tools, prompts and
resources that a server must have been written with for the suite. A check that does not
succeed must be in `conformance-expected.txt` with its reason, and one that is there must
not succeed. Warnings, which the suite gives for a SHOULD, count alike.
"""

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from clients.node import HERE, MODULES, run_node
from clients.site import Site
from mcp_envelope import Dialect

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("node")]

LEGACY, MODERN = "2025-11-25", "2026-07-28"

IN_BOTH_ERAS = (
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
)
ONLY_LEGACY = ("server-initialize", "ping")
ONLY_MODERN = (
    "server-stateless",
    "http-header-validation",
    "caching",
    "sep-2164-resource-not-found",
    "input-required-result-unsupported-methods",
)

IN_ORDER = {"SUCCESS", "INFO", "SKIPPED"}
"""What a check may come to; the others are FAILURE and WARNING."""

PROCESSES = 2
TIMEOUT_S = 60.0


class Run(NamedTuple):
    """One scenario of one version of the suite."""

    suite: str
    """`conformance-legacy` is its newest release; `conformance-modern`, which holds each message
    against the protocol's schema too, the one to come."""

    revision: str
    scenario: str


RUNS = (
    *(Run("conformance-legacy", LEGACY, each) for each in (*ONLY_LEGACY, *IN_BOTH_ERAS)),
    *(
        Run("conformance-modern", LEGACY, each)
        for each in (*ONLY_LEGACY, "server-session-lifecycle", *IN_BOTH_ERAS)
    ),
    *(Run("conformance-modern", MODERN, each) for each in (*ONLY_MODERN, *IN_BOTH_ERAS)),
)

Findings = dict[str, str]
"""Checks that did not succeed, with what the suite says of them."""

LINES = (HERE / "conformance-expected.txt").read_text(encoding="utf-8").splitlines()
EXPECTED = {tuple(each.partition(": ")[0].split(" ")) for each in LINES if each and each[0] != "#"}
"""Revision, scenario and check of what is expected not to succeed; the reason follows in the file."""


@pytest.fixture(scope="module")
def running(
    node: None,  # noqa: ARG001 - before a server is started in vain
    site: Site,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[Run, Future[Findings]]]:
    """Start every run, a few at a time, against one server."""
    folder = tmp_path_factory.mktemp("conformance")
    url = site.url(Dialect.SUMMARY)
    with ThreadPoolExecutor(PROCESSES) as threads:
        yield {run: threads.submit(_findings, run, url, folder / "-".join(run)) for run in RUNS}
        threads.shutdown(cancel_futures=True)


def _findings(run: Run, url: str, folder: Path) -> Findings:
    options = ["--url", url, "--scenario", run.scenario, "--spec-version", run.revision]
    done = run_node(
        MODULES / run.suite / "dist" / "index.js",
        *("server", *options, "--output-dir", str(folder)),
        timeout_s=TIMEOUT_S,
    )
    written = list(folder.glob("*/checks.json"))
    assert len(written) == 1, f"{run} came to no end:\n{done.stdout}{done.stderr}"
    checks = json.loads(written[0].read_text(encoding="utf-8"))
    assert checks, f"{run} checked nothing"
    return {
        each["id"]: f"{each['status']} {each.get('errorMessage', '')}"
        for each in checks
        if each["status"] not in IN_ORDER
    }


@pytest.mark.parametrize("run", RUNS, ids="-".join)
def test_scenario_succeeds_but_for_what_is_expected(run: Run, running: dict[Run, Future[Findings]]) -> None:
    found = running[run].result()
    expected = {check for *place, check in EXPECTED if place == [run.revision, run.scenario]}
    assert {check: said for check, said in found.items() if check not in expected} == {}
    assert not expected - found.keys(), "succeeds now: take it out of conformance-expected.txt"


def test_every_expected_failure_is_of_a_scenario_that_runs() -> None:
    assert {tuple(place) for *place, _ in EXPECTED} <= {run[1:] for run in RUNS}
