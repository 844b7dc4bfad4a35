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
from typing import Final, Self
from uuid import uuid4

from proxyprotocol.sock import SocketInfoLocal
from pymap.imap import IMAPServer
from typing_extensions import override

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

logger = logging.getLogger(__name__)


class EmbeddedServer:
    """An IMAP server with one user, on a free port of 127.0.0.1, in a thread of its own.

    Mailboxes live in memory; nothing outlives `stop`. Many servers can run in one process, each of them once.

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
        self._mailboxes = tuple(mailboxes)
        self._listening: Future[int] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="mailmcp-embedded-imap", daemon=True)
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    @override
    def __repr__(self) -> str:
        listening = self._listening.done() and not self._listening.exception() and self._thread.is_alive()
        where = f"{self.host}:{self.port}" if listening else "not running"
        return f"<EmbeddedServer {where} user={self.user!r}>"

    @property
    def port(self) -> int:
        """The port it listens on; waits while the server is starting.

        Raises:
            TimeoutError: It was not started, or was not ready in time.
        """
        return self._listening.result(START_TIMEOUT_S if self._thread.is_alive() else 0)

    def start(self) -> None:
        """Start listening; returns once connections are accepted.

        Raises:
            OSError: No port is free.
            RuntimeError: It was started before.
            TimeoutError: It was not ready in time.
        """
        self._thread.start()
        self._listening.result(START_TIMEOUT_S)

    def stop(self) -> None:
        """Close the listening socket and every connection. Does nothing if it isn't running."""
        if self._loop is not None and self._thread.is_alive():
            # The loop may end between the check and the call.
            try:
                self._loop.call_soon_threadsafe(self._stopping.set)
            except RuntimeError:
                logger.debug("embedded server had already ended")
        if self._thread.ident is not None:
            self._thread.join(STOP_TIMEOUT_S)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve(), debug=False)
        except BaseException as exc:
            if self._listening.done():
                raise
            self._listening.set_exception(exc)

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
        if task is None:  # impossible: asyncio calls this in a task
            return
        self._connections[task] = writer
        try:
            await imap(reader, writer, SocketInfoLocal(writer, unique_id=uuid4().bytes))
        except Exception:
            # pymap sends BYE before it gives up; other connections go on.
            logger.exception("embedded server: connection failed")
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
