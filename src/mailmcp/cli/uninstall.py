"""`mailmcp uninstall`: removes mailmcp from the settings of a host."""

import click

from mailmcp.cli.install import (
    find_files_or_fail,
    find_host,
    hosts_line,
    make_changes,
    name_option,
    yes_option,
)
from mailmcp.cli.sign_in import fail
from mailmcp.hosts.files import FileError, plan_uninstall
from mailmcp.hosts.machine import this_machine
from mailmcp.hosts.table import Host


@click.command(epilog=hosts_line)
@name_option
@yes_option
@click.argument("host", metavar="HOST", callback=find_host)
def command(name: str, host: Host, *, yes: bool) -> None:
    """Remove mailmcp from the settings of HOST; shows what changes and asks."""
    files = find_files_or_fail(host, this_machine())
    try:
        changes = [change for path in files if (change := plan_uninstall(path, host, name))]
    except FileError as error:
        fail(error)
    if not changes:
        click.echo(f"{host.name} has no entry {name}: {', '.join(map(str, files))}")
        return
    make_changes(changes, f"Change the settings of {host.name}?", yes=yes)
    click.echo(f"Restart {host.name} to unload mailmcp.")
