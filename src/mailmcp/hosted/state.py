"""What is kept of users who change their mail: the journals, and which confirmations count.

`LocalState` is for one replica; several share a `ClusterState`.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from typing_extensions import override

from mailmcp.hosted.principal import Principal
from mailmcp.tools.journal import JournalStore
from mailmcp.tools.journal_files import JournalFiles
from mcp_envelope import ConfirmationStore
from mcp_envelope.tokens import InProcess


class State(Protocol):
    """What is kept of all users."""

    confirmations: ConfirmationStore

    def journal_of(self, principal: Principal) -> JournalStore:
        """Return where the journal of a user is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalState(State):
    """A folder for each user's journal; the process remembers the confirmations."""

    folder: Path
    confirmations: ConfirmationStore = field(default_factory=InProcess)

    @override
    def journal_of(self, principal: Principal) -> JournalStore:
        return JournalFiles(folder=self.folder / principal.digest)
