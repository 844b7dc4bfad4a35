"""Where passwords come from: a reader for each kind of place, called at every login.

Errors name the file or program. What those contain or print, standard error included, is never
repeated or chained.
"""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mailmcp.auth import store
from mailmcp.reasons import Reason
from mailmcp.settings.model import AccountTable, is_sendable
from mailmcp.settings.sources import Origin
from mcp_envelope import AuthFailedError

COMMAND_TIMEOUT_S: Final = 30.0
"""Time for the user to unlock a key store, while a call of a tool waits."""

PasswordReader = Callable[[], str]
"""Returns the password, and may block. Raises AuthFailedError with reason `password_unavailable`."""


def _reader(
    place: str, read_octets: Callable[[], bytes], *, remedy: str = "The user must fix this."
) -> PasswordReader:
    def read() -> str:
        password, fault = "", ""
        try:
            password = read_octets().decode("utf-8-sig")
            if not password:
                fault = "has no password"
            elif not is_sendable(password):
                fault = "has more than one line or a NUL"
        except UnicodeDecodeError:
            fault = "has text that is not UTF-8"
        except OSError as error:
            fault = f"can't be used: {error.strerror}"
        except subprocess.TimeoutExpired as error:
            fault = f"didn't end within {error.timeout:g} s"
        except subprocess.CalledProcessError as error:
            fault = f"failed with status {error.returncode}"
        except store.StoreError as error:
            fault = f"can't be used: {error}"
        if fault:  # raised here: an exception may contain what was read
            raise AuthFailedError(
                f"No password to log in with: the {place} {fault}. {remedy}",
                reason=Reason.PASSWORD_UNAVAILABLE,
            )
        return password

    return read


def secret_key(table: AccountTable) -> str:
    """Return the key of an account's password or refresh token in the store."""
    key = f"{table.account_id} {table.user}@{table.host}"
    return key if table.auth == "password" else f"{key} oauth2"


def password_reader(table: AccountTable, origin: Origin, environ: Mapping[str, str]) -> PasswordReader:
    """Take the password from where the settings say, or else the one that `mailmcp password` stored.

    That of a file is the whole file, less one line break at its end.
    """
    if table.password is not None:
        return table.password.get_secret_value
    if table.password_file is not None:
        path = origin.resolve(table.password_file)
        return _reader(
            f"password file {path}", lambda: path.read_bytes().removesuffix(b"\n").removesuffix(b"\r")
        )
    if table.password_command is not None:
        return command_password(table.password_command, environ)
    return stored_password(secret_key(table), f"The user must run: mailmcp password {table.account_id}")


def stored_password(key: str, remedy: str) -> PasswordReader:
    """Take the password that the store has for a key."""
    return _reader("key store", lambda: bytes(store.read(key) or "", "utf-8"), remedy=remedy)


def command_password(
    words: Sequence[str], environ: Mapping[str, str], *, what: str = "password command"
) -> PasswordReader:
    """Take the first line that a program prints, without a shell; errors don't name its arguments."""

    def read() -> bytes:
        ended = subprocess.run(  # noqa: S603 - the user's own command
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
            timeout=COMMAND_TIMEOUT_S,
            start_new_session=True,  # it can't take the terminal
            check=True,
        )
        return ended.stdout.partition(b"\n")[0].removesuffix(b"\r")

    return _reader(f"{what} {words[0]}", read)
