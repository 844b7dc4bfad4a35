"""The command line of `scripts/soak`: one command for each part."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import Final

import click

from servers.dovecot import MDBOX, Dovecot
from servers.embedded import Pymap
from soak.changes import PLAINER, walk
from soak.hosted import run as run_hosted
from soak.writes import opened_soak
from tools.stores import Store, dovecot_store, pymap_store

SHARES: Final = {"maildir": 0.49, "mdbox": 0.48, "pymap": 0.03}
"""Of the operations, on each server; pymap takes twenty times as long."""

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


@main.command()
@click.option("--seed", default=1, show_default=True, help="The same seed begins with the same things.")
@click.option(
    "--operations", default=100_000, show_default=True, help="Ours and the second client's, on all servers."
)
@click.option("--server", type=click.Choice(list(SHARES)), help="Only on this one.")
def writes(*, seed: int, operations: int, server: str | None) -> None:
    """Change mail at random, undo some of it, and let another program change it and connections be cut."""
    for name, share in SHARES.items() if server is None else [(server, 1.0)]:
        began = perf_counter()
        with _running(name) as store, opened_soak(store, seed) as soak:
            figures = soak.figures
            try:
                soak.run(int(operations * share), partial(_say_done, name))
            except AssertionError:
                click.echo(f"{name}, seed {seed}: wrong after {figures.operations:,} operations", err=True)
                raise
        click.echo(
            f"{name}, seed {seed}: the truth each time, {perf_counter() - began:,.0f} s: "
            f"{figures.operations:,} operations, {figures.calls.total():,} of them ours, "
            f"{figures.cut} connections cut, {figures.interleaved} changes within a call"
        )
        for what, count in sorted(figures.outcomes.items()):
            click.echo(f"  {what}: {count}")


@main.command()
@click.option("--seed", default=1, show_default=True, help="The same seed begins with the same things.")
@click.option("--users", default=200, show_default=True)
@click.option("--seconds", default=120.0, show_default=True, help="How long they work.")
def hosted(*, seed: int, users: int, seconds: float) -> None:
    """Let an organisation work on two replicas behind nginx, while replicas and Valkey crash."""
    figures = run_hosted(users=users, seconds=seconds, seed=seed)
    click.echo(f"{users} users, seed {seed}: the truth for each; {', '.join(figures.events)}")
    for name in ("calls", "done", "refused", "lost"):
        found: Counter[str] = getattr(figures, name)
        what = ", ".join(f"{each} {count:,}" for each, count in sorted(found.items()))
        click.echo(f"  {name} {found.total():,}: {what}")


def _say_done(name: str, done: int) -> None:
    click.echo(f"{name}: {done:,} operations", err=True)


@contextmanager
def _running(name: str) -> Iterator[Store]:
    """Start a server with an empty account."""
    if name == "pymap":
        with Pymap() as pymap:
            yield pymap_store(pymap)
        return
    extra = {"condstore": PLAINER, "mdbox": MDBOX}.get(name, "")
    with Dovecot(extra=extra) as dovecot:
        yield dovecot_store(dovecot, dovecot.user("ann"))


if __name__ == "__main__":
    main(prog_name="scripts/soak")
