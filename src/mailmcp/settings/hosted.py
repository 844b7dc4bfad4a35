"""`[http.oauth]`: one server for many users, each with an account made of the settings' only one."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from mailmcp.settings.check import PASSWORD_KEYS, check_table
from mailmcp.settings.model import SAFE_URL, AccountTable, Line, Scope, Secret, Table, ValkeyUrl, Word
from mailmcp.settings.sources import Origin

USER_PLACEHOLDER: Final = "{user}"
"""In `user` of the account: the user whom a token names."""

ACCOUNT_ID_CHARS_MAX: Final = 55
"""Of the account, so that nine more fit into an id."""


class OAuthTable(Table):
    """`[http.oauth]`: who can sign in over HTTP, and how their mailboxes are opened."""

    issuer: Annotated[Line, SAFE_URL]
    url: Annotated[Line, SAFE_URL]
    audience: Word = ""
    """Empty for `url`."""

    scopes: tuple[Scope, ...] = ()
    user_claim: Line = "email"
    check: Literal["signature", "introspection"] = "signature"
    sign_in: Literal["exchange", "master", "stored"]
    master_user: Word = ""
    client_id: Word = ""
    client_secret: Secret | None = None
    mail_audience: Word = ""
    mail_scope: Word = ""
    sasl: Literal["xoauth2", "oauthbearer"] = "xoauth2"
    valkey_url: ValkeyUrl | None = None
    users_max: Annotated[int, Field(ge=1, le=10_000)] = 200


def load_oauth(http: object, path: Path) -> tuple[OAuthTable | None, list[str]]:
    """Check the table `[http]`, which has no keys of its own; returns as `check_table`."""
    if not isinstance(http, dict) or http.keys() != {"oauth"}:
        return None, [f"{path}: http: can only have the table [http.oauth]"]
    return check_table(OAuthTable, http["oauth"], Origin(place=f"{path}: http.oauth").describe)


def find_faults(
    oauth: OAuthTable, tables: Mapping[str, Any], accounts: Mapping[str, AccountTable], path: Path
) -> Iterator[str]:
    """Check `[http.oauth]` with the other tables and the accounts; return what is wrong, one line each."""
    for table, key, why in (
        ("server", "http_token", "clients can send only one token"),
        ("attachments", "save_folder", "all users would share it"),
        ("attachments", "attach_folder", "all users would share it"),
    ):
        if getattr(tables[table], key):
            yield f"{path}: {table}.{key}: can't be combined with [http.oauth]: {why}"
    needed = {
        "exchange": {"client_id", "client_secret"},
        "master": {"master_user"},
        "stored": set[str](),
    }[oauth.sign_in]
    if oauth.check == "introspection":
        needed |= {"client_id", "client_secret"}
    for key in sorted(needed):
        if not getattr(oauth, key):
            yield f"{path}: http.oauth.{key}: is missing"
    if len(accounts) != 1 or not all(USER_PLACEHOLDER in each.user for each in accounts.values()):
        yield (
            f"{path}: accounts: with [http.oauth], write exactly one account, whose user contains "
            f"{USER_PLACEHOLDER}, which stands for the user's name"
        )
    for account in accounts.values():
        given = account.model_fields_set
        if len(account.account_id) > ACCOUNT_ID_CHARS_MAX:
            yield f"{path}: account_id: must have at most {ACCOUNT_ID_CHARS_MAX} characters with [http.oauth]"
        if account.auth != "password":
            yield f"{path}: auth: can't be combined with [http.oauth], whose sign_in says how users sign in"
        if oauth.sign_in != "master" and (secrets := given.intersection(PASSWORD_KEYS)):
            yield f'{path}: {min(secrets)}: needs sign_in = "master" in [http.oauth]'


def table_of_user(template: AccountTable, user: str) -> AccountTable:
    """Return the account of one user; its key in the store is the user's own."""
    return template.model_copy(update={"user": template.user.replace(USER_PLACEHOLDER, user)})
