"""A person at a pseudo-terminal: waits for a question, types the answer, and sees what the screen shows."""

import os
import pty
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from cli.served import clean_environment

_ANSI = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")

NO_KEY_STORE = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring", "COLUMNS": "200"}
"""No key store of the machine that runs the tests is touched."""


def converse(command: Sequence[str], home: Path, answers: Sequence[tuple[str, str]]) -> tuple[int, str]:
    """Run a command on a terminal until it ends.

    Args:
        command: What to run.
        home: The person's.
        answers: For each question, in order, a part of it and what is typed; "" interrupts instead.

    Returns:
        The exit status, and all that the screen showed, without colours.
    """
    ours, its = pty.openpty()
    environment = clean_environment(home) | NO_KEY_STORE
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=environment) as process:
        os.close(its)
        screen, seen, waiting = "", 0, list(answers)
        octets = b""
        try:
            while read := _read(ours):
                octets += read
                screen = _ANSI.sub(b"", octets).decode().replace("\r\n", "\n")
                # A question ends with a space, which comes once the echo is off; what is typed before is lost.
                if waiting and waiting[0][0] in screen[seen:] and screen.endswith(": "):
                    seen = len(screen)
                    _, typed = waiting.pop(0)
                    if typed:
                        os.write(ours, f"{typed}\r".encode())
                    else:
                        process.send_signal(signal.SIGINT)
        except BaseException:  # a test that takes too long
            process.kill()
            raise
    os.close(ours)
    assert not waiting, f"it never asked {waiting[0][0]!r}:\n{screen}"
    return process.returncode, screen


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux says so when the other side is closed
        return b""
