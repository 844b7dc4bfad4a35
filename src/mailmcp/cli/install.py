"""`mailmcp install`: adds mailmcp to the settings of a host."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

import click

from mailmcp.cli.options import config_option
from mailmcp.cli.sign_in import fail
from mailmcp.hosts.edit import add_entry
from mailmcp.hosts.files import Change, FileError, apply, has_entry, plan_install
from mailmcp.hosts.launch import NoLaunchError, find_launch
from mailmcp.hosts.machine import Machine, expected_files, find_files, this_machine
from mailmcp.hosts.table import HOSTS, SERVER_NAME, Host
from mailmcp.settings.sources import CONFIG_VARIABLE, choose_config_path

hosts_line = f"The hosts are: {', '.join(host.host_id for host in HOSTS)}."
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _check_name(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise click.BadParameter("use up to 64 letters, digits, _ and -")
    return name


def find_host(_context: click.Context, _parameter: click.Parameter, host_id: str | None) -> Host | None:
    """Find the host that an argument names."""
    found = next((host for host in HOSTS if host.host_id == host_id), None)
    if host_id is not None and found is None:
        raise click.BadParameter(f"there is no such host. {hosts_line}")
    return found


name_option = click.option(
    "--name", default=SERVER_NAME, callback=_check_name, help=f"Name of the entry. Default: {SERVER_NAME}."
)
yes_option = click.option("--yes", "-y", is_flag=True, help="Don't ask.")


@click.command(epilog=hosts_line)
@config_option
@name_option
@click.option("--list", "as_list", is_flag=True, help="Show which hosts were found.")
@click.option("--print", "only_print", is_flag=True, help="Print the entry and change nothing.")
@yes_option
@click.argument("host", metavar="HOST", required=False, callback=find_host)
def command(
    config: Path | None, name: str, host: Host | None, *, as_list: bool, only_print: bool, yes: bool
) -> None:
    """Add mailmcp to the settings of HOST, such as claude-desktop or vscode.

    Shows what changes and asks. The entry has the command that starts mailmcp and no secret. Comments and
    other servers stay as they are, and the file as it was is kept beside it.
    """
    machine = this_machine()
    if as_list:
        _list_hosts(machine, name)
        return
    if host is None:
        raise click.UsageError(f"Name the host. {hosts_line}")
    if only_print:
        try:
            entry = host.make_entry(name, find_launch(_named_settings(config)))
        except NoLaunchError as error:
            fail(error)
        click.echo(add_entry("", host.syntax, (host.key, name), entry), nl=False)
        return
    install(host, machine, config, name, yes=yes)
    settings = choose_config_path(config, os.environ)
    if not settings.is_file():
        click.echo(f"mailmcp has no settings yet: {settings} is missing. Run mailmcp setup.", err=True)


def install(host: Host, machine: Machine, config: Path | None, name: str = SERVER_NAME, *, yes: bool) -> None:
    """Add mailmcp to the settings of a host, showing what changes; asks unless `yes`. Exits if it fails."""
    try:
        launch = find_launch(_named_settings(config))
        files = find_files_or_fail(host, machine)
        changes = [change for path in files if (change := plan_install(path, host, name, launch))]
    except (FileError, NoLaunchError) as error:
        fail(error)
    if not changes:
        click.echo(f"{host.name} has this entry already: {', '.join(map(str, files))}")
        return
    make_changes(changes, f"Change the settings of {host.name}?", yes=yes)
    click.echo(f"Restart {host.name} to load mailmcp.")


def _named_settings(config: Path | None) -> Path | None:
    """Return the settings file that the entry must name; None for the default one."""
    is_default = config is None and not os.environ.get(CONFIG_VARIABLE)
    return None if is_default else choose_config_path(config, os.environ)


def find_files_or_fail(host: Host, machine: Machine) -> list[Path]:
    """Return the settings of a host, or exit if it isn't there."""
    files = find_files(host, machine)
    if not files:
        places = " or ".join(str(path.parent) for path in expected_files(host, machine))
        fail(f"{host.name} was not found: there is no {places}. If it is new, start it once")
    return files


def make_changes(changes: Sequence[Change], question: str, *, yes: bool) -> None:
    """Show changes, ask, and make them; exits if one can't be made."""
    for change in changes:
        click.echo(f"{change.path}:")
        for line in change.diff():
            click.echo(f"  {line}")
    if not yes:
        click.confirm(question, abort=True)
    for change in changes:
        try:
            apply(change)
        except FileError as error:
            fail(error)
        if change.before is None:
            click.echo(f"Wrote {change.path}")
        else:
            done = "Removed" if change.after is None else "Changed"
            click.echo(f"{done} {change.path}, which is kept as it was in {change.backup.name}")


def _list_hosts(machine: Machine, name: str) -> None:
    for host in HOSTS:
        files = find_files(host, machine)
        if not files:
            click.echo(f"{host.host_id:<15} not found")
        for path in files:
            try:
                state = "installed" if has_entry(path, host, name) else "found"
            except FileError as error:
                click.echo(f"{host.host_id:<15} error      {error}")
            else:
                click.echo(f"{host.host_id:<15} {state:<10} {path}")
