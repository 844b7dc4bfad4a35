"""Options that commands share, and the settings made of them."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar, get_args

import click

from mailmcp.server.logs import configure_logging
from mailmcp.settings.load import load_settings
from mailmcp.settings.model import LogFormat, LogLevel, RowForm, Settings, TextForm
from mailmcp.settings.problems import SettingsError
from mcp_envelope import Dialect

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

_config = click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Settings file; default: MAILMCP_CONFIG, then the user's configuration folder.",
)
_log_level = click.option("--log-level", type=click.Choice(get_args(LogLevel)), help="Default: info.")
_log_format = click.option("--log-format", type=click.Choice(get_args(LogFormat)), help="Default: text.")
_envelope = click.option(
    "--envelope",
    type=click.Choice([each.value for each in Dialect]),
    help="Shape of replies; default: summary.",
)
_text = click.option(
    "--text", type=click.Choice(get_args(TextForm)), help="Text of replies; default: markdown."
)
_rows = click.option(
    "--rows",
    type=click.Choice(get_args(RowForm)),
    help="Rows of listed messages; default: full; lean leaves out what a message's id says already.",
)
_transport = click.option(
    "--transport",
    type=click.Choice(["stdio", "http"]),
    default="stdio",
    show_default=True,
    help="How clients talk to mailmcp: --transport http serves HTTP.",
)
_host = click.option("--host", help="With http, the name or address to listen on; default: 127.0.0.1.")
_port = click.option(
    "--port", type=click.IntRange(0, 65535), help="With http, 0 for any free one; default: 8000."
)


def _apply(options: tuple[Callable[[CommandT], CommandT], ...], command: CommandT) -> CommandT:
    for option in reversed(options):
        command = option(command)
    return command


config_option = _config
reply_options: Callable[[CommandT], CommandT] = partial(
    _apply, (_log_level, _log_format, _envelope, _text, _rows)
)
transport_options: Callable[[CommandT], CommandT] = partial(_apply, (_transport, _host, _port))


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpPlace:
    """Where to serve HTTP."""

    host: str
    port: int


def http_place(transport: str, host: str | None, port: int | None) -> HttpPlace | None:
    """Read the options of `transport_options`; None for stdio.

    Raises:
        click.UsageError: The host or the port is given without the transport that has one.
    """
    if transport == "http":
        return HttpPlace(host=host or "127.0.0.1", port=8000 if port is None else port)
    if host is not None or port is not None:
        raise click.UsageError("--host and --port go with --transport http.")
    return None


def settings_or_exit(config: Path | None, overrides: dict[str, object]) -> Settings:
    """Load the settings as `configured_or_exit` does."""
    return configured_or_exit(lambda: load_settings(config, os.environ, overrides=overrides))


def configured_or_exit(load: Callable[[], Settings]) -> Settings:
    """Load settings and configure logging by them; exit with status 2 and every mistake on stderr."""
    try:
        settings = load()
    except SettingsError as error:
        exit_with(error)
    configure_logging(settings.server.log_level, as_json=settings.server.log_format == "json")
    return settings


def exit_with(error: SettingsError) -> NoReturn:
    """Say what is wrong with the settings and end."""
    click.echo("mailmcp: the settings have errors:", err=True)
    for line in error.lines:
        click.echo(f"  {line}", err=True)
    sys.exit(2)
