"""`mailmcp logout`: deletes the stored secret of an account, and revokes it if it is a token."""

from pathlib import Path

import click

from mailmcp.auth.errors import SignInError
from mailmcp.auth.store import StoreError
from mailmcp.auth.tokens import load_tokens
from mailmcp.cli.options import config_option
from mailmcp.cli.sign_in import fail, load_sign_in


@click.command()
@config_option
@click.argument("account_id", required=False)
def command(config: Path | None, account_id: str | None) -> None:
    """Delete the stored sign-in or password of ACCOUNT_ID. The id is optional if there is only one account.

    A sign-in is revoked as well, where the provider allows that.
    """
    _, sign_in = load_sign_in(config, account_id)
    store = sign_in.open_store()
    if store is None:
        fail(f"nothing is stored for account {sign_in.account_id}")
    revoked = ""
    try:
        tokens = load_tokens(store, sign_in.key) if sign_in.method == "oauth2" else None
        if tokens is not None:
            try:
                done = sign_in.make_client().revoke(tokens.refresh_token)
                revoked = (
                    " and revoked the sign-in"
                    if done
                    else ". Remove mailmcp's access on the provider's page too"
                )
            except SignInError as error:
                revoked = f", but couldn't revoke the sign-in: {error}"
        store.delete(sign_in.key)
    except StoreError as error:
        fail(error)
    click.echo(f"Deleted the secret of {sign_in.account_id}{revoked}")
