"""Where passwords come from: a source for each kind of place, read at every login.

The repr of a source names its variable, file or program, and so do its errors. What they contain or print,
standard error included, is never repeated or chained.
"""

import stat
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn

from pydantic import SecretStr
from typing_extensions import override

from mailmcp.auth.store import SecretStore, StoreError
from mailmcp.reasons import Reason
from mailmcp.settings.model import is_sendable
from mailmcp.settings.password_command import TIMEOUT_S, run_command
from mcp_envelope import AuthFailedError

PASSWORD_OCTETS_MAX: Final = 65_536
"""A larger password file is the wrong file, or an endless one."""

Found = tuple[str | bytes, str]
"""What was read, and what is wrong, or "": an exception may contain the secret, so readers raise none."""


class PasswordSource:
    """Reads the password of one account; may block. It is immutable, and can't be pickled.

    Not a dataclass: `dataclasses.asdict` of an account would show its fields.
    """

    __slots__ = ("_read", "source")

    def __init__(self, source: str, read: Callable[[], Found]) -> None:
        self.source = source
        """Its name for the user, such as `environment variable NAME`."""

        self._read = read

    def __call__(self) -> str:
        """Read the password.

        Raises:
            AuthFailedError: With reason `password_unavailable`.
        """
        found, fault = self._read()
        password, fault = ("", fault) if fault else _check(found)
        if fault:
            raise AuthFailedError(
                f"No password to log in with: the {self.source} {fault}. The user must fix this.",
                reason=Reason.PASSWORD_UNAVAILABLE,
            )
        return password

    @override
    def __repr__(self) -> str:
        return f"<{self.source}>"

    @override
    def __reduce__(self) -> NoReturn:
        raise TypeError("a password source can't be pickled")

    def __copy__(self) -> "PasswordSource":
        return self

    def __deepcopy__(self, memo: object) -> "PasswordSource":
        return self


def _check(found: str | bytes) -> tuple[str, str]:
    """Return the password, or what is wrong with it."""
    try:
        password = found if isinstance(found, str) else found.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError:
        return "", "returned text that is not UTF-8"
    if not password:
        return "", "returned no password"
    if not is_sendable(password):
        return "", "returned more than one line, a NUL or text that is not UTF-8"
    return password, ""


def fixed_password(secret: SecretStr) -> PasswordSource:
    """Take a password that is written in the settings."""
    return PasswordSource("password in the settings", lambda: (secret.get_secret_value(), ""))


def variable_password(variable: str, environ: Mapping[str, str]) -> PasswordSource:
    """Take a password in an environment variable."""

    def read() -> Found:
        password = environ.get(variable, "")
        return password, "" if password else "is not set or is empty"

    return PasswordSource(f"environment variable {variable}", read)


def file_password(path: Path) -> PasswordSource:
    """Take a password that is the whole of a file, less one line break at its end."""

    def read() -> Found:
        try:
            # Opening a FIFO blocks until somebody writes to it.
            if not stat.S_ISREG(path.stat().st_mode):
                return "", "is not a regular file"
            with path.open("rb") as file:
                content = file.read(PASSWORD_OCTETS_MAX + 1)
        except OSError as error:
            return "", f"can't be read: {error.strerror}"
        fault = "is too large for a password" if len(content) > PASSWORD_OCTETS_MAX else ""
        return content.removesuffix(b"\n").removesuffix(b"\r"), fault

    return PasswordSource(f"password file {path}", read)


def stored_password(store: SecretStore, key: str, *, account_id: str) -> PasswordSource:
    """Take a password that `mailmcp password` stored."""

    def read() -> Found:
        try:
            password = store.read(key) or ""
        except StoreError as error:
            return "", f"can't be read ({error})"
        return password, "" if password else f"has none for this account; run mailmcp password {account_id}"

    return PasswordSource("system's key store" if store.name == "keyring" else "file of stored secrets", read)


def command_password(
    words: Sequence[str],
    environ: Mapping[str, str],
    *,
    timeout_s: float = TIMEOUT_S,
    what: str = "password command",
) -> PasswordSource:
    """Take the first line that a program prints; errors name the program, but not its arguments."""

    def read() -> Found:
        output, fault = run_command(words, environ, timeout_s)
        return output.partition(b"\n")[0].removesuffix(b"\r"), fault

    return PasswordSource(f"{what} {words[0]}", read)
