"""Runs the programs that print a password, without a shell and without input."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Final

TIMEOUT_S: Final = 30.0
"""Time for the user to unlock a key store, while a call of a tool waits."""

_POLL_S: Final = 0.1
"""How often to check whether a command has ended though its output is still open."""

_running: Final[set[subprocess.Popen[bytes]]] = set()
_starting: Final = threading.RLock()  # a signal handler may end them while they are being ended


def run_command(words: Sequence[str], environ: Mapping[str, str], timeout_s: float) -> tuple[bytes, str]:
    """Run a program, and return what it printed; the second value is what went wrong, or empty."""
    try:
        process = _start(words, environ)
    except OSError as error:
        return b"", f"can't be started: {error.strerror}"
    with process:
        try:
            return _wait(process, timeout_s)
        except BaseException:
            _kill(process)
            raise
        finally:
            _running.discard(process)


def end_password_commands() -> None:
    """Kill the password commands that still run, before the process ends."""
    with _starting:
        for process in tuple(_running):
            _kill(process)


def _start(words: Sequence[str], environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    with _starting:
        process = subprocess.Popen(  # noqa: S603 - the user's own command, and no shell
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
            start_new_session=True,
        )
        _running.add(process)
    return process


def _wait(process: subprocess.Popen[bytes], timeout_s: float) -> tuple[bytes, str]:
    deadline = monotonic() + timeout_s
    while True:
        ended = process.poll() is not None
        try:
            output, _ = process.communicate(timeout=_POLL_S)
        except subprocess.TimeoutExpired as waiting:
            if ended:
                # A process that it left behind keeps its output open; what it printed is here.
                output = waiting.output or b""
            elif monotonic() < deadline:
                continue
            else:
                _kill(process)
                return b"", f"didn't end within {timeout_s:g} s"
        return output, f"failed with status {process.returncode}" if process.returncode else ""


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and, where there are process groups, what it started."""
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
