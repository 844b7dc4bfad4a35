"""The command line of the benchmark."""

import sys
from collections.abc import Sequence

import anyio
import click
from scripts.benchmarks.calls import (
    Row,
    measure_calls,
    measure_memory,
    measure_million,
    measure_start,
    running_site,
)
from scripts.benchmarks.functions import count_functions

from servers.dovecot import find_dovecot

RTTS_MS = (0, 40)
"""Added round-trip times: what the code costs, and what a user some countries away sees."""

RUN_TIMEOUT_S = 900.0
"""Longest whole run; twice what it should take on the slowest machine."""


async def measure(*, messages: int, rounds: int) -> list[Row]:
    """Measure everything, saying on stderr what is under way."""
    rows: list[Row] = []
    with anyio.fail_after(RUN_TIMEOUT_S):
        _say(f"filling a mailbox with {messages:,} messages")
        with running_site(messages) as server:
            _say("start-up")
            rows += await measure_start(server, pairs=rounds)
            for rtt_ms in RTTS_MS:
                _say(f"calls, {rtt_ms} ms away")
                rows += await measure_calls(server, rtt_ms=rtt_ms, rounds=rounds)
            _say("paging through all of it")
            rows += await measure_memory(server)
    return rows


def format_table(rows: Sequence[Row]) -> str:
    """Write the rows as a table in Markdown; numbers that miss their limit are marked."""
    lines = [
        "| | | round trips | octets from the mail server | tokens of the reply | limit |",
        "|---|--:|--:|--:|--:|---|",
    ]
    section = ""
    for row in rows:
        if row.section != section:
            section = row.section
            lines.append(f"| **{section}** | | | | | |")
        limits = [] if row.limit is None else [f"≤ {row.limit:g}"]
        limits += [] if row.octets_max is None else [f"≤ {row.octets_max:,} octets"]
        cells = [
            row.name,
            f"{row.value:,.{0 if row.value >= 100 or not row.unit else 1}f} {row.unit}".strip(),
            *("" if each is None else f"{each:,}" for each in (row.round_trips, row.octets, row.tokens)),
            ", ".join(limits) + ("" if row.met else " **missed**"),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _say(text: str) -> None:
    click.echo(text, err=True)


@click.command()
@click.option("--quick", is_flag=True, help="2,000 messages and 3 rounds instead of 20,000 and 9.")
@click.option("--million", is_flag=True, help="Instead, search a mailbox of a million messages.")
@click.option("--functions", is_flag=True, help="Instead, count our functions and files in a call.")
def main(*, quick: bool, million: bool, functions: bool) -> None:
    """Measure mailmcp against a private Dovecot, behind a proxy that counts round trips.

    Exits with status 1 if a limit is missed.
    """
    if find_dovecot() is None:
        raise click.ClickException("Dovecot is not installed (Debian: dovecot-imapd)")

    async def run() -> list[Row]:
        if million:
            return await measure_million()
        return await measure(messages=2_000 if quick else 20_000, rounds=3 if quick else 9)

    if functions:
        with running_site(200) as server:
            rows = count_functions(server)
    else:
        rows = anyio.run(run)
    click.echo(format_table(rows))
    sys.exit(any(not row.met for row in rows))


if __name__ == "__main__":
    main(prog_name="scripts/bench")
