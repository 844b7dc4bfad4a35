"""`mailmcp password`: stores the password of an account securely."""

from pathlib import Path

import click

from mailmcp.auth.store import StoreError
from mailmcp.cli.options import config_option
from mailmcp.cli.sign_in import fail, load_sign_in, record_store, store_for
from mailmcp.settings.model import is_sendable


@click.command()
@config_option
@click.argument("account_id", required=False)
def command(config: Path | None, account_id: str | None) -> None:
    """Ask for the password of ACCOUNT_ID and store it. The id is optional if there is only one account.

    It goes into the key store of the system, or into a file that only you can read.
    """
    settings, sign_in = load_sign_in(config, account_id)
    if sign_in.method != "password":
        fail(f"account {sign_in.account_id} uses OAuth 2.0. Run mailmcp login {sign_in.account_id}")
    if sign_in.has_other_password:
        fail(f"the settings already name a password for account {sign_in.account_id}. Remove it first")
    password = click.prompt(f"Password for {sign_in.user}", hide_input=True, err=True)
    if not is_sendable(password):
        fail("a password can't contain line breaks or NULs")
    try:
        store = store_for(sign_in)
        store.write(sign_in.key, password)
    except StoreError as error:
        fail(error)
    record_store(settings, sign_in, store)
    click.echo(f"Stored. To test it, run mailmcp check {sign_in.account_id}")
