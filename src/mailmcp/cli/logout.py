"""`mailmcp logout`: deletes the stored secret of an account."""

from pathlib import Path

import click

from mailmcp.auth.store import StoreError
from mailmcp.cli.options import config_option
from mailmcp.cli.sign_in import fail, load_sign_in


@click.command()
@config_option
@click.argument("account_id", required=False)
def command(config: Path | None, account_id: str | None) -> None:
    """Delete the stored sign-in or password of ACCOUNT_ID, which is optional if there is only one account."""
    _, sign_in = load_sign_in(config, account_id)
    store = sign_in.open_store()
    if store is None:
        fail(f"nothing is stored for account {sign_in.account_id}")
    try:
        store.delete(sign_in.key)
    except StoreError as error:
        fail(error)
    click.echo(f"Deleted the secret of {sign_in.account_id}")
    if sign_in.method == "oauth2":
        click.echo("To end the sign-in at the provider too, remove mailmcp's access on its page.")
