"""The benchmark's limits of round trips hold, and it finds what it made."""

import anyio
import pytest
from scripts.benchmarks import made_mail
from scripts.benchmarks.calls import measure_calls, running_site
from scripts.benchmarks.rows import Row, format_table


@pytest.mark.full
def test_each_call_takes_the_round_trips_that_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made_mail, "RARE_EVERY", 40)  # more than a page

    async def measure() -> list[Row]:
        with running_site(1_000) as site:
            return await measure_calls(site, rtt_ms=0, rounds=2)

    rows = anyio.run(measure)
    assert [row.name for row in rows if not row.met] == [], "scripts/bench --quick shows the figures"
    assert "**missed**" not in format_table(rows)
    assert {row.name for row in rows} >= {"word in the text", "next page", "message of 8 KB"}
