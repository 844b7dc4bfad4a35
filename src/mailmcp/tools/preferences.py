"""The user's choices that tools depend on: folders, the time zone, who owns an account."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path
from types import MappingProxyType

from mailmcp.model.owner import NOBODY, Owner


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """The user's choices. The defaults are those of the settings."""

    save_folder: Path | None = None
    """Where to save attachments; None if saving is switched off."""

    attach_folder: Path | None = None
    """Where the files are that may be attached to drafts; None for none."""

    journal_folder: Path | None = None
    """Where the journal of changes is; None for the usual place of the system."""

    zone: tzinfo = UTC
    """Decides when a day begins in a search, and how times are shown."""

    owners: Mapping[str, Owner] = field(default_factory=lambda: MappingProxyType({}))
    """By account id."""

    def owner_of(self, account_id: str) -> Owner:
        """Return the owner of an account, or `NOBODY` if nothing is known."""
        return self.owners.get(account_id, NOBODY)


DEFAULTS = Preferences()
"""The preferences of a user who set none."""
