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
"""Connections that have not ended by then are cut."""

_LINE_OCTETS: Final = 1_048_576
"""Longest command line accepted. asyncio's default of 64 KiB is too short for a long list of UIDs."""

_GOODBYE_S: Final = 1.0
"""For BYE to each connection."""

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
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    def start(self) -> None:
        """Start listening; returns once connections are accepted.

        Raises:
            OSError: No port is free.
            TimeoutError: It was not ready in time.
        """
        self._thread.start()
        self.port = self._listening.result(START_TIMEOUT_S)

    def stop(self) -> None:
        """Close the listening socket and every connection."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(STOP_TIMEOUT_S)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve(), debug=False)
        except BaseException as error:
            if self._listening.done():
                raise
            self._listening.set_exception(error)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        backend = await make_backend(user=self.user, password=self.password, mailboxes=self._mailboxes)
        imap = IMAPServer(backend.login, backend.config)

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._serve_connection(imap, reader, writer)

        listener = await asyncio.start_server(connected, host=self.host, port=0, limit=_LINE_OCTETS)
        self._listening.set_result(listener.sockets[0].getsockname()[1])
        await self._stopping.wait()
        listener.close()
        await self._close_connections()

    async def _serve_connection(
        self, imap: IMAPServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - asyncio calls this in a task
        self._connections[task] = writer
        try:
            await imap(reader, writer, SocketInfoLocal(writer, unique_id=uuid4().bytes))
        except Exception as error:  # noqa: BLE001 - pymap raises anything on odd mail
            # It sends BYE before it gives up; other connections go on. Messages of errors quote mail.
            logger.error("embedded server: connection failed: %s", type(error).__name__)  # noqa: TRY400
        finally:
            del self._connections[task]
            writer.close()

    async def _close_connections(self) -> None:
        """Cancel all connections, to which pymap sends BYE, and abort those that stay open."""
        open_now = dict(self._connections)
        for task in open_now:
            task.cancel()
        if open_now:
            await asyncio.wait(open_now, timeout=_GOODBYE_S)
        for writer in open_now.values():
            writer.transport.abort()
        await asyncio.sleep(0)  # one iteration of the loop, in which aborted sockets are closed
