"""From checked tables to the preferences of the tools: the folder, the zone, the owners."""

import os
import re
import zoneinfo
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from mailmcp.model.owner import Owner
from mailmcp.settings.model import ADDRESS_PATTERN, AccountTable, AttachmentsTable, SearchTable
from mailmcp.settings.paths import resolve_path
from mailmcp.settings.problems import Problem
from mailmcp.tools.preferences import Preferences


def make_preferences(
    attachments: AttachmentsTable,
    search: SearchTable,
    accounts: Sequence[AccountTable],
    environ: Mapping[str, str],
) -> Preferences:
    """Make the preferences of tables that have no problems; `~` is the home folder of `environ`."""
    return Preferences(
        save_folder=_save_folder(attachments, environ),
        zone=zoneinfo.ZoneInfo(search.time_zone),
        owners={account.account_id: make_owner(account) for account in accounts},
    )


def make_owner(account: AccountTable) -> Owner:
    """Say who owns an account; the login name is one of the addresses if it looks like one."""
    addresses = list(account.addresses)
    known = {address.lower() for address in addresses}
    if re.fullmatch(ADDRESS_PATTERN, account.user) and account.user.lower() not in known:
        addresses.append(account.user)
    return Owner(
        names=tuple(account.names),
        addresses=tuple(addresses),
        trusted_authserv_ids=tuple(account.trusted_authserv_ids),
    )


def folder_problems(table: AttachmentsTable, environ: Mapping[str, str]) -> Iterator[Problem]:
    """Find out whether files can be saved where the table says; nothing is written to try."""
    folder = _save_folder(table, environ)
    if folder is None:
        return
    if not folder.is_dir():
        message = "must be a folder that exists; make it, or leave the key out to save nothing"
    elif not os.access(folder, os.W_OK | os.X_OK):
        message = "must be a folder that mailmcp may write to"
    else:
        return
    yield Problem(where=("save_folder",), message=message)


def _save_folder(table: AttachmentsTable, environ: Mapping[str, str]) -> Path | None:
    # The text is absolute or starts with `~`, so the folder does not matter.
    return resolve_path(table.save_folder, folder=Path(), environ=environ) if table.save_folder else None
