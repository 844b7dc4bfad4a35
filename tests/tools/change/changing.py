"""What the tests of changes share: letters, calls that change them, and what is there afterwards."""

from dataclasses import replace
from typing import Any

import pytest

from mailmcp.imap.account import Account, Writes
from mcp_envelope import ConfirmationRequired
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.stores import Store

CHANGE = "imap_change_messages"

Contents = dict[str, dict[str, frozenset[str]]]
"""By mailbox and subject the flags of a message; of two with one subject only one."""


def writing(account: Account, **settings: Any) -> Account:
    return replace(account, **{"writes": Writes.ALL, **settings})


def letters(*names: str, sender: str = "Ann Example <ann@example.org>") -> list[bytes]:
    made = []
    for name in names:
        letter = make_letter(name, "Text\n", sender=sender)
        letter["Message-ID"] = f"<{name.replace(' ', '.')}@mail.example.org>"
        made.append(letter.as_bytes())
    return made


def change(desk: Desk, action: str, **arguments: object) -> Reply:
    return desk.call(CHANGE, {"action": action, **arguments})


def ask(desk: Desk, action: str, **arguments: object) -> ConfirmationRequired:
    """Make a call that must be confirmed."""
    with pytest.raises(ConfirmationRequired) as caught:
        change(desk, action, **arguments)
    return caught.value


def confirm(desk: Desk, action: str, **arguments: object) -> Reply:
    """Make a call, and confirm it."""
    return change(desk, action, **arguments, confirm=ask(desk, action, **arguments).token)


def contents(store: Store) -> Contents:
    """Read everything, as another program; mailboxes without messages are left out."""
    found: Contents = {}
    with store.client() as client:
        for flags, _, name in client.list_folders():
            if b"\\Noselect" in flags:
                continue
            client.select_folder(name, readonly=True)
            uids = client.search()
            rows = client.fetch(uids, ["FLAGS", "ENVELOPE"]).values() if uids else ()
            for row in rows:
                kept = frozenset(each.decode() for each in row[b"FLAGS"] if each != b"\\Recent")
                found.setdefault(name, {})[row[b"ENVELOPE"].subject.decode()] = kept
    return found
