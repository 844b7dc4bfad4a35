"""The least that could be done: the same IMAP commands on a bare IMAPClient.

No MCP, no parsing of mail, no checks: what a call of mailmcp costs above this is mailmcp.
The items are written out here; `latency` notices when mailmcp asks for other ones.
"""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from imapclient import IMAPClient
from servers.dovecot import Login

from scripts.benchmarks.plan import CALL_TIMEOUT_S

_ROW_ITEMS = ("UID", "FLAGS", "INTERNALDATE", "BODY.PEEK[HEADER.FIELDS (DATE FROM SUBJECT)]")
_MESSAGE_ITEMS = ("UID", "FLAGS", "INTERNALDATE", "RFC822.SIZE", "BODY.PEEK[]<0.131072>", "BODYSTRUCTURE")


class Floor:
    """A client that is logged in and has the mailbox open."""

    def __init__(self, client: IMAPClient) -> None:
        """Take a client that stays its owner's to close."""
        self._client = client

    def list_mailboxes(self, *, with_counts: bool) -> None:
        """List as mailmcp does, where the server has SPECIAL-USE and LIST-STATUS."""
        returning = b"(SPECIAL-USE STATUS (MESSAGES UNSEEN))" if with_counts else b"(SPECIAL-USE)"
        self._run(b"LIST", b'""', b'"*"', b"RETURN", returning, uid=False)

    def fetch_page(self, *criteria: bytes, uids: Sequence[int]) -> None:
        """Search and fetch the rows of `uids`, which are of what is found."""
        self._run(b"SEARCH", b"RETURN", b"(COUNT ALL)", *criteria, answer="ESEARCH")
        self.fetch_rows(uids)

    def fetch_rows(self, uids: Sequence[int]) -> None:
        """Fetch the rows of `uids`."""
        self._client.fetch(uids, _ROW_ITEMS)

    def fetch_message(self, uid: int) -> None:
        """Fetch what the first command for a message asks for."""
        self._client.fetch([uid], _MESSAGE_ITEMS)

    def _run(self, name: bytes, *arguments: bytes, answer: str = "", uid: bool = True) -> None:
        # IMAPClient has no public way to ask for ESEARCH or an extended LIST.
        self._client._raw_command_untagged(  # noqa: SLF001 - see above
            name, list(arguments), response_name=answer or None, uid=uid
        )


@contextmanager
def open_floor(host: str, port: int, login: Login, *, mailbox: str) -> Iterator[Floor]:
    """Connect, log in, open the mailbox read-only."""
    with IMAPClient(host, port, ssl=False, timeout=CALL_TIMEOUT_S) as client:
        # IMAPClient sends a line and its end apart; the second must not wait for the first's ACK.
        client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.login(*login)
        client.select_folder(mailbox, readonly=True)
        yield Floor(client)
