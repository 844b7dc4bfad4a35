"""What a tool is, and what it works with.

`MailTool` declares a tool, `Call` is one call of it, `Shared` is what all calls have in common.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime

import anyio
from pydantic import BaseModel

from mailmcp.documents.extractor import Extractor
from mailmcp.imap.account import Account, Writes
from mailmcp.imap.errors import writes_forbidden_error
from mailmcp.imap.pool import Pool, ResultT, Telemetry
from mailmcp.imap.search.cache import UidCache
from mailmcp.imap.session import Session
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.errors import has_moved, list_mailboxes_of, search_again, search_for
from mailmcp.tools.journal import Journal
from mailmcp.tools.journal_files import JournalFiles
from mailmcp.tools.message_id import MessageIdCache, is_header_id
from mailmcp.tools.names import LIST_ACCOUNTS
from mailmcp.tools.preferences import Preferences
from mcp_envelope import (
    BaseReason,
    Confirmations,
    ConflictError,
    InvalidInputError,
    NextAction,
    NotFoundError,
    Report,
    Tool,
    ToolError,
)

_DEFAULT = "default"
"""The account to use when there are several and the caller names none."""

READ_IDS_MAX = 100
"""Messages that may have talked a model into a change: what it has read in one sitting."""


@dataclass(slots=True, kw_only=True)
class Shared:
    """What all calls work with for as long as the server runs: the mail, the user's choices, the caches."""

    pool: Pool
    preferences: Preferences
    lean_rows: bool = False
    """Whether listed messages leave out what their ids already say."""

    uid_cache: UidCache = field(default_factory=UidCache)
    extractor: Extractor = field(default_factory=Extractor)
    message_id_cache: MessageIdCache = field(default_factory=MessageIdCache)
    journal: Journal = field(default_factory=lambda: Journal(store=JournalFiles()))
    confirmations: Confirmations = field(default_factory=Confirmations)
    read_ids: deque[str] = field(default_factory=lambda: deque(maxlen=READ_IDS_MAX))
    """Ids of the messages whose text was given out, the latest last."""

    def begin_call(self, *, deadline: float, report: Report, request_id: str = "") -> "Call":
        """Begin a call, today."""
        shared = {each.name: getattr(self, each.name) for each in fields(Shared)}
        today = datetime.now(self.preferences.zone).date()
        return Call(**shared, deadline=deadline, report=report, today=today, request_id=request_id)


@dataclass(slots=True, kw_only=True)
class Call(Shared):
    """One call of a tool, which has all that is shared."""

    deadline: float
    """On the event loop's clock."""

    report: Report
    today: date
    """In the user's time zone."""

    request_id: str = ""
    telemetry: Telemetry = field(default_factory=Telemetry)
    account_id: str = ""
    """The chosen account; for the log too."""

    mailbox: str = ""
    """For the log: the mailbox, several joined by commas, or `*` for all."""

    def choose_account(self, account_id: str, *, or_all: str = "") -> Account:
        """Choose an account. It need not be named if it is the only one or is called `default`.

        For the error, `or_all` is the value that means all accounts; "" if there is none.

        Raises:
            InvalidInputError: The caller must name one of several.
            NotFoundError: There is no such account; reason `account_unknown`.
        """
        ids = [each.account_id for each in self.pool.accounts]
        if not account_id:
            if len(ids) != 1 and _DEFAULT not in ids:
                one_of = f"{', '.join(ids)}{f', or {or_all} for all' if or_all else ''}"
                raise InvalidInputError.of(
                    "account_id", BaseReason.MISSING_PARAM, f"is missing. Send one of: {one_of}."
                )
            account_id = ids[0] if len(ids) == 1 else _DEFAULT
        try:
            account = self.pool.sessions_of(account_id).account
        except NotFoundError as error:
            list_accounts = NextAction(instruction="List the accounts.", tool=LIST_ACCOUNTS)
            raise error.replace(next_action=list_accounts) from None
        self.account_id = account.account_id
        return account

    def choose_account_to_write(self, account_id: str, level: Writes) -> Account:
        """Choose an account likewise, whose settings must allow what `level` does.

        Raises:
            InvalidInputError, NotFoundError: As for `choose_account`.
            AuthFailedError: They don't; the reason is `writes_forbidden`.
        """
        account = self.choose_account(account_id)
        if not account.writes.includes(level):
            raise writes_forbidden_error(account, level)
        return account

    def choose_message(self, ref: MessageRef, account_id: str) -> MessageRef:
        """Choose the account and mailbox of a message. `account_id`, if not "", must be that account.

        Raises:
            InvalidInputError: `account_id` is another account.
            NotFoundError: As for `choose_account`.
        """
        if account_id not in {"", ref.account_id}:
            raise InvalidInputError.of(
                "account_id",
                BaseReason.EXCLUSIVE_PARAMS,
                f"contradicts message_id, which belongs to account {ref.account_id}. Leave it out.",
            )
        self.choose_account(ref.account_id)
        self.mailbox = ref.mailbox
        return ref

    def note_read(self, message_ids: Iterable[str]) -> None:
        """Note that text of these messages is given out: the journal names what was read before a change."""
        for each in message_ids:
            if each in self.read_ids:
                self.read_ids.remove(each)
            self.read_ids.append(each)

    async def ask(
        self,
        work: Callable[[Session], ResultT],
        *,
        message: MessageRef | None = None,
        account_id: str = "",
        deadline: float | None = None,
    ) -> ResultT:
        """Run `work` on a session of an account, in a thread.

        Args:
            work: As for `Pool.run`.
            message: The message it reads, so that an error can suggest how to find it again.
            account_id: "" for the chosen account.
            deadline: If earlier than the call's.

        Raises:
            ToolError: As for `Pool.run`.
        """
        account_id = account_id or self.account_id
        try:
            return await self.pool.run(
                account_id,
                work,
                telemetry=self.telemetry,
                deadline=self.deadline if deadline is None else min(deadline, self.deadline),
            )
        except (NotFoundError, ConflictError) as error:
            next_action = self._next_action(error, account_id, message)
            if next_action is None:
                raise
            raise error.replace(next_action=next_action) from error

    async def write(self, work: Callable[[Session], ResultT]) -> ResultT:
        """Run `work` once on a session of the chosen account that may write.

        Raises:
            ToolError: As for `Pool.writing`.
        """
        async with self.pool.writing(
            self.account_id, telemetry=self.telemetry, deadline=self.deadline
        ) as writer:
            return await writer.run(work)

    async def ask_accounts(
        self,
        works: Mapping[str, Callable[[Session], ResultT]],
        *,
        deadline: float | None = None,
    ) -> dict[str, ResultT | ToolError]:
        """Run a function on a session of each account, side by side; `deadline` may be before the call's.

        Returns:
            By account what its function returned, or why it failed.
        """
        results: dict[str, ResultT | ToolError] = {}

        async def ask(account_id: str, work: Callable[[Session], ResultT]) -> None:
            try:
                results[account_id] = await self.ask(work, account_id=account_id, deadline=deadline)
            except ToolError as error:
                results[account_id] = error

        async with anyio.create_task_group() as tasks:
            for account_id, work in works.items():
                tasks.start_soon(ask, account_id, work)
        return {each: results[each] for each in works}

    def _next_action(
        self, error: ToolError, account_id: str, message: MessageRef | None
    ) -> NextAction | None:
        """Suggest how to find a mailbox or a message that is gone; None for any other error."""
        missing = error.reason is Reason.MAILBOX_MISSING
        if message is not None and has_moved(error):
            header_message_id = self.message_id_cache.header_of(message.message_id)
            if is_header_id(header_message_id):  # a stranger wrote it: don't repeat prose
                return search_for(account_id, header_message_id)
            if not missing:
                return search_again(message)
        return list_mailboxes_of(account_id) if missing else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MailTool(Tool):
    """A tool, and how the user's settings change what is published of it."""

    lean_data: type[BaseModel] | None = None
    """The data model with lean rows, if it differs."""

    read_only: bool = True
    writes: Writes = Writes.OFF
    """What it takes: it is listed only if the settings of an account allow that."""

    saves_files: bool = False
    """Whether it can save files on this machine, if the user has set a folder for them."""
