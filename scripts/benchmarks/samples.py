"""One measurement of a call or of its floor: time, round trips, octets."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter

from scripts.benchmarks.cases import Case
from scripts.benchmarks.floor import Floor
from scripts.benchmarks.host import Host
from scripts.benchmarks.proxy_process import ProxyProcess
from scripts.benchmarks.rows import Row, Target, median_ratio

from servers.proxy import Traffic

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
    trusting_floor: list[Sample] = field(default_factory=list)

    def without_first(self) -> "Taken":
        """Leave out the first round, which warms all sides."""
        return Taken(self.ours[1:], self.floor[1:], self.trusting_floor[1:])

    def check(self, name: str) -> None:
        """Refuse to compare with a floor that asks for less or more than mailmcp does.

        Raises:
            RuntimeError: mailmcp received something else than its floor.
        """
        ours, floor = (max(each.octets_received for each in side) for side in (self.ours, self.floor))
        if abs(ours - floor) > _CHATTER_OCTETS:
            raise RuntimeError(
                f"{name}: mailmcp received {ours} octets and its floor {floor}; "
                "scripts/benchmarks/floor.py must ask for what mailmcp asks for"
            )


async def take_call(host: Host, case: Case, proxy: ProxyProcess) -> Sample:
    """Make a call through the proxy."""
    before = proxy.traffic()
    _, ms = await host.call_well(case.tool, case.arguments)
    return Sample.of(ms, before, proxy.traffic())


def take_floors(taken: Taken, floors: Sequence[Floor], case: Case, proxy: ProxyProcess) -> None:
    """Add a sample of each floor, if the case has any."""
    if case.floor is None:
        return
    for floor in floors:
        before = proxy.traffic()
        began = perf_counter()
        case.floor(floor)
        ms = (perf_counter() - began) * 1000
        (taken.floor if floor.reopens else taken.trusting_floor).append(
            Sample.of(ms, before, proxy.traffic())
        )


async def take_rounds(
    host: Host, cases: Sequence[Case], proxy: ProxyProcess, *, rounds: int
) -> dict[str, list[Sample]]:
    """Make all calls in each round, by turns forwards and backwards; the first round warms, uncounted."""
    samples: dict[str, list[Sample]] = {case.name: [] for case in cases}
    for number in range(rounds + 1):
        for case in cases if number % 2 else reversed(cases):
            sample = await take_call(host, case, proxy)
            if number:
                samples[case.name].append(sample)
    return samples


def row_of(section: str, case: Case, samples: Sequence[Sample]) -> Row:
    """Make the row of a call: the median time, the most round trips, the most octets."""
    return Row(
        section=section,
        name=case.name,
        value=median_ms(samples),
        unit="ms",
        round_trips=max(sample.round_trips for sample in samples),
        octets_received=max(sample.octets_received for sample in samples),
    )


def trips_target(case: Case, samples: Sequence[Sample]) -> Target:
    """Hold a call to the round trips that its design allows."""
    trips = max(sample.round_trips for sample in samples)
    return Target(text=f"≤ {case.round_trips} trips", found=trips, limit=case.round_trips)


def octets_target(limit: int, samples: Sequence[Sample]) -> Target:
    """Hold a call to octets received."""
    octets = max(sample.octets_received for sample in samples)
    return Target(text=f"≤ {limit:,} octets", found=octets, limit=limit)


def median_ms(samples: Sequence[Sample]) -> float:
    """Return the median time."""
    return median(sample.ms for sample in samples)


def ratio(ours: Sequence[Sample], theirs: Sequence[Sample]) -> float:
    """Return the median of the ratios of their times, round by round."""
    return median_ratio([sample.ms for sample in ours], [sample.ms for sample in theirs])
