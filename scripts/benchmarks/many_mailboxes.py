"""Searching ten mailboxes in one call, beside a search in one of them: by turns, on warm sessions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from scripts.benchmarks.cases import SEARCH, Case
from scripts.benchmarks.host import Host, hosted
from scripts.benchmarks.made_mail import make_notes
from scripts.benchmarks.plan import Plan
from scripts.benchmarks.proxy_process import ProxyProcess
from scripts.benchmarks.rows import Row, Target
from scripts.benchmarks.samples import Sample, median_ms, ratio, row_of, take_rounds, trips_target
from scripts.benchmarks.site import Site

RTT_MS = 40
RATIO_MAX = 3.0
"""Ten mailboxes take two sessions side by side; one by one they would take ten times as long."""

SECTION = f"search, many mailboxes, {RTT_MS} ms away"
NAMES = ("INBOX", "Sent", "Drafts", "Archive", *(f"Projects/{number}" for number in range(1, 7)))
"""All that Dovecot has here, but for Junk and Trash: `*` means the same ten."""

_MESSAGES = 500
"""In each."""

_SESSIONS = 2


async def measure_many_mailboxes(site: Site, plan: Plan) -> list[Row]:
    """Search one, ten by name, and all; each with its next page."""
    login = site.add_user(
        "bea", {name: make_notes(_MESSAGES, seed=seed) for seed, name in enumerate(NAMES, start=1)}
    )
    with ProxyProcess(site.host, site.port, rtt_ms=RTT_MS) as proxy:
        async with hosted(proxy.host, proxy.port, login) as host:
            first = [
                _case("one mailbox", {"mailbox": NAMES[0]}, trips=2),
                _case("ten by name", {"mailboxes": list(NAMES)}, trips=2 * _SESSIONS),
                _case("all (ten)", {"mailbox": "*"}, trips=2 * _SESSIONS + 1),
            ]
            following = [await _next(host, case) for case in first]
            samples = await take_rounds(host, [*first, *following], proxy, rounds=plan.warm_rounds)
    return [*_rows(first, samples), *_rows(following, samples)]


def _case(name: str, arguments: dict[str, Any], *, trips: int) -> Case:
    return Case(name=name, tool=SEARCH, arguments=arguments, round_trips=trips)


async def _next(host: Host, case: Case) -> Case:
    page, _ = await host.call_well(case.tool, case.arguments)
    trips = 1 if case.name == "one mailbox" else _SESSIONS
    return _case(f"{case.name}, next page", {"cursor": page["next_cursor"]}, trips=trips)


def _rows(cases: Sequence[Case], samples: dict[str, list[Sample]]) -> list[Row]:
    """Make the rows of cases, of which the first is what the others are held against."""
    one = samples[cases[0].name]
    rows = []
    for case in cases:
        taken = samples[case.name]
        row = replace(row_of(SECTION, case, taken), targets=(trips_target(case, taken),))
        if case is not cases[0]:
            above_one = ratio(taken, one)
            target = Target(text=f"≤ {RATIO_MAX} x one", found=above_one, limit=RATIO_MAX)
            row = replace(row, floor=median_ms(one), ratio=above_one, targets=(*row.targets, target))
        rows.append(row)
    return rows
