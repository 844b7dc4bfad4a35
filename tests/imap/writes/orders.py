"""Helpers for tests of writes: sessions that write, orders, what became of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from imap.scenes import make_account
from mailmcp.imap.account import Account, Writes
from mailmcp.imap.connect import connect, log_in
from mailmcp.imap.session import Quirks, Session
from mailmcp.imap.writes.carry_out import carry_out
from mailmcp.imap.writes.look_up import look_up
from mailmcp.imap.writes.prepare import prepare
from mailmcp.imap.writes.values import Action, Fate, Order, Prepared, Result
from servers.peer import Peer
from servers.peer_mailbox import PeerMailbox

GMAIL = ("IMAP4rev1", "UIDPLUS", "MOVE", "X-GM-EXT-1", "UNSELECT")
YAHOO = ("IMAP4rev1", "UIDPLUS", "MOVE", "OBJECTID", "MESSAGELIMIT=1000", "LITERAL+")
ICLOUD = ("IMAP4rev1", "UIDPLUS", "CONDSTORE", "ESEARCH")
EXCHANGE = ("IMAP4", "IMAP4rev1", "UIDPLUS", "MOVE", "ID", "UNSELECT", "LITERAL+")
BARE = ("IMAP4rev1",)


def writable(account: Account, writes: Writes = Writes.ALL, **options: Any) -> Account:
    """Allow changes in an account."""
    return replace(account, writes=writes, **options)


@contextmanager
def writing_on(account: Account) -> Iterator[Session]:
    """Log in to write, as `Pool.writing` does."""
    session = Session(account, Quirks(), writes=account.writes)
    connect(session)
    log_in(session)
    try:
        yield session
    finally:
        session.discard()


def peer_account(peer: Peer, writes: Writes = Writes.ALL, **options: Any) -> Account:
    """Make the account of a peer that may be changed."""
    return make_account(peer, writes=writes, **options)


def standard_mailboxes() -> list[PeerMailbox]:
    """Make the mailboxes that a peer has besides INBOX."""
    uses = {"Archive": "\\Archive", "Drafts": "\\Drafts", "Trash": "\\Trash", "Junk": "\\Junk", "Work": ""}
    return [
        PeerMailbox(name=name, attributes=(use,) if use else (), uidvalidity=number)
        for number, (name, use) in enumerate(uses.items(), start=10)
    ]


def make_order(action: Action, mailbox: str = "INBOX", **options: Any) -> Order:
    """Make an order for an account called `main`."""
    known: dict[str, Any] = {"account_id": "main"}
    return Order(action=action, mailbox=mailbox, **known | options)


def change(session: Session, action: Action, mailbox: str = "INBOX", **options: Any) -> tuple[Result, ...]:
    """Prepare an order and carry it out."""
    return carry_out(session, prepare(session, make_order(action, mailbox, **options)))


def find_out(account: Account, prepared: Prepared, **options: Any) -> tuple[Result, ...]:
    """Look an order up, on a session that can only read."""
    with writing_on(replace(account, writes=Writes.OFF)) as session:
        return look_up(session, prepared, **{"wait": lambda _seconds: None} | options)


def fates(results: tuple[Result, ...]) -> dict[int, tuple[Fate, int]]:
    """Return what became of each message, and where it is now."""
    for each in results:
        assert (each.error is None) == (each.fate is Fate.DONE), each
    return {each.uid: (each.fate, each.new_uid) for each in results}
