"""A person at a pseudo-terminal: waits for a question, types the answer, and sees what the screen shows."""

import os
import pty
import re
import select
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from cli.served import clean_environment

TIMEOUT_S = 60.0
"""Only bounds a failure."""
CTRL_C = "\x03\r"
"""With Return: Python notices a signal that comes just before it reads only once it has read something."""

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

NO_KEY_STORE = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
"""No key store of the machine that runs the tests is touched."""


def converse(
    command: Sequence[str], home: Path, answers: Sequence[tuple[str, str]], **environment: str
) -> tuple[int, str]:
    """Run a command on a terminal until it ends.

    Args:
        command: What to run.
        home: The person's.
        answers: For each question, in order, a part of it and the keys to press.
        environment: More variables.

    Returns:
        The exit status, and all that the screen showed, without colours.

    Raises:
        AssertionError: It ended before a question was asked, or waits for another answer.
    """
    ours, its = pty.openpty()
    process = subprocess.Popen(
        command,
        stdin=its,
        stdout=its,
        stderr=its,
        env=clean_environment(home) | NO_KEY_STORE | {"COLUMNS": "200"} | environment,
        start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - one thread runs here
    )
    os.close(its)
    screen, seen = "", 0
    waiting = list(answers)
    octets = b""
    while True:
        if not select.select([ours], [], [], TIMEOUT_S)[0]:
            process.kill()
            process.wait()
            os.close(ours)
            raise AssertionError(f"it waits for something else than {waiting[:1]}:\n{screen}")
        try:
            read = os.read(ours, 4096)
        except OSError:
            break  # Linux says so when the other side is closed
        if not read:
            break
        octets += read
        screen = _ANSI.sub("", octets.decode(errors="replace")).replace("\r\n", "\n")
        # A question ends with its colon; what is typed before that would be thrown away with the echo.
        if waiting and waiting[0][0] in screen[seen:] and screen.rstrip(" ").endswith(":"):
            seen = len(screen)
            os.write(ours, waiting.pop(0)[1].encode())
    status = process.wait(TIMEOUT_S)
    os.close(ours)
    assert not waiting, f"it never asked {waiting[0][0]!r}:\n{screen}"
    return status, screen


def _take_terminal() -> None:
    import fcntl  # noqa: PLC0415
    import termios  # noqa: PLC0415

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever started the tests may ignore it, as nohup does
