"""The measurements compare mailmcp with clients that ask for the same, and count its round trips."""

import anyio
import pytest
from scripts.benchmarks import made_mail
from scripts.benchmarks.cases import make_cases
from scripts.benchmarks.latency import measure_warm
from scripts.benchmarks.plan import Plan
from scripts.benchmarks.rows import Row
from scripts.benchmarks.site import running_site

ONCE = Plan(messages=1_000, startup_pairs=1, cold_rtts_ms=(), cold_calls=0, warm_rounds=1, slow_rounds=1)


@pytest.mark.full
def test_each_call_asks_for_what_its_floor_asks_for_in_as_many_round_trips(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(made_mail, "RARE_EVERY", 40)  # more than a page

    async def measure() -> list[Row]:
        with running_site(ONCE.messages) as site:
            return await measure_warm(site, await make_cases(site), ONCE, rtt_ms=0)

    rows = anyio.run(measure)
    assert [row.name for row in rows if not row.met] == []
    assert {row.name for row in rows} >= {"search, word in text", "next page", "message, 8 KB"}
