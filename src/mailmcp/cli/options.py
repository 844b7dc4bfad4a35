"""Options that commands share, and loading the settings with them."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar, get_args

import click

from mailmcp.server.logs import configure_logging
from mailmcp.settings.model import LogFormat, LogLevel, RowForm, Settings, TextForm
from mailmcp.settings.problems import SettingsError
from mcp_envelope import Dialect

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

config_option = click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Settings file. Default: MAILMCP_CONFIG, or config.toml in your configuration folder.",
)
_log_level = click.option("--log-level", type=click.Choice(get_args(LogLevel)), help="Default: info.")
_log_format = click.option("--log-format", type=click.Choice(get_args(LogFormat)), help="Default: text.")
_envelope = click.option(
    "--envelope",
    type=click.Choice([each.value for each in Dialect]),
    help="Shape of replies. Default: summary.",
)
_text = click.option(
    "--text", type=click.Choice(get_args(TextForm)), help="Text of replies. Default: markdown."
)
_rows = click.option(
    "--rows",
    type=click.Choice(get_args(RowForm)),
    help="Rows of listed messages; lean rows omit what the message id already says. Default: full.",
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


reply_options: Callable[[CommandT], CommandT] = combine(_log_level, _log_format, _envelope, _text, _rows)
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
