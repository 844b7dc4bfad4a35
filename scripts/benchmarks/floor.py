"""The least that could be done: the same IMAP commands on a bare IMAPClient.

No MCP, no parsing of mail, no checks: what a call of mailmcp costs above this is mailmcp.
It opens its mailbox anew in the same burst as its first command, as mailmcp does so as not to
answer from an old view. A trusting floor does not: the mail server's work for that is seen apart.

The items are written out here; `samples` notices when mailmcp asks for other ones.
"""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from imapclient import IMAPClient
from scripts.benchmarks.plan import CALL_TIMEOUT_S

from servers.dovecot import Login

_ROW_ITEMS = (
    *("UID", "FLAGS", "INTERNALDATE", "RFC822.SIZE", "BODYSTRUCTURE"),
    "BODY.PEEK[HEADER.FIELDS (DATE FROM TO SUBJECT MESSAGE-ID)]",
)
_TIMES = 20
"""Messages whose times come along with a first page, to show whether UIDs go by arrival."""

_WORD_IS_SEEN = 'OR SUBJECT "{0}" OR FROM "{0}" OR TO "{0}" OR CC "{0}" BODY "{0}"'
_NOT_SEARCHED_INTO = 'OR HEADER CONTENT-TYPE "pkcs7-mime" HEADER CONTENT-TYPE "multipart/encrypted"'

_MESSAGE_ITEMS = ("UID", "FLAGS", "INTERNALDATE", "RFC822.SIZE", "BODY.PEEK[]<0.131072>", "BODYSTRUCTURE")


class Floor:
    """A client that is logged in; its mailbox is opened when something is first asked of it."""

    def __init__(self, client: IMAPClient, mailbox: str, *, reopens: bool) -> None:
        """Take a client that stays its owner's to close, and an ASCII mailbox name."""
        self.reopens = reopens
        self._client = client
        self._mailbox = mailbox
        self._open = False

    def list_mailboxes(self, *, with_counts: bool) -> None:
        """List as mailmcp does, where the server has SPECIAL-USE and LIST-STATUS."""
        returning = b"(SPECIAL-USE STATUS (MESSAGES UNSEEN))" if with_counts else b"(SPECIAL-USE)"
        self._run(b"LIST", b'""', b'"*"', b"RETURN", returning, uid=False)

    def fetch_page(
        self, *criteria: bytes, found: Sequence[int], size: int, asides: Sequence[str] = ()
    ) -> None:
        """Search and fetch the rows of the first `size` messages, and the times of some others.

        `found` is what the search will find, in order; `asides` are searches that go along with the rows.
        """
        self._examine()
        self._run(b"SEARCH", b"RETURN", b"(COUNT ALL)", *criteria, answer="ESEARCH")
        others = found[size:]
        count = min(len(others), _TIMES)
        if count:
            chosen = sorted(others[len(others) * number // count - 1] for number in range(1, count + 1))
            self._send(f"UID FETCH {','.join(map(str, chosen))} (UID INTERNALDATE)")
        for aside in asides:
            self._send(f"UID SEARCH RETURN (COUNT ALL) {aside}")
        self._client.fetch(found[:size], _ROW_ITEMS)

    def fetch_word(self, word: str, *, found: Sequence[int], size: int) -> None:
        """Search for a word and fetch rows; ask where people see it, and what the search can't see into."""
        candidates = ",".join(map(str, found))
        asides = (f"UID {candidates} {_WORD_IS_SEEN.format(word)}", f"1:* {_NOT_SEARCHED_INTO}")
        self.fetch_page(b"TEXT", f'"{word}"'.encode(), found=found, size=size, asides=asides)

    def fetch_rows(self, uids: Sequence[int]) -> None:
        """Fetch the rows of `uids`."""
        self._examine()
        self._client.fetch(uids, _ROW_ITEMS)

    def fetch_message(self, uid: int) -> None:
        """Fetch what the first command for a message asks for."""
        self._examine()
        self._client.fetch([uid], _MESSAGE_ITEMS)

    def _examine(self) -> None:
        if not self._open:
            self._client.select_folder(self._mailbox, readonly=True)
            self._open = True
        elif self.reopens:
            self._send(f'EXAMINE "{self._mailbox}"')

    def _send(self, command: str) -> None:
        """Send what is not waited for: the next command follows at once. IMAPClient cannot pipeline."""
        connection = self._client._imap  # noqa: SLF001 - see above
        connection.send(connection._new_tag() + f" {command}\r\n".encode())  # noqa: SLF001

    def _run(self, name: bytes, *arguments: bytes, answer: str = "", uid: bool = True) -> None:
        # IMAPClient has no public way to ask for ESEARCH or an extended LIST.
        self._client._raw_command_untagged(  # noqa: SLF001 - see above
            name, list(arguments), response_name=answer or None, uid=uid
        )


@contextmanager
def open_floor(host: str, port: int, login: Login, *, mailbox: str, reopens: bool = False) -> Iterator[Floor]:
    """Connect and log in."""
    with IMAPClient(host, port, ssl=False, timeout=CALL_TIMEOUT_S) as client:
        # What is sent in two pieces must not wait for the first one's ACK.
        client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.login(*login)
        yield Floor(client, mailbox, reopens=reopens)
