"""The command line of the benchmark."""

import sys
from pathlib import Path

import anyio
import click
from scripts.benchmarks.attachments import measure_attachments
from scripts.benchmarks.cases import make_cases
from scripts.benchmarks.conversation import measure_conversation
from scripts.benchmarks.filters import measure_filters
from scripts.benchmarks.functions import count_functions, print_functions
from scripts.benchmarks.latency import measure_cold, measure_warm
from scripts.benchmarks.many_mailboxes import measure_many_mailboxes
from scripts.benchmarks.million import measure_million
from scripts.benchmarks.paging import measure_paging
from scripts.benchmarks.plan import FULL, QUICK, RTTS_MS, RUN_TIMEOUT_S, Plan
from scripts.benchmarks.reading import measure_reading
from scripts.benchmarks.report import print_table, write_json
from scripts.benchmarks.rows import Row
from scripts.benchmarks.site import running_site
from scripts.benchmarks.startup import measure_startup
from scripts.benchmarks.tokens import measure_tokens

from servers.dovecot import find_dovecot

_SECTIONS = (
    ("searches of many mailboxes", measure_many_mailboxes),
    ("searches with filters", measure_filters),
    ("a conversation", measure_conversation),
    ("attachments", measure_attachments),
    ("reading", measure_reading),
)


async def measure(plan: Plan) -> list[Row]:
    """Measure everything, saying on stderr what is under way."""
    rows: list[Row] = []
    with anyio.fail_after(RUN_TIMEOUT_S):
        _say(f"filling a mailbox with {plan.messages:,} messages")
        with running_site(plan.messages) as site:
            _say("start-up")
            rows += await measure_startup(site, plan)
            cases = await make_cases(site)
            for rtt_ms in RTTS_MS:
                _say(f"calls, {rtt_ms} ms away")
                if rtt_ms in plan.cold_rtts_ms:
                    rows += await measure_cold(site, cases, plan, rtt_ms)
                rows += await measure_warm(site, cases, plan, rtt_ms)
            for what, measure_section in _SECTIONS:
                _say(what)
                rows += await measure_section(site, plan)
            _say("memory")
            rows += await measure_paging(site)
            _say("tokens")
            rows += await measure_tokens(site)
    return rows


def _say(text: str) -> None:
    click.echo(text, err=True)


@click.command()
@click.option("--quick", is_flag=True, help="Fewer repetitions, 2,000 messages: one to two minutes.")
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path, dir_okay=False), help="Write the rows there too."
)
@click.option("--check", is_flag=True, help="Exit with status 1 if a target is missed.")
@click.option(
    "--functions", is_flag=True, help="Instead, count the functions and files a warm call runs through."
)
@click.option("--million", is_flag=True, help="Instead, search a mailbox of a million messages: two minutes.")
@click.option("--names", is_flag=True, help="With --functions: list them by file too.")
def main(
    *, quick: bool, json_file: Path | None, check: bool, functions: bool, million: bool, names: bool
) -> None:
    """Measure mailmcp against a private Dovecot."""
    if find_dovecot() is None:
        raise click.ClickException("Dovecot is not installed (Debian: dovecot-imapd)")
    if functions or names:
        print_functions(anyio.run(count_functions), names=names)
        return
    rows = anyio.run(measure_million) if million else anyio.run(measure, QUICK if quick else FULL)
    print_table(rows)
    if json_file is not None:
        write_json(rows, json_file)
    missed = [row for row in rows if not row.met]
    if missed:
        _say(f"targets are missed in: {', '.join(row.name for row in missed)}")
    sys.exit(check and bool(missed))


if __name__ == "__main__":
    main(prog_name="scripts/bench")
