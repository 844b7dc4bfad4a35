"""Where passwords and refresh tokens are kept: the key store of the system, or a file for its owner alone.

What is in the file counts before what is in the key store, so that the two never disagree. Keys name the
account. Values are never logged, and never part of an error.
"""

import json
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Final, Protocol

from platformdirs import user_data_path
from typing_extensions import override

from mailmcp.atomic import write_atomically

SERVICE: Final = "mailmcp"
"""What entries of the key store are filed under."""

KEYRING_CHARS_MAX: Final = 1_200
"""Windows takes 2,560 octets of UTF-16 for an entry; a bit is left for what it adds."""

FILE_CHARS_MAX: Final = 65_536
"""Far more than any token has."""

LOCK_WAIT_S: Final = 30.0
"""How long to wait for another process: twice what its request for a token may take."""


class StoreError(Exception):
    """A secret could not be read or written; the message says what to do and holds no secret."""


class NoKeyStoreError(StoreError):
    """This system has no key store."""


class SecretStore(Protocol):
    """Keeps one text for each key."""

    def room(self, key: str) -> int:
        """Return how many characters the text of a key may have. Raises StoreError."""

    def read(self, key: str) -> str | None:
        """Return the text of a key, or None if there is none. Raises StoreError."""

    def write(self, key: str, secret: str) -> None:
        """Set the text of a key. Raises StoreError."""

    def delete(self, key: str) -> None:
        """Remove a key; one that isn't there is no error. Raises StoreError."""


class KeyringStore(SecretStore):
    """The key store of the system, by the package keyring."""

    @override
    def room(self, key: str) -> int:
        return KEYRING_CHARS_MAX

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

    def __init__(self, path: Path | None = None) -> None:
        """Use a file; None for `secrets.json` in the user's data folder. Neither need exist."""
        self._path = path or user_data_path(SERVICE, appauthor=False) / "secrets.json"

    @override
    def room(self, key: str) -> int:
        return FILE_CHARS_MAX

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


class UserStore(SecretStore):
    """What the user stored: in the key store of the system or, where that doesn't work, in a file."""

    def __init__(self) -> None:
        self._keyring, self._file = KeyringStore(), FileStore()

    @override
    def read(self, key: str) -> str | None:
        found = self._file.read(key)
        if found is None:
            with suppress(NoKeyStoreError):
                found = self._keyring.read(key)
        return found

    @override
    def write(self, key: str, secret: str) -> None:
        store, _ = self.choose(key)
        store.write(key, secret)

    @override
    def delete(self, key: str) -> None:
        self._file.delete(key)
        with suppress(NoKeyStoreError):
            self._keyring.delete(key)

    @override
    def room(self, key: str) -> int:
        store, _ = self.choose(key)
        return store.room(key)

    def choose(self, key: str) -> tuple[SecretStore, str]:
        """Return the store that has a secret, or else the best one that works here.

        A key store works if a probe was written, read back and deleted.

        Returns:
            The store, and why the key store can't be used; empty if it can.
        """
        if self._file.read(key) is not None:
            return self._file, ""
        probe = secrets.token_hex(8)
        try:
            if self._keyring.read(key) is not None:
                return self._keyring, ""
            self._keyring.write(f"probe-{probe}", probe)
            found = self._keyring.read(f"probe-{probe}")
            self._keyring.delete(f"probe-{probe}")
        except StoreError as error:
            return self._file, str(error)
        if found != probe:
            return self._file, "The system's key store did not return what was stored."
        return self._keyring, ""


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
        raise NoKeyStoreError("This system has no key store.") from None
    except keyring.errors.KeyringError as error:
        # A back end's message may contain anything. Its type doesn't.
        name = type(error).__name__
        raise StoreError(f"The system's key store can't be used ({name}). Is it unlocked?") from None
