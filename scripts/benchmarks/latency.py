"""How long calls take, cold and warm, at one added round-trip time.

Cold is the first call of a fresh process, which must connect and log in. Warm is any
later one; beside each warm call its floors are measured, by turns before and after it.
"""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from statistics import median
from time import perf_counter

from scripts.benchmarks.cases import Case
from scripts.benchmarks.floor import Floor, open_floor
from scripts.benchmarks.host import Host, hosted
from scripts.benchmarks.plan import Plan
from scripts.benchmarks.proxy_process import ProxyProcess
from scripts.benchmarks.rows import Row, Target, median_ratio
from scripts.benchmarks.site import MAILBOX, Site

from servers.proxy import Traffic

RATIO_MAX = 1.25
"""At a real distance; without one, the floor is too near zero for a ratio to matter to anyone."""

_RATIO_FROM_RTT_MS = 40
_CHATTER_OCTETS = 50
"""Tags and times in answers, whose lengths differ from one command to the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One call or its floor."""

    ms: float
    round_trips: int
    octets_received: int

    @classmethod
    def of(cls, ms: float, before: Traffic, after: Traffic) -> "Sample":
        """Attribute to the call what passed meanwhile: nothing else was under way."""
        return cls(
            ms=ms,
            round_trips=after.round_trips - before.round_trips,
            octets_received=after.octets_received - before.octets_received,
        )


@dataclass(frozen=True, slots=True)
class Taken:
    """The samples of one case, in the order of their rounds."""

    ours: list[Sample] = field(default_factory=list)
    floor: list[Sample] = field(default_factory=list)
    reopening: list[Sample] = field(default_factory=list)


async def measure_cold(site: Site, cases: Sequence[Case], plan: Plan, rtt_ms: int) -> list[Row]:
    """Measure the first call of fresh processes."""
    samples: defaultdict[str, list[Sample]] = defaultdict(list)
    with ProxyProcess(site.host, site.port, rtt_ms=rtt_ms) as proxy:
        for _ in range(plan.cold_calls):
            for case in cases:
                async with hosted(proxy.host, proxy.port, site.login) as host:
                    samples[case.name].append(await _call(host, case, proxy))
    return [_row(f"cold call, {rtt_ms} ms away", case, samples[case.name]) for case in cases]


async def measure_warm(site: Site, cases: Sequence[Case], plan: Plan, rtt_ms: int) -> list[Row]:
    """Measure calls on a session that is open, by turns with their floors."""
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
    return [_warm_row(section, case, each, rtt_ms) for case, each in zip(cases, taken, strict=True)]


async def _take(host: Host, floors: Sequence[Floor], case: Case, proxy: ProxyProcess, plan: Plan) -> Taken:
    taken = Taken()
    rounds = plan.slow_rounds if case.slow else plan.warm_rounds
    # The first round warms all sides and is dropped.
    for number in range(rounds + 1):
        for floor in floors if number % 2 else ():
            _take_floor(taken, floor, case, proxy)
        taken.ours.append(await _call(host, case, proxy))
        for floor in () if number % 2 else floors:
            _take_floor(taken, floor, case, proxy)
    return Taken(taken.ours[1:], taken.floor[1:], taken.reopening[1:])


async def _call(host: Host, case: Case, proxy: ProxyProcess) -> Sample:
    before = proxy.traffic()
    _, ms = await host.call_well(case.tool, case.arguments)
    return Sample.of(ms, before, proxy.traffic())


def _take_floor(taken: Taken, floor: Floor, case: Case, proxy: ProxyProcess) -> None:
    if case.floor is None:
        return
    before = proxy.traffic()
    began = perf_counter()
    case.floor(floor)
    ms = (perf_counter() - began) * 1000
    (taken.reopening if floor.reopens else taken.floor).append(Sample.of(ms, before, proxy.traffic()))


def _warm_row(section: str, case: Case, taken: Taken, rtt_ms: int) -> Row:
    row = _row(section, case, taken.ours)
    if not taken.floor:
        return row
    _check_alike(case, taken.ours, taken.reopening)
    trips = row.round_trips or 0
    ratio = _ratio(taken.ours, taken.floor)
    targets = [Target(text=f"≤ {case.round_trips} trips", found=trips, most=case.round_trips)]
    if rtt_ms >= _RATIO_FROM_RTT_MS:
        targets.append(Target(text=f"≤ {RATIO_MAX} x", found=ratio, most=RATIO_MAX))
    return replace(
        row,
        floor=_median_ms(taken.floor),
        ratio=ratio,
        reopening_floor=_median_ms(taken.reopening),
        reopening_ratio=_ratio(taken.ours, taken.reopening),
        targets=tuple(targets),
    )


def _row(section: str, case: Case, ours: Sequence[Sample]) -> Row:
    return Row(
        section=section,
        name=case.name,
        value=_median_ms(ours),
        unit="ms",
        round_trips=max(sample.round_trips for sample in ours),
        octets_received=max(sample.octets_received for sample in ours),
    )


def _median_ms(samples: Sequence[Sample]) -> float:
    return median(sample.ms for sample in samples)


def _ratio(ours: Sequence[Sample], theirs: Sequence[Sample]) -> float:
    return median_ratio([sample.ms for sample in ours], [sample.ms for sample in theirs])


def _check_alike(case: Case, ours: Sequence[Sample], floor: Sequence[Sample]) -> None:
    """Refuse to compare with a floor that asks for less or more than mailmcp does."""
    received, expected = (max(each.octets_received for each in side) for side in (ours, floor))
    if abs(received - expected) > _CHATTER_OCTETS:
        raise RuntimeError(
            f"{case.name}: mailmcp received {received} octets and its floor {expected}; "
            "scripts/benchmarks/floor.py must ask for what mailmcp asks for"
        )
