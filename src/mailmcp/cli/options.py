"""What commands share: options, loading the settings with them, and ending with an error."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NoReturn

import click

from mailmcp.imap.account import Account
from mailmcp.server.logs import configure_logging
from mailmcp.settings.load import Settings, load_settings

config_option = click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Settings file. Default: MAILMCP_CONFIG, or config.toml in your configuration folder.",
)
account_argument = click.argument("account_id", required=False)
user_option = click.option("--user", help="One of many users, where the settings have [http.oauth].")
NAME_THE_USER: Final = "Each user has an account: name one with --user."
yes_option = click.option("--yes", "-y", is_flag=True, help="Accept defaults without asking.")


def load(
    config: Path | None, *, environ: Mapping[str, str] = os.environ, needs_account: bool = True
) -> Settings:
    """Load settings and configure logging. Raises SettingsError."""
    settings = load_settings(config, environ, needs_account=needs_account)
    configure_logging(settings.server.log_level)
    return settings


def choose_accounts(settings: Settings, account_id: str | None) -> list[Account]:
    """Return the account of this id, or all if it is None; exits if there is none."""
    chosen = [each for each in settings.accounts if account_id in {None, each.account_id}]
    if not chosen:
        raise click.BadParameter(f"there is no such account. The accounts are: {', '.join(settings.tables)}")
    return chosen


def fail(message: object) -> NoReturn:
    """Print an error and exit with status 1."""
    click.echo(f"mailmcp: {message}", err=True)
    sys.exit(1)
