"""`mailmcp install` and `uninstall`: add mailmcp to a host, by the host's own command or in its file."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import click

from mailmcp.cli.options import config_option, fail, yes_option
from mailmcp.hosts.files import Change, apply, plan_install, plan_uninstall
from mailmcp.hosts.launch import find_launch
from mailmcp.hosts.table import HOSTS, SERVER_NAME, Host, HostError, Launch
from mailmcp.settings.sources import CONFIG_VARIABLE, choose_config_path

_BY_ID = {host.host_id: host for host in HOSTS}


def _check_name(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise click.BadParameter("use up to 64 letters, digits, _ and -")
    return name


_name_option = click.option(
    "--name", default=SERVER_NAME, callback=_check_name, help=f"Name of the entry. Default: {SERVER_NAME}."
)


@click.command()
@config_option
@_name_option
@click.option("--list", "as_list", is_flag=True, help="Show which hosts were found.")
@click.option("--print", "only_print", is_flag=True, help="Print the entry or command and change nothing.")
@yes_option
@click.argument("host_id", metavar="HOST", required=False, type=click.Choice(list(_BY_ID)))
def install(
    config: Path | None, name: str, host_id: str | None, *, as_list: bool, only_print: bool, yes: bool
) -> None:
    """Add mailmcp to a host, such as vscode.

    HOST is one of those that --list shows. Shows what it does and asks. The entry has no secret. A settings
    file is kept as it was beside the new one; one with comments isn't touched.
    """
    if as_list:
        for each in HOSTS:
            _list_host(each, name)
        return
    if host_id is None:
        raise click.UsageError(f"Name the host. The hosts are: {', '.join(_BY_ID)}.")
    if only_print:
        click.echo(_BY_ID[host_id].describe(name, _find_launch(config)))
        return
    add_to_host(_BY_ID[host_id], config, name, yes=yes)
    settings = choose_config_path(config, os.environ)
    if not settings.is_file():
        click.echo(f"mailmcp has no settings yet: {settings} is missing. Run mailmcp setup.", err=True)


@click.command()
@_name_option
@yes_option
@click.argument("host_id", metavar="HOST", type=click.Choice(list(_BY_ID)))
def uninstall(name: str, host_id: str, *, yes: bool) -> None:
    """Remove mailmcp from a host.

    Shows what it does and asks. Backups are kept.
    """
    host = _BY_ID[host_id]
    if host.remove is not None:
        _run_host_command(host, host.remove(name), yes=yes)
    elif not host.files:
        fail(f"remove the entry {name} by hand in {host.name}: it has no command for that")
    else:
        _change_files(
            host,
            lambda path: plan_uninstall(path, host, name),
            question=f"Remove {name} from the settings of {host.name}?",
            nothing=f"{host.name} has no entry {name}",
            by_hand=f"Remove the entry {name} by hand",
            yes=yes,
        )


def add_to_host(host: Host, config: Path | None, name: str = SERVER_NAME, *, yes: bool) -> None:
    """Add mailmcp to a host, showing how; asks unless `yes`. Exits if it fails."""
    launch = _find_launch(config)
    entry = host.describe(name, launch)
    if host.add is not None:
        _run_host_command(host, host.add(name, launch), yes=yes)
    else:
        _change_files(
            host,
            lambda path: plan_install(path, host, name, launch),
            question=f"{entry}\nAdd this to the settings of {host.name}?",
            nothing=f"{host.name} has this entry already",
            by_hand=f"The entry to add by hand:\n{entry}",
            yes=yes,
        )


def _change_files(
    host: Host,
    plan: Callable[[Path], Change | None],
    *,
    question: str,
    nothing: str,
    by_hand: str,
    yes: bool,
) -> None:
    """Show what changes in the files of a host, ask, and do it; exits if it fails."""
    files = host.find_files()
    if not files:
        places = " or ".join(str(path.parent) for path in host.expected_files())
        fail(f"{host.name} was not found: there is no {places}. If it is new, start it once")
    try:
        changes = [change for path in files if (change := plan(path))]
    except HostError as error:
        fail(f"{error}. {by_hand}")
    if not changes:
        click.echo(f"{nothing}: {', '.join(map(str, files))}")
        return
    for change in changes:
        click.echo(f"File: {change.path}")
    if not yes:
        click.confirm(question, abort=True)
    for change in changes:
        backup = apply(change)
        click.echo(f"Changed {change.path}" + (f"; {backup.name} has it as it was" if backup else ""))
    click.echo(f"Restart {host.name}.")


def _run_host_command(host: Host, arguments: list[str], *, yes: bool) -> None:
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


def _find_launch(config: Path | None) -> Launch:
    """Return what the host shall start; the settings file is named unless it is the default one."""
    is_default = config is None and not os.environ.get(CONFIG_VARIABLE)
    return find_launch(None if is_default else choose_config_path(config, os.environ))


def _list_host(host: Host, name: str) -> None:
    found = {str(path): "found" for path in host.find_files()}
    for path in found:
        try:
            found[path] = "installed" if plan_uninstall(Path(path), host, name) else "found"
        except HostError as error:
            found[path] = f"error: {error}"
    if program := host.find_program():
        found[program] = "found"
    if not found:
        click.echo(f"{host.host_id:<15} not found")
    for place, state in found.items():
        click.echo(f"{host.host_id:<15} {state:<10} {place}")
