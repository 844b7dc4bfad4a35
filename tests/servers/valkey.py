"""A private Valkey, or a Redis, which does the same here, on a free port of 127.0.0.1."""

import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Self

import pytest
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_fixed

from servers.http_process import end_process

_START_TIMEOUT_S: Final = 30.0


def find_valkey() -> str | None:
    """Return the program; None if there is none."""
    return shutil.which("valkey-server") or shutil.which("redis-server")


def need_valkey() -> None:
    """Skip a test where there is none; fail in CI, which must have it."""
    if find_valkey() is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Valkey is not installed, and CI must have it")
        pytest.skip("neither Valkey nor Redis is installed (Debian: valkey-server or redis-server)")


class Valkey:
    """A running server, for one `with` block; what it was told outlives its process."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            with socket.create_server(("127.0.0.1", 0)) as free:
                self.port: int = free.getsockname()[1]
            self.url = f"valkey://127.0.0.1:{self.port}/0"
            self.start()
            stack.callback(lambda: end_process(self.process))
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    def start(self) -> None:
        """Start it, or start it again with what it knew; return when it answers."""
        program = find_valkey()
        assert program is not None
        options = f"--bind 127.0.0.1 --port {self.port} --appendonly yes --appendfsync always --save".split()
        self.process = subprocess.Popen(
            [program, *options, "", "--dir", str(self._folder)], stdout=subprocess.DEVNULL
        )
        self._wait()

    def kill(self) -> None:
        """End it at once, as a crash does."""
        self.process.kill()
        self.process.wait()

    @retry(
        retry=retry_if_exception_type((OSError, EOFError)),
        stop=stop_after_delay(_START_TIMEOUT_S),
        wait=wait_fixed(0.02),
        reraise=True,
    )
    def _wait(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(b"PING\r\n")
            if connection.recv(7) != b"+PONG\r\n":
                raise EOFError("it isn't ready")
