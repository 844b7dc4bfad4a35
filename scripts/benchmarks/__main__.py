"""The command line of the benchmark."""

import sys
from collections.abc import Sequence
from functools import partial

import anyio
import click
from scripts.benchmarks.calls import (
    Row,
    measure_calls,
    measure_changes,
    measure_memory,
    measure_million,
    measure_start,
    running_site,
)
from scripts.benchmarks.functions import count_functions
from scripts.benchmarks.hosted import measure_hosted

from servers.dovecot import Dovecot

RTTS_MS = (0, 40)
"""Added round-trip times: what the code costs, and what a user some countries away sees."""


async def measure(server: Dovecot, *, rounds: int) -> list[Row]:
    """Measure everything but a million messages."""
    rows = await measure_start(server, pairs=rounds)
    for rtt_ms in RTTS_MS:
        rows += await measure_calls(server, rtt_ms=rtt_ms, rounds=rounds)
    rows += await measure_changes(server, rounds=rounds)
    return rows + await measure_memory(server)


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


@click.command()
@click.option("--quick", is_flag=True, help="2,000 messages and 3 rounds instead of 20,000 and 9.")
@click.option("--million", is_flag=True, help="Instead, search a mailbox of a million messages.")
@click.option("--functions", is_flag=True, help="Instead, count our functions and files in a call.")
@click.option("--hosted", is_flag=True, help="Instead, serve 200 users from 1, 2 and 4 replicas.")
def main(*, quick: bool, million: bool, functions: bool, hosted: bool) -> None:
    """Measure mailmcp against a private Dovecot, behind a proxy that counts round trips.

    Exits with status 1 if a limit is missed.
    """
    if hosted:
        anyio.run(measure_hosted)
        return
    if million:
        rows = anyio.run(measure_million)
    else:
        click.echo("filling mailboxes, then measuring", err=True)
        with running_site(200 if functions else 2_000 if quick else 20_000) as server:
            if functions:
                rows = count_functions(server)
            else:
                rows = anyio.run(partial(measure, server, rounds=3 if quick else 9))
    click.echo(format_table(rows))
    sys.exit(any(not row.met for row in rows))


if __name__ == "__main__":
    main(prog_name="scripts/bench")
