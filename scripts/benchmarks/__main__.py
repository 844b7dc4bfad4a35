"""The command line of the benchmark."""

import sys
from pathlib import Path

import anyio
import click
from scripts.benchmarks.calls import measure_calls, running_site
from scripts.benchmarks.million import measure_million
from scripts.benchmarks.process import measure_paging, measure_start
from scripts.benchmarks.rows import Row, format_table, write_json

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
        with running_site(messages) as site:
            _say("start-up")
            rows += await measure_start(site, pairs=rounds)
            for rtt_ms in RTTS_MS:
                _say(f"calls, {rtt_ms} ms away")
                rows += await measure_calls(site, rtt_ms=rtt_ms, rounds=rounds)
            _say("paging through all of it")
            rows += await measure_paging(site, messages)
    return rows


def _say(text: str) -> None:
    click.echo(text, err=True)


@click.command()
@click.option("--quick", is_flag=True, help="2,000 messages and 3 rounds instead of 20,000 and 9.")
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path, dir_okay=False), help="Write the rows there too."
)
@click.option("--check", is_flag=True, help="Exit with status 1 if a limit is missed.")
@click.option("--million", is_flag=True, help="Instead, search a mailbox of a million messages.")
def main(*, quick: bool, json_file: Path | None, check: bool, million: bool) -> None:
    """Measure mailmcp against a private Dovecot, behind a proxy that counts round trips."""
    if find_dovecot() is None:
        raise click.ClickException("Dovecot is not installed (Debian: dovecot-imapd)")

    async def run() -> list[Row]:
        if million:
            return await measure_million()
        return await measure(messages=2_000 if quick else 20_000, rounds=3 if quick else 9)

    rows = anyio.run(run)
    click.echo(format_table(rows))
    if json_file is not None:
        write_json(rows, json_file)
    missed = [row.name for row in rows if not row.met]
    if missed:
        _say(f"limits are missed by: {', '.join(missed)}")
    sys.exit(check and bool(missed))


if __name__ == "__main__":
    main(prog_name="scripts/bench")
