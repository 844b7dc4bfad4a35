"""What was learned of servers, kept between processes: the first search of a process then needs no probe.

A host starts a process for each conversation, so most searches are first ones. A file holds verdicts on one
server and a number, nothing of anybody's mail. One that can't be read or written costs only a probe.
"""

import hashlib
import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mailmcp import limits
from mailmcp.atomic import write_atomically

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFiles:
    """A folder with one JSON object for each server."""

    folder: Path
    clock: Callable[[], float] = field(default=time.time)
    """Seconds since 1970."""

    def read(self, server: str) -> Mapping[str, Any] | None:
        """Return what was kept of a server within KEPT_AGE_MAX_S; None if there is nothing usable."""
        path = self._path(server)
        try:
            kept = json.loads(path.read_bytes())
            age_s = self.clock() - kept["at"]
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError) as error:
            _log.info("%s can't be used: %s", path, type(error).__name__)
            return None
        return kept if 0 <= age_s < limits.KEPT_AGE_MAX_S and isinstance(kept, dict) else None

    def write(self, server: str, values: Mapping[str, Any]) -> None:
        """Keep values, and remove files that are too old to be used."""
        path = self._path(server)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for each in self.folder.glob("*.json"):
                if self.clock() - each.stat().st_mtime >= limits.KEPT_AGE_MAX_S:
                    each.unlink(missing_ok=True)
            write_atomically(path, json.dumps({"at": self.clock(), **values}).encode(), mode=0o600)
        except OSError as error:
            _log.info("%s can't be written: %s", path, type(error).__name__)

    def remove(self, server: str) -> None:
        """Forget a server."""
        path = self._path(server)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("%s is wrong and can't be removed: %s", path, type(error).__name__)

    def _path(self, server: str) -> Path:
        return self.folder / f"{hashlib.sha256(server.encode()).hexdigest()[:40]}.json"
