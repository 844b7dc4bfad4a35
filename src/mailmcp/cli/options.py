"""Options that commands share, and loading the settings with them."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from mailmcp.server.logs import configure_logging
from mailmcp.settings.model import ServerTable, Settings
from mailmcp.settings.problems import SettingsError

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

config_option = click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Settings file. Default: MAILMCP_CONFIG, or config.toml in your configuration folder.",
)
_transport = click.option(
    "--transport",
    type=click.Choice(["stdio", "http"]),
    default="stdio",
    show_default=True,
    help="How clients connect to mailmcp.",
)
_host = click.option("--host", help="With http, the name or address to listen on. Default: 127.0.0.1.")
_port = click.option(
    "--port", type=click.IntRange(0, 65535), help="With http, the port; 0 for any free one. Default: 8000."
)


def combine(*options: Callable[[CommandT], CommandT]) -> Callable[[CommandT], CommandT]:
    """Combine options into one decorator, in the order of the help page."""

    def decorate(command: CommandT) -> CommandT:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _server_option(key: str, what: str) -> Callable[[CommandT], CommandT]:
    """Make an option of a key of `[server]`; its value is checked with the other settings."""
    field = ServerTable.model_fields[key]
    allowed = str(field.description).removeprefix("one of ").replace('"', "")
    name = "--" + key.replace("_", "-")
    return click.option(name, metavar="NAME", help=f"{what}: {allowed}. Default: {field.get_default()}.")


reply_options: Callable[[CommandT], CommandT] = combine(
    _server_option("log_level", "How much is logged"),
    _server_option("log_format", "How it is logged"),
    _server_option("envelope", "Shape of replies"),
    _server_option("text", "Text of replies"),
    _server_option("rows", "Rows of listed messages; lean ones omit what the message id says"),
)
transport_options: Callable[[CommandT], CommandT] = combine(_transport, _host, _port)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAddress:
    """Where to serve HTTP."""

    host: str
    port: int


def http_address(transport: str, host: str | None, port: int | None) -> HttpAddress | None:
    """Return where to serve HTTP; None for stdio.

    Raises:
        click.UsageError: There is a host or a port, but the transport is stdio.
    """
    if transport == "http":
        return HttpAddress(host=host or "127.0.0.1", port=8000 if port is None else port)
    if host is not None or port is not None:
        raise click.UsageError("--host and --port need --transport http.")
    return None


def load_or_exit(load: Callable[[], Settings]) -> Settings:
    """Load settings and configure logging, or exit with status 2 and every mistake on stderr."""
    try:
        settings = load()
    except SettingsError as error:
        exit_with(error)
    configure_logging(settings.server.log_level, as_json=settings.server.log_format == "json")
    return settings


def exit_with(error: SettingsError) -> NoReturn:
    """Print what is wrong with the settings, and exit."""
    click.echo("mailmcp: the settings have errors:", err=True)
    for line in error.lines:
        click.echo(f"  {line}", err=True)
    sys.exit(2)
