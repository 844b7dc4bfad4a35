"""`mailmcp uninstall`: removes mailmcp from a host."""

import click

from mailmcp.cli.install import (
    find_files_or_fail,
    find_host,
    hosts_line,
    make_changes,
    name_option,
    run_host_command,
    yes_option,
)
from mailmcp.cli.sign_in import fail
from mailmcp.hosts.files import FileError, plan_uninstall
from mailmcp.hosts.table import Host


@click.command(epilog=hosts_line)
@name_option
@yes_option
@click.argument("host", metavar="HOST", callback=find_host)
def command(name: str, host: Host, *, yes: bool) -> None:
    """Remove mailmcp from HOST; shows what it does and asks. Backups are kept."""
    if host.remove is not None:
        run_host_command(host, host.remove(name), yes=yes)
        return
    if not host.files:
        fail(f"remove the entry {name} by hand in {host.name}: it has no command for that")
    files = find_files_or_fail(host)
    try:
        changes = [change for path in files if (change := plan_uninstall(path, host, name))]
    except FileError as error:
        fail(f"{error}. Remove the entry {name} by hand")
    if not changes:
        click.echo(f"{host.name} has no entry {name}: {', '.join(map(str, files))}")
        return
    make_changes(changes, f"Remove {name} from the settings of {host.name}?", yes=yes)
    click.echo(f"Restart {host.name} to unload mailmcp.")
