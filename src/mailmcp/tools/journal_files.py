"""The journal in a folder of this machine, in files that only their owner can read.

Several processes write to the same file: each line is one write at its end, and begins with its line break,
so that one that was cut off harms no other.
"""

import errno
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from platformdirs import user_state_path
from typing_extensions import override

from mailmcp.reasons import Reason
from mailmcp.tools.journal import COUNTED, JournalStore
from mcp_envelope import InternalError

ROTATE_OCTETS: Final = 5_000_000
"""A larger file is kept as the older one, and a new one begun: some 30,000 messages that were changed."""

_NAME: Final = "journal.jsonl"
_OLDER_NAME: Final = "journal.older.jsonl"


@dataclass(slots=True, kw_only=True)
class JournalFiles(JournalStore):
    """Files in a folder, which is made with the first line."""

    folder: Path = field(default_factory=lambda: user_state_path("mailmcp", appauthor=False))
    rotate_octets: int = ROTATE_OCTETS

    @override
    def append(self, line: bytes) -> None:
        """Write a line and wait until it is on the disk."""
        octets = b"\n" + line
        try:
            self._make_folder()
            self._rotate()
            with open(self.folder / _NAME, "ab", buffering=0, opener=partial(os.open, mode=0o600)) as file:
                written = file.write(octets)
                os.fsync(file.fileno())
        except OSError as error:
            raise self._error("written", error) from error
        if written != len(octets):
            raise self._error("written", OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))

    @override
    def read(self) -> Iterable[bytes]:
        for name in (_OLDER_NAME, _NAME):
            try:
                with suppress(FileNotFoundError):
                    yield from filter(None, (self.folder / name).read_bytes().split(b"\n"))
            except OSError as error:
                raise self._error("read", error) from error

    @override
    def lock(self, account_id: str) -> Callable[[], None] | None:
        """Lock a file, which the system unlocks when the process ends."""
        from filelock import FileLock, Timeout  # noqa: PLC0415 - only those who change mail pay for it

        lock = FileLock(
            self.folder / f"account-{account_id}.lock", blocking=False, mode=0o600, thread_local=False
        )
        try:
            self._make_folder()
            lock.acquire()
        except Timeout:
            return None
        except OSError as error:
            raise self._error("written", error) from error
        return lock.release

    def _rotate(self) -> None:
        """Begin a new file if this one is large; another process may be about to do the same."""
        from filelock import FileLock  # noqa: PLC0415 - as in `lock`

        if self._is_full():
            with FileLock(self.folder / "journal.lock", mode=0o600):
                if self._is_full():
                    (self.folder / _NAME).replace(self.folder / _OLDER_NAME)

    def _is_full(self) -> bool:
        """Return whether the file is large, and the older one has nothing of the last hour."""
        current, older = self.folder / _NAME, self.folder / _OLDER_NAME
        if not current.exists() or current.stat().st_size < self.rotate_octets:
            return False
        return not older.exists() or time.time() - older.stat().st_mtime > COUNTED.total_seconds()

    def _make_folder(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _error(self, what: str, error: OSError) -> InternalError:
        return InternalError(
            f"The journal of changes in the folder {self.folder} can't be {what}: "
            f"{error.strerror or 'the system refused'}. Without it nothing is changed. The user must make "
            "the folder writable, or name another one as journal_folder in [server].",
            reason=Reason.JOURNAL_FAILED,
        )
