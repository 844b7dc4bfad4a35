"""The benchmark's limits of round trips hold, and it finds what it made."""

import anyio
import pytest
from scripts.benchmarks import mail
from scripts.benchmarks.__main__ import format_table
from scripts.benchmarks.calls import Row, measure_calls, measure_changes, running_site


@pytest.mark.full
def test_each_call_takes_the_round_trips_that_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "RARE_EVERY", 40)  # more than a page

    async def measure() -> list[Row]:
        with running_site(1_000) as server:
            rows = await measure_calls(server, rtt_ms=0, rounds=2)
            return rows + await measure_changes(server, rounds=2)

    rows = anyio.run(measure)
    assert [row.name for row in rows if not row.met] == [], "scripts/bench --quick shows the figures"
    assert "**missed**" not in format_table(rows)
    assert {row.name for row in rows} >= {"word in the text", "next page", "message of 8 KB", "24 changes"}
