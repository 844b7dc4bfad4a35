"""The embedded IMAP server: pymap in a thread, on loopback, for one `with` block.

It owns the thread, its event loop and the sockets; `mailmcp.demo.backend` makes what is served. Importing
this module fails without pymap, which comes with the extra `demo`.
"""

import asyncio
import logging
import secrets
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Final, Self
from uuid import uuid4

from proxyprotocol.sock import SocketInfoLocal
from pymap.imap import IMAPServer

from mailmcp.demo.backend import make_backend
from mailmcp.demo.mailbox import SampleMailbox

HOST: Final = "127.0.0.1"
"""Loopback only, because logins are in plain text."""

START_TIMEOUT_S: Final = 30.0
"""Filling takes well under a second; an overloaded machine may need more."""

STOP_TIMEOUT_S: Final = 5.0
"""Connections that have not ended by then are left to the end of the process."""

_LINE_OCTETS: Final = 1_048_576
"""Longest command line accepted. asyncio's default of 64 KiB is too short for a long list of UIDs."""

logger = logging.getLogger(__name__)


class EmbeddedServer:
    """An IMAP server with one user, on a free port of loopback, in a thread of its own, for one `with` block.

    Mailboxes live in memory; nothing outlives the server. Many can run in one process, each of them once.

    Args:
        mailboxes: Its content at the start; an empty INBOX is added if none is among them.
        user: The only user; printable ASCII.
        password: Printable ASCII; a random one when empty.
    """

    def __init__(
        self, *, mailboxes: Sequence[SampleMailbox] = (), user: str = "demo", password: str = ""
    ) -> None:
        self.user: Final = user
        self.password: Final = password or secrets.token_urlsafe(16)
        self.host: Final = HOST
        self.port = 0
        """Where it listens, once it is started."""

        self._mailboxes = tuple(mailboxes)
        self._listening: Future[int] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="mailmcp-embedded-imap", daemon=True)

    def __enter__(self) -> Self:
        """Start listening; returns once connections are accepted. Raises OSError if no port is free."""
        self._thread.start()
        self.port = self._listening.result(START_TIMEOUT_S)
        return self

    def __exit__(self, *_: object) -> None:
        """Close the listening socket and every connection."""
        assert self._loop is not None  # noqa: S101 - set by then
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(STOP_TIMEOUT_S)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve(), debug=False)
        except BaseException as error:
            if self._listening.done():
                raise
            self._listening.set_exception(error)

    async def _serve(self) -> None:
        """Serve until stopped. Connections are cancelled when the loop ends, and pymap sends BYE to each."""
        self._loop = asyncio.get_running_loop()
        backend = await make_backend(user=self.user, password=self.password, mailboxes=self._mailboxes)
        imap = IMAPServer(backend.login, backend.config)

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await imap(reader, writer, SocketInfoLocal(writer, unique_id=uuid4().bytes))
            except Exception as error:  # noqa: BLE001 - pymap raises anything on odd mail
                # It sends BYE before it gives up; other connections go on. Messages of errors quote mail.
                logger.error("embedded server: connection failed: %s", type(error).__name__)  # noqa: TRY400
            finally:
                writer.close()

        listener = await asyncio.start_server(connected, host=self.host, port=0, limit=_LINE_OCTETS)
        self._listening.set_result(listener.sockets[0].getsockname()[1])
        await self._stopping.wait()
        listener.close()
