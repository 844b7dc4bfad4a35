"""What commands share: options, loading the settings with them, and ending with an error."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from mailmcp.server.logs import configure_logging
from mailmcp.settings.load import Settings, load_settings
from mailmcp.settings.model import ServerTable
from mailmcp.settings.sources import option

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

config_option = click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Settings file. Default: MAILMCP_CONFIG, or config.toml in your configuration folder.",
)
yes_option = click.option("--yes", "-y", is_flag=True, help="Accept defaults without asking.")

_REPLY_OPTIONS = {
    "log_level": "How much is logged",
    "log_format": "How it is logged",
    "envelope": "Shape of replies",
    "text": "Text of replies",
    "rows": "Rows of listed messages; lean ones omit what the message id says",
}


def reply_options(command: CommandT) -> CommandT:
    """Add the options that set keys of `[server]`; their values are checked with the other settings."""
    for key, what in reversed(_REPLY_OPTIONS.items()):
        field = ServerTable.model_fields[key]
        allowed = str(field.description).removeprefix("one of ").replace('"', "")
        told = f"{what}: {allowed}. Default: {field.get_default()}."
        command = click.option(option(key), metavar="NAME", help=told)(command)
    return command


def load(
    config: Path | None,
    overrides: Mapping[str, object] | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    needs_account: bool = True,
) -> Settings:
    """Load settings and configure logging. Raises SettingsError."""
    settings = load_settings(config, environ, overrides=overrides, needs_account=needs_account)
    configure_logging(settings.server.log_level, as_json=settings.server.log_format == "json")
    return settings


def fail(message: object) -> NoReturn:
    """Print an error and exit with status 1."""
    click.echo(f"mailmcp: {message}", err=True)
    sys.exit(1)
