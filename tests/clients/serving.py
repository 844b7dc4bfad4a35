"""A server over HTTP in a process of its own, for as long as a block lasts."""

import os
import re
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

START_TIMEOUT_S = 90.0
STOP_TIMEOUT_S = 30.0

_ADDRESS = re.compile(r"(?:serving|running on) (http://\S+)")
"""As mailmcp says it, or uvicorn."""


class _Watch:
    """Reads a log to its end, so that its writer never waits, and finds the address in it."""

    def __init__(self, log: IO[str]) -> None:
        self.lines: list[str] = []
        self.url: str | None = None
        self.told = threading.Event()
        """Set once the address is known, or never will be."""

        self._log = log
        self._thread = threading.Thread(target=self._read, name="server log", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for line in self._log:
            self.lines.append(line)
            if self.url is None and (match := _ADDRESS.search(line)):
                self.url = match[1]
                self.told.set()
        self.told.set()

    def join(self) -> None:
        self._thread.join(STOP_TIMEOUT_S)


@contextmanager
def serving(command: Sequence[str]) -> Iterator[str]:
    """Run a server that says on stderr where it serves, and give its address.

    Raises:
        RuntimeError: It does not say so in time; the message holds its log.
    """
    # Only the command says what it serves, whoever runs the tests; and measured, it would start half as fast.
    env = {name: each for name, each in os.environ.items() if not name.startswith(("MAILMCP_", "COVERAGE_"))}
    with subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stderr is not None
        watch = _Watch(process.stderr)
        try:
            watch.told.wait(START_TIMEOUT_S)
            if watch.url is None:
                raise RuntimeError(f"the server does not start:\n{''.join(watch.lines)}")
            yield watch.url
        finally:
            _stop(process)
            watch.join()


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
