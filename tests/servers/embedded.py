"""pymap for the tests: the product's own embedded server, with a fake password.

It has few extensions (no ESEARCH, no SPECIAL-USE), so it proves the plain paths,
and needs nothing installed beside Python.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from imapclient import IMAPClient

from mailmcp.demo.mailbox import SampleMailbox
from mailmcp.demo.server import EmbeddedServer
from servers import filling

COMMAND_TIMEOUT_S = 30.0


class Pymap(EmbeddedServer):
    """A running pymap, for one `with` block; its one user has an empty INBOX unless told otherwise."""

    def __init__(self, *, mailboxes: Sequence[SampleMailbox] = ()) -> None:
        super().__init__(mailboxes=mailboxes, user="fake-user", password="fake-password")

    def fill(
        self,
        mailbox: str,
        messages: Iterable[bytes],
        *,
        flags: Sequence[bytes] = (),
        received: datetime | None = None,
    ) -> list[int]:
        """Append messages, as `servers.filling.append` does, and return their UIDs."""
        with IMAPClient(self.host, self.port, ssl=False, timeout=COMMAND_TIMEOUT_S) as client:
            client.login(self.user, self.password)
            return filling.append(client, mailbox, messages, flags=flags, received=received)
