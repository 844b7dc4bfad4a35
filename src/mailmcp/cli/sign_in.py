"""What `login`, `logout` and `password` share: the account meant, and the record of where its secret is."""

import os
import sys
from pathlib import Path
from typing import NoReturn

import click

from mailmcp.auth.sign_in import SignIn
from mailmcp.auth.store import SecretStore, choose_store
from mailmcp.cli.options import exit_with
from mailmcp.settings.edit import set_account_key
from mailmcp.settings.load import load_settings
from mailmcp.settings.model import Settings
from mailmcp.settings.problems import SettingsError


def load_sign_in(config: Path | None, account_id: str | None) -> tuple[Settings, SignIn]:
    """Load the settings and choose an account; exits if they are wrong or it isn't clear which one."""
    try:
        settings = load_settings(config, os.environ)
    except SettingsError as error:
        exit_with(error)
    known = ", ".join(settings.sign_ins)
    if account_id is None and len(settings.sign_ins) == 1:
        return settings, next(iter(settings.sign_ins.values()))
    if account_id is None:
        raise click.UsageError(f"Name the account. The accounts are: {known}")
    if account_id not in settings.sign_ins:
        raise click.BadParameter(f"there is no such account. The accounts are: {known}")
    return settings, settings.sign_ins[account_id]


def store_for(sign_in: SignIn) -> SecretStore:
    """Return the store that the settings name, or else the best one that works here."""
    store = sign_in.open_store()
    if store is None:
        store, why_not = choose_store()
        if why_not:
            click.echo(f"{why_not} mailmcp uses a file that only you can read instead.", err=True)
    return store


def record_store(settings: Settings, sign_in: SignIn, store: SecretStore) -> None:
    """Write into the settings where the secret is, or say what to set."""
    if sign_in.store == store.name:
        return
    wanted = f'secrets = "{store.name}"'
    if settings.source is None:
        click.echo(f"Set MAILMCP_SECRETS={store.name} where mailmcp is started.")
        return
    try:
        set_account_key(settings.source, sign_in.account_id, "secrets", store.name)
    except SettingsError as error:
        fail(
            f"the secret is stored, but the settings don't say where. {error} "
            f"Add to account {sign_in.account_id}: {wanted}"
        )
    click.echo(f"{settings.source}: {wanted}")


def fail(message: object) -> NoReturn:
    """Print an error and exit with status 1."""
    click.echo(f"mailmcp: {message}", err=True)
    sys.exit(1)
