"""How long calls take, cold and warm, at one added round-trip time.

Cold is the first call of a fresh process, which must connect and log in. Warm is any
later one; beside each warm call its floors are measured, by turns before and after it.
"""

import tempfile
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from scripts.benchmarks.cases import Case
from scripts.benchmarks.floor import Floor, open_floor
from scripts.benchmarks.host import Host, hosted
from scripts.benchmarks.plan import Plan
from scripts.benchmarks.proxy_process import ProxyProcess
from scripts.benchmarks.rows import Row, Target
from scripts.benchmarks.samples import (
    Sample,
    Taken,
    median_ms,
    ratio,
    row_of,
    take_call,
    take_floors,
    trips_target,
)
from scripts.benchmarks.site import MAILBOX, Site

RATIO_MAX = 1.25
"""At a real distance; without one, the floor is too near zero for a ratio to matter to anyone."""

_RATIO_FROM_RTT_MS = 40


async def measure_cold(site: Site, cases: Sequence[Case], plan: Plan, rtt_ms: int) -> list[Row]:
    """Measure the first call of fresh processes: the first process of all, and later ones."""
    fresh: defaultdict[str, list[Sample]] = defaultdict(list)
    later: defaultdict[str, list[Sample]] = defaultdict(list)
    with ProxyProcess(site.host, site.port, rtt_ms=rtt_ms) as proxy:
        for _ in range(plan.cold_calls):
            for case in cases:
                with tempfile.TemporaryDirectory() as cache:
                    for samples in (fresh, later):
                        variables = {"XDG_CACHE_HOME": cache}
                        async with hosted(proxy.host, proxy.port, site.login, variables=variables) as host:
                            samples[case.name].append(await take_call(host, case, proxy))
    return [
        row_of(f"cold call{which}, {rtt_ms} ms away", case, samples[case.name])
        for which, samples in (("", fresh), (" of a later process", later))
        for case in cases
    ]


async def measure_warm(site: Site, cases: Sequence[Case], plan: Plan, rtt_ms: int) -> list[Row]:
    """Measure calls on an open session, in rounds with their floors.

    The target is on the floor that sends the commands mailmcp sends, and gives the same guarantees.
    """
    with ExitStack() as stack:
        proxy = stack.enter_context(ProxyProcess(site.host, site.port, rtt_ms=rtt_ms))
        floors = [
            stack.enter_context(
                open_floor(proxy.host, proxy.port, site.login, mailbox=MAILBOX, reopens=reopens)
            )
            for reopens in (False, True)
        ]
        async with hosted(proxy.host, proxy.port, site.login) as host:
            taken = [await _take(host, floors, case, proxy, plan) for case in cases]
    section = f"warm call, {rtt_ms} ms away"
    return [_compared(section, case, each, rtt_ms) for case, each in zip(cases, taken, strict=True)]


async def _take(host: Host, floors: Sequence[Floor], case: Case, proxy: ProxyProcess, plan: Plan) -> Taken:
    taken = Taken()
    rounds = plan.slow_rounds if case.slow else plan.warm_rounds
    for number in range(rounds + 1):
        floors_first = bool(number % 2)
        if floors_first:
            take_floors(taken, floors, case, proxy)
        taken.ours.append(await take_call(host, case, proxy))
        if not floors_first:
            take_floors(taken, floors, case, proxy)
    return taken.without_first()


def _compared(section: str, case: Case, taken: Taken, rtt_ms: int) -> Row:
    targets = [trips_target(case, taken.ours)]
    row = replace(row_of(section, case, taken.ours), targets=tuple(targets))
    if case.floor is None:
        return row
    taken.check(case.name)
    above_floor = ratio(taken.ours, taken.floor)
    if rtt_ms >= _RATIO_FROM_RTT_MS:
        targets.append(Target(text=f"≤ {RATIO_MAX} x", found=above_floor, limit=RATIO_MAX))
    return replace(
        row,
        floor=median_ms(taken.floor),
        ratio=above_floor,
        trusting_floor=median_ms(taken.trusting_floor),
        trusting_ratio=ratio(taken.ours, taken.trusting_floor),
        targets=tuple(targets),
    )
