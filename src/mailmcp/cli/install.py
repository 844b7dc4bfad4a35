"""`mailmcp install`: adds mailmcp to a host, by the host's own command or in its settings file."""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import click

from mailmcp.cli.options import config_option
from mailmcp.cli.sign_in import fail
from mailmcp.hosts.files import Change, FileError, apply, has_entry, plan_install
from mailmcp.hosts.launch import NoLaunchError, find_launch
from mailmcp.hosts.table import HOSTS, SERVER_NAME, Host, Launch
from mailmcp.settings.sources import CONFIG_VARIABLE, choose_config_path

hosts_line = f"The hosts are: {', '.join(host.host_id for host in HOSTS)}."


def _check_name(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
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
@click.option("--print", "only_print", is_flag=True, help="Print the entry or command and change nothing.")
@yes_option
@click.argument("host", metavar="HOST", required=False, callback=find_host)
def command(
    config: Path | None, name: str, host: Host | None, *, as_list: bool, only_print: bool, yes: bool
) -> None:
    """Add mailmcp to HOST, such as claude-desktop or vscode.

    Shows what it does and asks. The entry has the command that starts mailmcp and no secret. A settings file
    is kept as it was beside the new one; one with comments isn't touched.
    """
    if as_list:
        _list_hosts(name)
        return
    if host is None:
        raise click.UsageError(f"Name the host. {hosts_line}")
    if only_print:
        click.echo(_describe(host, name, _find_launch_or_fail(config)))
        return
    install(host, config, name, yes=yes)
    settings = choose_config_path(config, os.environ)
    if not settings.is_file():
        click.echo(f"mailmcp has no settings yet: {settings} is missing. Run mailmcp setup.", err=True)


def install(host: Host, config: Path | None, name: str = SERVER_NAME, *, yes: bool) -> None:
    """Add mailmcp to a host, showing how; asks unless `yes`. Exits if it fails."""
    launch = _find_launch_or_fail(config)
    if host.by_hand is not None:
        click.echo(f"Add this to the settings of {host.name}:\n{host.by_hand(name, launch)}")
        return
    if host.add is not None:
        run_host_command(host, host.add(name, launch), yes=yes)
        return
    files = find_files_or_fail(host)
    try:
        changes = [change for path in files if (change := plan_install(path, host, name, launch))]
    except FileError as error:
        fail(f"{error}. The entry to add by hand:\n{_describe(host, name, launch)}")
    if not changes:
        click.echo(f"{host.name} has this entry already: {', '.join(map(str, files))}")
        return
    click.echo(_describe(host, name, launch))
    make_changes(changes, f"Add this to the settings of {host.name}?", yes=yes)
    click.echo(f"Restart {host.name} to load mailmcp.")


def find_files_or_fail(host: Host) -> list[Path]:
    """Return the settings of a host, or exit if it isn't there."""
    files = host.find_files()
    if not files:
        places = " or ".join(str(path.parent) for path in host.expected_files())
        fail(f"{host.name} was not found: there is no {places}. If it is new, start it once")
    return files


def make_changes(changes: Sequence[Change], question: str, *, yes: bool) -> None:
    """Ask, and make changes; exits if one can't be made."""
    for change in changes:
        click.echo(f"File: {change.path}")
    if not yes:
        click.confirm(question, abort=True)
    for change in changes:
        try:
            backup = apply(change)
        except FileError as error:
            fail(error)
        done = "Removed" if change.after is None else "Changed" if backup else "Wrote"
        click.echo(f"{done} {change.path}" + (f"; {backup.name} has it as it was" if backup else ""))


def run_host_command(host: Host, arguments: list[str], *, yes: bool) -> None:
    """Show and run a command of a host; exits if it fails or isn't there."""
    shown = shlex.join(arguments)
    program = shutil.which(arguments[0])
    if program is None:
        fail(f"{host.name} was not found: there is no command {arguments[0]}. Run this where it is: {shown}")
    click.echo(shown)
    if not yes:
        click.confirm("Run this command?", abort=True)
    ended = subprocess.run([program, *arguments[1:]], check=False)  # noqa: S603 - a host's own, shown above
    if ended.returncode:
        fail(f"{arguments[0]} ended with status {ended.returncode}")


def _find_launch_or_fail(config: Path | None) -> Launch:
    """Return what the host shall start; the settings file is named unless it is the default one."""
    is_default = config is None and not os.environ.get(CONFIG_VARIABLE)
    try:
        return find_launch(None if is_default else choose_config_path(config, os.environ))
    except NoLaunchError as error:
        fail(error)


def _describe(host: Host, name: str, launch: Launch) -> str:
    if host.add is not None:
        return shlex.join(host.add(name, launch))
    if host.by_hand is not None:
        return host.by_hand(name, launch)
    return json.dumps({host.key: {name: host.make_entry(launch)}}, indent=2, ensure_ascii=False)


def _list_hosts(name: str) -> None:
    for host in HOSTS:
        if host.by_hand is not None:
            click.echo(f"{host.host_id:<15} by hand")
            continue
        if not host.is_here():
            click.echo(f"{host.host_id:<15} not found")
        elif host.program:
            click.echo(f"{host.host_id:<15} found      {shutil.which(host.program)}")
        for path in host.find_files():
            try:
                state = "installed" if has_entry(path, host, name) else "found"
            except FileError as error:
                click.echo(f"{host.host_id:<15} error      {error}")
            else:
                click.echo(f"{host.host_id:<15} {state:<10} {path}")
