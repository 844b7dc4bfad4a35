"""Key stores of the system, played in memory through the plug-in interface of keyring."""

import keyring.backend
import keyring.errors
from typing_extensions import override


class Memory(keyring.backend.KeyringBackend):
    """A key store of the system that works."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.entries: dict[tuple[str, str], str] = {}
        self.writes = 0

    @override
    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    @override
    def set_password(self, service: str, username: str, password: str) -> None:
        self.writes += 1
        self.entries[service, username] = password

    @override
    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


class Locked(Memory):
    """One that a person would have to unlock."""

    @override
    def get_password(self, service: str, username: str) -> str | None:
        raise keyring.errors.KeyringLocked("fake-secret in the text of a back end")


class Forgetful(Memory):
    """One that stores nothing."""

    @override
    def get_password(self, service: str, username: str) -> str | None:
        return None
