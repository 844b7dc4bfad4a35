"""The two mail servers of the tools' tests behind one face: Dovecot, and pymap of few extensions."""

import socket
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Protocol

from imapclient import IMAPClient

from mailmcp.imap.account import Account
from servers.dovecot import Dovecot, Login
from servers.embedded import Pymap
from servers.logins import password_of, plain_account
from servers.peer import Peer

TIMEOUT_S = 30.0
ACCOUNT_ID = "work"


class Fill(Protocol):
    """Appends messages to a mailbox, as `servers.filling.append` does."""

    def __call__(
        self,
        mailbox: str,
        messages: Iterable[bytes],
        *,
        flags: Sequence[bytes] = (),
        received: datetime | None = None,
    ) -> list[int]:
        """Return their UIDs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """One user's mail on one server."""

    kind: str
    account: Account
    fill: Fill

    @contextmanager
    def client(self) -> Iterator[IMAPClient]:
        """Log in as another program of the same user."""
        with IMAPClient(self.account.host, self.account.port, ssl=False, timeout=TIMEOUT_S) as client:
            client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # it writes in pieces
            client.login(self.account.user, password_of(self.account))
            yield client

    def expunge(self, mailbox: str, uids: Sequence[int]) -> None:
        """Delete messages for good."""
        with self.client() as client:
            client.select_folder(mailbox)
            client.delete_messages(uids)
            client.expunge()

    def rebuild(self, mailbox: str) -> None:
        """Delete a mailbox and make it again, empty, with another UIDVALIDITY."""
        with self.client() as client:
            client.delete_folder(mailbox)
            client.create_folder(mailbox)

    def flags(self, mailbox: str) -> dict[int, tuple[bytes, ...]]:
        r"""Read all flags, \Recent among them, as a session sees them that takes nothing."""
        with self.client() as client:
            client.select_folder(mailbox, readonly=True)
            uids = client.search()
            return {uid: tuple(sorted(row[b"FLAGS"])) for uid, row in client.fetch(uids, ["FLAGS"]).items()}

    def named(self, account_id: str) -> Account:
        """Give the account under another name."""
        return replace(self.account, account_id=account_id)


def dovecot_store(server: Dovecot, login: Login) -> Store:
    """Make the store of a Dovecot user."""
    account = plain_account(server.host, server.plain_port, login.user, login.password)
    return Store(kind="dovecot", account=account, fill=partial(server.fill, login.user))


def pymap_store(server: Pymap) -> Store:
    """Make the store of pymap's user."""
    account = plain_account(server.host, server.port, server.user, server.password)
    return Store(kind="pymap", account=account, fill=server.fill)


def peer_account(peer: Peer) -> Account:
    """Make the account of a scripted peer, which a busy machine may keep waiting."""
    return plain_account(peer.host, peer.port, peer.user, peer.password, command_timeout_s=300.0)
