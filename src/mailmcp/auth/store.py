"""Where passwords and refresh tokens are kept: the key store of the system, or a file for its owner alone.

The settings record which one holds an account's secret, so that two stores never disagree. Keys name
the account. Values are never logged, and never part of an error.
"""

import json
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Final, Literal, Protocol

from platformdirs import user_data_path
from typing_extensions import override

from mailmcp.atomic import write_atomically

SERVICE: Final = "mailmcp"
"""What entries of the key store are filed under."""

StoreName = Literal["keyring", "file"]

KEYRING_CHARS_MAX: Final = 1_200
"""Windows takes 2,560 octets of UTF-16 for an entry; a bit is left for what it adds."""

LOCK_WAIT_S: Final = 30.0
"""How long to wait for another process: twice what its request for a token may take."""


class StoreError(Exception):
    """A secret could not be read or written; the message says what to do and holds no secret."""


class SecretStore(Protocol):
    """Keeps one text for each key."""

    name: StoreName
    chars_max: int
    """The longest text that it holds."""

    def read(self, key: str) -> str | None:
        """Return the text of a key, or None if there is none. Raises StoreError."""

    def write(self, key: str, secret: str) -> None:
        """Set the text of a key. Raises StoreError."""

    def delete(self, key: str) -> None:
        """Remove a key; one that isn't there is no error. Raises StoreError."""


class KeyringStore(SecretStore):
    """The key store of the system, by the package keyring."""

    name: StoreName = "keyring"
    chars_max = KEYRING_CHARS_MAX

    @override
    def read(self, key: str) -> str | None:
        with _opened_keyring() as keyring:
            password: str | None = keyring.get_password(SERVICE, key)
        return password

    @override
    def write(self, key: str, secret: str) -> None:
        with _opened_keyring() as keyring:
            if keyring.get_password(SERVICE, key) != secret:  # on macOS, writing again forgets "Always Allow"
                keyring.set_password(SERVICE, key, secret)

    @override
    def delete(self, key: str) -> None:
        with _opened_keyring() as keyring:
            if keyring.get_password(SERVICE, key) is not None:
                keyring.delete_password(SERVICE, key)


class FileStore(SecretStore):
    """A JSON file that only its owner can read, replaced as a whole on each change."""

    name: StoreName = "file"
    chars_max = 65_536

    def __init__(self, path: Path | None = None) -> None:
        """Use a file; None for `secrets.json` in the user's data folder. Neither need exist."""
        self._path = path or user_data_path(SERVICE, appauthor=False) / "secrets.json"

    @override
    def read(self, key: str) -> str | None:
        return self._load().get(key)

    @override
    def write(self, key: str, secret: str) -> None:
        self._change(key, secret)

    @override
    def delete(self, key: str) -> None:
        self._change(key, None)

    def _load(self) -> dict[str, str]:
        try:
            with self._path.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                if sys.platform != "win32" and mode & (stat.S_IRWXG | stat.S_IRWXO):
                    raise StoreError(f"Other users can read {self._path}. Run: chmod 600 {self._path}")
                content = json.load(file)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StoreError(f"{self._path} can't be read: {error.strerror}.") from None
        except ValueError:
            content = None
        if not isinstance(content, dict) or not all(isinstance(value, str) for value in content.values()):
            raise StoreError(f"{self._path} is damaged. Remove it and sign in again.")
        return content

    def _change(self, key: str, secret: str | None) -> None:
        from filelock import FileLock, Timeout  # noqa: PLC0415 - only those who write pay for it

        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with FileLock(f"{self._path}.lock", timeout=LOCK_WAIT_S, mode=0o600):
                entries = self._load()
                if secret is None:
                    entries.pop(key, None)
                else:
                    entries[key] = secret
                write_atomically(self._path, json.dumps(entries, indent=1).encode(), mode=0o600)
        except Timeout:
            raise StoreError(f"{self._path} is in use by another process. Try again later.") from None
        except OSError as error:
            raise StoreError(f"{self._path} can't be written: {error.strerror}.") from None


def open_store(name: StoreName) -> SecretStore:
    """Return the store of that name; nothing is read yet."""
    return KeyringStore() if name == "keyring" else FileStore()


def choose_store() -> tuple[SecretStore, str]:
    """Return the key store of the system if it works, else the file.

    Works means: a probe was written, read back and deleted.

    Returns:
        The store, and why the key store can't be used; empty if it can.
    """
    store, key, probe = KeyringStore(), f"probe-{secrets.token_hex(8)}", secrets.token_hex(8)
    try:
        store.write(key, probe)
        found = store.read(key)
        store.delete(key)
    except StoreError as error:
        return FileStore(), str(error)
    if found != probe:
        return FileStore(), "The system's key store did not return what was stored."
    return store, ""


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
        raise StoreError("This system has no key store.") from None
    except keyring.errors.KeyringError as error:
        # A back end's message may contain anything. Its type doesn't.
        name = type(error).__name__
        raise StoreError(f"The system's key store can't be used ({name}). Is it unlocked?") from None
