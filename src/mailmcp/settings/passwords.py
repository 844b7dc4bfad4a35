"""Where passwords come from: a callable for each kind of source, called at every login.

The repr of a source names its variable, file or program, and so do its errors. What they contain or print,
standard error included, is never repeated or chained, and a source can't be pickled.
"""

import codecs
import contextlib
import os
import signal
import stat
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Final, NoReturn

from pydantic import SecretStr
from typing_extensions import override

from mailmcp.auth.store import SecretStore, StoreError
from mailmcp.reasons import Reason
from mailmcp.settings.model import is_sendable
from mcp_envelope import AuthFailedError

PASSWORD_COMMAND_TIMEOUT_S: Final = 30.0
"""Time for the user to unlock a key store, while a call of a tool waits."""

_POLL_S: Final = 0.1
"""How often to check whether a command has ended though its output is still open."""

PASSWORD_OCTETS_MAX: Final = 65_536
"""A larger password file is the wrong file, or an endless one."""


class PasswordSource(ABC):
    """Reads the password of one account; may block.

    Not a dataclass: `dataclasses.asdict` of an account would show its fields.
    """

    __slots__ = ("source",)

    def __init__(self, source: str) -> None:
        self.source = source
        """Its name for the user, such as `environment variable NAME`."""

    @override
    def __repr__(self) -> str:
        return f"<{self.source}>"

    @abstractmethod
    def __call__(self) -> str:
        """Read the password.

        Raises:
            AuthFailedError: With reason `password_unavailable`.
        """

    @override
    def __reduce__(self) -> NoReturn:
        raise TypeError("a password source can't be pickled")

    # It is immutable, and copying it any other way would pickle it.

    def __copy__(self) -> "PasswordSource":
        return self

    def __deepcopy__(self, memo: object) -> "PasswordSource":
        return self


class FixedPassword(PasswordSource):
    """A password written in the settings."""

    __slots__ = ("_secret",)

    def __init__(self, secret: SecretStr) -> None:
        super().__init__("password in the settings")
        self._secret = secret

    @override
    def __call__(self) -> str:
        return self._secret.get_secret_value()


class EnvironmentPassword(PasswordSource):
    """A password in an environment variable."""

    __slots__ = ("_environ", "_variable")

    def __init__(self, variable: str, environ: Mapping[str, str]) -> None:
        super().__init__(f"environment variable {variable}")
        self._variable, self._environ = variable, environ

    @override
    def __call__(self) -> str:
        password = self._environ.get(self._variable)
        if not password:
            raise _unavailable(self.source, "is not set or is empty")
        return _usable(password, self.source)


class FilePassword(PasswordSource):
    """A password that is the whole of a file, less one line break at its end."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        super().__init__(f"password file {path}")
        self._path = path

    @override
    def __call__(self) -> str:
        content, fault = self._read()
        if fault:
            raise _unavailable(self.source, fault)
        text = _decode(content, self.source)
        return _usable(text.removesuffix("\n").removesuffix("\r"), self.source)

    def _read(self) -> tuple[bytes, str]:
        """Read the file; the second value is what went wrong, or empty."""
        try:
            # Opening a FIFO blocks until somebody writes to it.
            if not stat.S_ISREG(self._path.stat().st_mode):
                return b"", "is not a regular file"
            with self._path.open("rb") as file:
                content = file.read(PASSWORD_OCTETS_MAX + 1)
        except OSError as error:
            return b"", f"can't be read: {error.strerror}"
        return content, "is too large for a password" if len(content) > PASSWORD_OCTETS_MAX else ""


class StoredPassword(PasswordSource):
    """A password that `mailmcp password` stored."""

    __slots__ = ("_account_id", "_key", "_store")

    def __init__(self, store: SecretStore, key: str, *, account_id: str) -> None:
        super().__init__("system's key store" if store.name == "keyring" else "file of stored secrets")
        self._store, self._key, self._account_id = store, key, account_id

    @override
    def __call__(self) -> str:
        try:
            password = self._store.read(self._key)
        except StoreError as error:
            fault = f"can't be read ({error})"
        else:
            fault = f"has none for this account; run mailmcp password {self._account_id}"
            if password:
                return _usable(password, self.source)
        raise _unavailable(self.source, fault)


class CommandPassword(PasswordSource):
    """A password that is the first line that a program prints, run without a shell and without input."""

    __slots__ = ("_environ", "_timeout_s", "_words")

    def __init__(
        self,
        words: Sequence[str],
        environ: Mapping[str, str],
        *,
        timeout_s: float = PASSWORD_COMMAND_TIMEOUT_S,
        what: str = "password command",
    ) -> None:
        """Take the program, which errors name, and its arguments, which they don't."""
        super().__init__(f"{what} {words[0]}")
        self._words, self._environ, self._timeout_s = words, environ, timeout_s

    @override
    def __call__(self) -> str:
        output, fault = self._run()
        if fault:
            raise _unavailable(self.source, fault)
        first_line = output.partition(b"\n")[0].removesuffix(b"\r")
        return _usable(_decode(first_line, self.source), self.source)

    def _run(self) -> tuple[bytes, str]:
        """Run the program; the second value is what went wrong, or empty."""
        try:
            process = self._start()
        except OSError as error:
            return b"", f"can't be started: {error.strerror}"
        with process:
            try:
                return self._wait(process)
            except BaseException:
                _kill(process)
                raise
            finally:
                _running.discard(process)

    def _start(self) -> subprocess.Popen[bytes]:
        with _starting:
            process = subprocess.Popen(  # noqa: S603 - the user's own command, and no shell
                self._words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(self._environ),
                start_new_session=True,
            )
            _running.add(process)
        return process

    def _wait(self, process: subprocess.Popen[bytes]) -> tuple[bytes, str]:
        deadline = monotonic() + self._timeout_s
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
                    return b"", f"didn't end within {self._timeout_s:g} s"
            return output, f"failed with status {process.returncode}" if process.returncode else ""


_running: Final[set[subprocess.Popen[bytes]]] = set()
_starting: Final = threading.RLock()  # a signal handler may end them while they are being ended


def end_password_commands() -> None:
    """Kill the password commands that still run, before the process ends."""
    with _starting:
        for process in tuple(_running):
            _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and, where there are process groups, what it started."""
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _decode(content: bytes, source: str) -> str:
    try:
        return content.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError:
        pass  # The exception contains the octets, so it must not become the context of ours.
    raise _unavailable(source, "returned text that is not UTF-8")


def _usable(password: str, source: str) -> str:
    if not password:
        raise _unavailable(source, "returned no password")
    if not is_sendable(password):
        raise _unavailable(source, "returned more than one line, a NUL or text that is not UTF-8")
    return password


def _unavailable(source: str, fault: str) -> AuthFailedError:
    return AuthFailedError(
        f"No password to log in with: the {source} {fault}. The user must fix this.",
        reason=Reason.PASSWORD_UNAVAILABLE,
    )
