"""A server of one connection that a test answers line by line, where a peer minds its manners."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Self

WAIT_S = 30.0


class LineServer:
    """Runs for one `with` block.

    Args:
        answer: Given a line and those before it, writes what to send.
        capability: What it advertises besides IMAP4rev1.
    """

    def __init__(self, answer: Callable[[bytes, list[bytes]], bytes], *, capability: bytes = b"IDLE") -> None:
        self._answer = answer
        self._capability = capability
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.host: str = "127.0.0.1"
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, name="line-server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join(WAIT_S)
        self._listener.close()

    def _serve(self) -> None:
        client, _ = self._listener.accept()
        with client, client.makefile("rb") as lines, suppress(OSError):
            client.sendall(b"* OK [CAPABILITY IMAP4rev1 %b] Hello\r\n" % self._capability)
            earlier: list[bytes] = []
            for line in lines:
                client.sendall(self._answer(line, earlier))
                earlier.append(line)
