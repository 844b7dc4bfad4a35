"""Where passwords and refresh tokens are kept: the key store of the system, or a file for its owner alone.

What is in the file counts before what is in the key store, so that the two never disagree. Keys name the
account. Values are never logged, and never part of an error.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Final

from platformdirs import user_data_path

from mailmcp.atomic import write_atomically

SERVICE: Final = "mailmcp"
"""What entries of the key store are filed under."""

KEYRING_CHARS_MAX: Final = 1_200
"""Windows takes 2,560 octets of UTF-16 for an entry; a bit is left for what it adds."""

LOCK_WAIT_S: Final = 30.0
"""How long to wait for another process: twice what its request for a token may take."""


class StoreError(Exception):
    """A secret could not be read or written; the message says what to do and holds no secret."""


class BusyError(StoreError):
    """Another process holds a lock: the same request can succeed later."""


class _NoKeyStoreError(StoreError):
    """This system has no key store."""


def read(key: str) -> str | None:
    """Return the secret of a key, or None if there is none. Raises StoreError."""
    found = _load().get(key)
    if found is None:
        with suppress(_NoKeyStoreError), _opened_keyring() as keyring:
            found = keyring.get_password(SERVICE, key)
    return found


def write(key: str, secret: str) -> str:
    """Store a secret where the last one is, or else in the key store, or else in the file.

    Returns:
        Why the key store isn't used; empty if it is, or if the secret was in the file before.

    Raises:
        StoreError: The file can't be written either.
    """
    why_not = ""
    if key not in _load():
        why_not = _write_to_keyring(key, secret)
        if not why_not:
            return ""
    _change(key, secret)
    return why_not


def delete(key: str) -> None:
    """Remove a secret; one that isn't there is no error. Raises StoreError."""
    if key in _load():
        _change(key, None)
    with suppress(_NoKeyStoreError), _opened_keyring() as keyring:
        if keyring.get_password(SERVICE, key) is not None:
            keyring.delete_password(SERVICE, key)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock that all processes of the user share. Raises BusyError, or OSError if it can't be made."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - only those who write pay for it

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with FileLock(path, timeout=LOCK_WAIT_S, mode=0o600):
            yield
    except Timeout:
        raise BusyError(f"{path} is locked by another process. Try again later.") from None


def _file() -> Path:
    return user_data_path(SERVICE, appauthor=False) / "secrets.json"


def _load() -> dict[str, str]:
    path = _file()
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StoreError(f"{path} can't be read: {error.strerror}.") from None
    except ValueError:
        content = None
    if not isinstance(content, dict) or not all(isinstance(value, str) for value in content.values()):
        raise StoreError(f"{path} is damaged. Remove it and sign in again.")
    return content


def _change(key: str, secret: str | None) -> None:
    path = _file()
    try:
        with locked(path.with_name("secrets.json.lock")):
            entries = _load() | {key: secret}
            kept = {name: value for name, value in entries.items() if value is not None}
            write_atomically(path, json.dumps(kept, indent=1).encode(), mode=0o600)
    except OSError as error:
        raise StoreError(f"{path} can't be written: {error.strerror}.") from None


def _write_to_keyring(key: str, secret: str) -> str:
    """Store a secret in the key store; return why that doesn't work, or an empty text."""
    if len(secret) > KEYRING_CHARS_MAX:
        return "This is too long for the system's key store."
    try:
        with _opened_keyring() as keyring:
            if keyring.get_password(SERVICE, key) != secret:  # on macOS, writing again forgets "Always Allow"
                keyring.set_password(SERVICE, key, secret)
            found = keyring.get_password(SERVICE, key)
    except StoreError as error:
        return str(error)
    return "" if found == secret else "The system's key store did not return what was stored."


@contextmanager
def _opened_keyring() -> Iterator[ModuleType]:
    """Import keyring, which then looks for a back end, and translate its errors.

    Hosts leave the address of the session bus out of our environment; it is where systemd puts it.
    """
    if sys.platform == "linux" and not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        bus = Path(f"/run/user/{os.getuid()}/bus")
        if bus.is_socket():
            os.environ["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={bus}"
    import keyring  # noqa: PLC0415 - 60 ms that only those pay who use it
    import keyring.errors  # noqa: PLC0415

    try:
        yield keyring
    except keyring.errors.NoKeyringError:
        raise _NoKeyStoreError("This system has no key store.") from None
    except keyring.errors.KeyringError as error:
        # A back end's message may contain anything. Its type doesn't.
        name = type(error).__name__
        raise StoreError(f"The system's key store can't be used ({name}). Is it unlocked?") from None
