"""IMAPClient, talking to a scripted peer in plain text."""

from collections.abc import Iterator
from contextlib import contextmanager

from imapclient import IMAPClient

from servers.peer import Peer

TIMEOUT_S = 30.0
"""Of one read. A test that takes this long has failed."""


@contextmanager
def logged_in(server: Peer, *, timeout_s: float = TIMEOUT_S) -> Iterator[IMAPClient]:
    """Connect and log in; log out at the end, or close if that fails."""
    with IMAPClient(server.host, server.port, ssl=False, timeout=timeout_s) as client:
        client.login(server.user, server.password)
        yield client


@contextmanager
def examining(server: Peer, *, timeout_s: float = TIMEOUT_S) -> Iterator[IMAPClient]:
    """Log in and open INBOX read-only."""
    with logged_in(server, timeout_s=timeout_s) as client:
        client.select_folder("INBOX", readonly=True)
        yield client
