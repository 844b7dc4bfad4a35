"""How much is measured: enough for steady medians on a noisy machine, and no more."""

from dataclasses import dataclass

CALL_TIMEOUT_S = 70.0
"""Longest wait for any one answer, of any server."""

RUN_TIMEOUT_S = 900.0
"""Longest whole run; twice what it should take on the slowest machine."""

RTTS_MS = (0, 40)
"""Added round-trip times: what the code costs, and what a user some countries away sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Repetitions of each measurement, and the size of the mailbox."""

    messages: int
    startup_pairs: int
    cold_rtts_ms: tuple[int, ...]
    cold_calls: int
    """Fresh processes for each tool and round-trip time."""

    warm_rounds: int
    slow_rounds: int
    """Rounds where one call takes the server a second, so that noise matters less."""


FULL = Plan(
    messages=20_000,
    startup_pairs=9,
    cold_rtts_ms=RTTS_MS,
    cold_calls=3,
    warm_rounds=15,
    slow_rounds=3,
)
QUICK = Plan(
    messages=2_000,
    startup_pairs=3,
    cold_rtts_ms=(40,),
    cold_calls=1,
    warm_rounds=5,
    slow_rounds=2,
)
