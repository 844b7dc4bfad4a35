"""How long calls take, at one added round-trip time: cold, warm, and after a pause.

Cold is the first call of a fresh process, which must connect and log in. Warm calls
follow each other on an open session, by turns with their floors. After a pause, such as
a model makes to think, mailmcp no longer trusts the mailbox it has open.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace

import anyio
from scripts.benchmarks.cases import Case
from scripts.benchmarks.floor import Floor, open_floor
from scripts.benchmarks.host import Host, hosted
from scripts.benchmarks.plan import Plan
from scripts.benchmarks.proxy_process import ProxyProcess
from scripts.benchmarks.rows import Row, Target
from scripts.benchmarks.samples import Sample, Taken, median_ms, ratio, take_call, take_floors
from scripts.benchmarks.site import MAILBOX, Site

RATIO_MAX = 1.25
"""At a real distance; without one, the floor is too near zero for a ratio to matter to anyone."""

PAUSE_S = 5.5
"""Longer than mailmcp trusts an open mailbox. It stands for time passing, not for an event."""

_RATIO_FROM_RTT_MS = 40


async def measure_cold(site: Site, cases: Sequence[Case], plan: Plan, rtt_ms: int) -> list[Row]:
    """Measure the first call of fresh processes."""
    samples: defaultdict[str, list[Sample]] = defaultdict(list)
    with ProxyProcess(site.host, site.port, rtt_ms=rtt_ms) as proxy:
        for _ in range(plan.cold_calls):
            for case in cases:
                async with hosted(proxy.host, proxy.port, site.login) as host:
                    samples[case.name].append(await take_call(host, case, proxy))
    return [_row(f"cold call, {rtt_ms} ms away", case, samples[case.name]) for case in cases]


async def measure_warm(site: Site, cases: Sequence[Case], plan: Plan, rtt_ms: int) -> list[Row]:
    """Measure calls that follow each other; the target is on the plain floor."""
    taken = await _beside_floors(
        site, cases, rtt_ms, lambda case: plan.slow_rounds if case.slow else plan.warm_rounds
    )
    rows = [
        _compared(f"warm call, {rtt_ms} ms away", case, each) for case, each in zip(cases, taken, strict=True)
    ]
    return [_with_target(row, row.ratio, rtt_ms) for row in rows]


async def measure_paused(site: Site, cases: Sequence[Case], plan: Plan, rtt_ms: int) -> list[Row]:
    """Measure calls after a pause; the target is on the floor that gives the same guarantee."""
    chosen = [case for case in cases if case.paused and plan.paused_rounds]
    taken = await _beside_floors(site, chosen, rtt_ms, lambda _: plan.paused_rounds, pause_s=PAUSE_S)
    rows = [
        _compared(f"call after {PAUSE_S} s, {rtt_ms} ms away", case, each)
        for case, each in zip(chosen, taken, strict=True)
    ]
    return [_with_target(row, row.fresh_ratio, rtt_ms) for row in rows]


async def _beside_floors(
    site: Site,
    cases: Sequence[Case],
    rtt_ms: int,
    rounds: Callable[[Case], int],
    *,
    pause_s: float = 0.0,
) -> list[Taken]:
    if not cases:
        return []
    with ExitStack() as stack:
        proxy = stack.enter_context(ProxyProcess(site.host, site.port, rtt_ms=rtt_ms))
        floors = [
            stack.enter_context(
                open_floor(proxy.host, proxy.port, site.login, mailbox=MAILBOX, reopens=reopens)
            )
            for reopens in (False, True)
        ]
        async with hosted(proxy.host, proxy.port, site.login) as host:
            return [
                await _take(host, floors, case, proxy, rounds=rounds(case), pause_s=pause_s) for case in cases
            ]


async def _take(
    host: Host, floors: Sequence[Floor], case: Case, proxy: ProxyProcess, *, rounds: int, pause_s: float
) -> Taken:
    taken = Taken()
    for number in range(rounds + 1):
        if number:
            await anyio.sleep(pause_s)
        floors_first = bool(number % 2)
        if floors_first:
            take_floors(taken, floors, case, proxy)
        taken.ours.append(await take_call(host, case, proxy))
        if not floors_first:
            take_floors(taken, floors, case, proxy)
    return taken.without_first()


def _row(section: str, case: Case, ours: Sequence[Sample]) -> Row:
    return Row(
        section=section,
        name=case.name,
        value=median_ms(ours),
        unit="ms",
        round_trips=max(sample.round_trips for sample in ours),
        octets_received=max(sample.octets_received for sample in ours),
    )


def _compared(section: str, case: Case, taken: Taken) -> Row:
    row = _row(section, case, taken.ours)
    if case.floor is None:
        return row
    taken.check(case.name)
    trips = row.round_trips or 0
    return replace(
        row,
        floor=median_ms(taken.floor),
        ratio=ratio(taken.ours, taken.floor),
        fresh_floor=median_ms(taken.fresh_floor),
        fresh_ratio=ratio(taken.ours, taken.fresh_floor),
        targets=(Target(text=f"≤ {case.round_trips} trips", found=trips, most=case.round_trips),),
    )


def _with_target(row: Row, found: float | None, rtt_ms: int) -> Row:
    if found is None or rtt_ms < _RATIO_FROM_RTT_MS:
        return row
    target = Target(text=f"≤ {RATIO_MAX} x", found=found, most=RATIO_MAX)
    return replace(row, targets=(*row.targets, target))
