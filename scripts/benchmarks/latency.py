"""How long calls take, cold and warm, at one added round-trip time.

Cold is the first call of a fresh process, which must connect and log in. Warm is any
later one; beside each warm call its floor is measured, by turns before and after it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from servers.proxy import Traffic

from scripts.benchmarks.cases import Case
from scripts.benchmarks.floor import Floor, open_floor
from scripts.benchmarks.host import Host, hosted
from scripts.benchmarks.plan import Plan
from scripts.benchmarks.proxy_process import ProxyProcess
from scripts.benchmarks.rows import Pair, Row, Target, median_ratio
from scripts.benchmarks.site import MAILBOX, Site

RATIO_MAX = 1.25
"""At a real distance; without one, the floor is too near zero for a ratio to matter to anyone."""

_RATIO_FROM_RTT_MS = 40
_EXAMINE_OCTETS_MAX = 1_000
"""The answer to the EXAMINE that mailmcp sends along with the first command of a call."""

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
    """Measure calls on a session that is open, in pairs with their floors."""
    samples: list[tuple[list[Sample], list[Sample]]] = []
    with (
        ProxyProcess(site.host, site.port, rtt_ms=rtt_ms) as proxy,
        open_floor(proxy.host, proxy.port, site.login, mailbox=MAILBOX) as floor,
    ):
        async with hosted(proxy.host, proxy.port, site.login) as host:
            for case in cases:
                samples.append(await _pairs(host, floor, case, proxy, plan))
    section = f"warm call, {rtt_ms} ms away"
    return [
        _row(section, case, ours, floors, rtt_ms)
        for case, (ours, floors) in zip(cases, samples, strict=True)
    ]


async def _pairs(
    host: Host, floor: Floor, case: Case, proxy: ProxyProcess, plan: Plan
) -> tuple[list[Sample], list[Sample]]:
    ours: list[Sample] = []
    floors: list[Sample] = []
    # The first pair warms both sides and is dropped.
    for turn in range(1 + (plan.slow_pairs if case.slow else plan.warm_pairs)):
        floor_first = bool(turn % 2)
        if floor_first:
            _add_floor(floors, floor, case, proxy)
        ours.append(await _call(host, case, proxy))
        if not floor_first:
            _add_floor(floors, floor, case, proxy)
    return ours[1:], floors[1:]


async def _call(host: Host, case: Case, proxy: ProxyProcess) -> Sample:
    before = proxy.traffic()
    _, ms = await host.call_well(case.tool, case.arguments)
    return Sample.of(ms, before, proxy.traffic())


def _add_floor(floors: list[Sample], floor: Floor, case: Case, proxy: ProxyProcess) -> None:
    if case.floor is None:
        return
    before = proxy.traffic()
    began = perf_counter()
    case.floor(floor)
    ms = (perf_counter() - began) * 1000
    floors.append(Sample.of(ms, before, proxy.traffic()))


def _row(
    section: str, case: Case, ours: Sequence[Sample], floors: Sequence[Sample] = (), rtt_ms: int = 0
) -> Row:
    round_trips = max(sample.round_trips for sample in ours)
    octets = max(sample.octets_received for sample in ours)
    ratio = None
    targets: list[Target] = []
    if floors:
        _check_alike(case, octets, max(sample.octets_received for sample in floors))
        ratio = median_ratio(
            [Pair(ours_ms=a.ms, floor_ms=b.ms) for a, b in zip(ours, floors, strict=True)]
        )
        targets.append(
            Target(text=f"≤ {case.round_trips} trips", found=round_trips, most=case.round_trips)
        )
        if rtt_ms >= _RATIO_FROM_RTT_MS:
            targets.append(Target(text=f"≤ {RATIO_MAX} x", found=ratio, most=RATIO_MAX))
    return Row(
        section=section,
        name=case.name,
        value=median(sample.ms for sample in ours),
        unit="ms",
        floor=median(sample.ms for sample in floors) if floors else None,
        ratio=ratio,
        round_trips=round_trips,
        octets_received=octets,
        targets=tuple(targets),
    )


def _check_alike(case: Case, ours: int, floor: int) -> None:
    """Refuse to compare with a floor that asks for less or more than mailmcp does."""
    if not -_CHATTER_OCTETS <= ours - floor <= _EXAMINE_OCTETS_MAX:
        raise RuntimeError(
            f"{case.name}: mailmcp received {ours} octets and its floor {floor}; "
            "scripts/benchmarks/floor.py must ask for what mailmcp asks for"
        )
