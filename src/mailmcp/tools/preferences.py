"""What the user prefers, as the tools see it: where files go, which zone, who the user is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path
from types import MappingProxyType

from mailmcp.model.owner import NOBODY, Owner


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """The choices of the user that a tool needs to know; the defaults are those of the settings."""

    save_folder: Path | None = None
    """Where attachments are saved; None if that is switched off."""

    zone: tzinfo = UTC
    """In which a day of a search starts and ends, and times are shown."""

    owners: Mapping[str, Owner] = field(default_factory=lambda: MappingProxyType({}))
    """By account id."""

    def owner_of(self, account_id: str) -> Owner:
        """Say who owns an account; an owner without names and addresses if nothing is known."""
        return self.owners.get(account_id, NOBODY)


DEFAULTS = Preferences()
"""Those of a user who chose nothing."""
