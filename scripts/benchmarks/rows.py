"""What was measured, a row each, and whether it meets its targets."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A number and its limit, and how the table states them."""

    text: str
    found: float
    limit: float

    @property
    def met(self) -> bool:
        """Whether the target is met."""
        return self.found <= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table; None where a column does not apply."""

    section: str
    name: str
    value: float
    unit: str
    floor: float | None = None
    """What the least possible costs, in the same unit."""

    ratio: float | None = None
    """Median of the ratios of neighbouring measurements, which noise moves less than the medians."""

    trusting_floor: float | None = None
    """The floor of a client that trusts what its session knew of the mailbox, and opens it only once."""

    trusting_ratio: float | None = None

    round_trips: int | None = None
    octets_received: int | None = None
    targets: tuple[Target, ...] = ()

    @property
    def met(self) -> bool:
        """Whether all targets are met; true if there is none."""
        return all(target.met for target in self.targets)

    def as_json(self) -> dict[str, object]:
        """Return the row with its verdict."""
        return {**asdict(self), "met": self.met}


def median_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median of the ratios of adjacent measurements."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))
