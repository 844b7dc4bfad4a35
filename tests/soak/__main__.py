"""The command line of `scripts/soak`: one command for each part."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Final

import click

from servers.dovecot import Dovecot
from servers.embedded import Pymap
from soak.changes import PLAINER, walk
from tools.stores import Store, dovecot_store, pymap_store

SERVERS: Final = ("qresync", "condstore", "pymap")


@click.group()
def main() -> None:
    """Do random things for a long time, and compare what mailmcp says with the truth."""


@main.command()
@click.option("--seed", default=1, show_default=True, help="The same seed does the same things.")
@click.option("--steps", default=10_000, show_default=True, help="Things that another program does.")
@click.option("--server", type=click.Choice(SERVERS), help="Only on this one.")
def changes(*, seed: int, steps: int, server: str | None) -> None:
    """Follow states that are taken at random moments while another program does random things."""
    for name in [server] if server else SERVERS:
        with _running(name) as store:
            began = perf_counter()
            seen = walk(store, seed=seed, steps=steps)
        figures = ", ".join(f"{what} {count:,}" for what, count in sorted(seen.items()))
        click.echo(f"{name}, seed {seed}: the truth each time, {perf_counter() - began:,.0f} s: {figures}")


@contextmanager
def _running(name: str) -> Iterator[Store]:
    """Start a server with an empty account."""
    if name == "pymap":
        with Pymap() as pymap:
            yield pymap_store(pymap)
        return
    with Dovecot(extra=PLAINER if name == "condstore" else "") as dovecot:
        yield dovecot_store(dovecot, dovecot.user("ann"))


if __name__ == "__main__":
    main(prog_name="scripts/soak")
