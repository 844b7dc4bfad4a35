"""Who is served: the owner of the configured accounts, or each user whom a token names."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Protocol

from mcp.server.context import ServerRequestContext
from typing_extensions import override

from mailmcp.imap.account import Account
from mailmcp.imap.pool import Pool
from mailmcp.tools.journal import Journal
from mailmcp.tools.journal_files import JournalFiles
from mailmcp.tools.preferences import Preferences
from mailmcp.tools.tool import Shared


class Users(Protocol):
    """Everybody who is served."""

    def opened(self) -> AbstractAsyncContextManager[object]:
        """Serve until the block ends; then close all connections."""

    def accounts_of(self, request: ServerRequestContext[Any]) -> Sequence[Account]:
        """Return the accounts of the user who sent a request."""

    def principal_of(self, request: ServerRequestContext[Any]) -> str:
        """Return the name of the user who sent a request, for the log; "" where there is only one."""

    def shared_with(self, request: ServerRequestContext[Any]) -> AbstractContextManager[Shared]:
        """Return what the calls of that user have in common, for one call.

        Raises:
            ToolError: The user can't begin another call now.
        """

    def note_call(self, fields: Mapping[str, object]) -> None:
        """Take note of the log line of a call that has ended."""


@dataclass(slots=True, kw_only=True)
class OneUser(Users):
    """The owner of the configured accounts, whoever sends the requests."""

    accounts: Sequence[Account]
    preferences: Preferences
    lean_rows: bool = False
    _shared: Shared = field(init=False)

    @asynccontextmanager
    @override
    async def opened(self) -> AsyncIterator[None]:
        async with Pool(self.accounts, clock=monotonic).opened() as pool:
            folder = self.preferences.journal_folder
            self._shared = Shared(
                pool=pool,
                preferences=self.preferences,
                lean_rows=self.lean_rows,
                journal=Journal(store=JournalFiles(folder=folder) if folder else JournalFiles()),
            )
            yield

    @override
    def accounts_of(self, request: ServerRequestContext[Any]) -> Sequence[Account]:
        return self.accounts

    @override
    def principal_of(self, request: ServerRequestContext[Any]) -> str:
        return ""

    @contextmanager
    @override
    def shared_with(self, request: ServerRequestContext[Any]) -> Iterator[Shared]:
        yield self._shared

    @override
    def note_call(self, fields: Mapping[str, object]) -> None:
        """Nothing is measured for one user: the log says it all."""
