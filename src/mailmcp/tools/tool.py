"""What a tool is, and what it is given: declared once, in the tool's own file."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from pydantic import BaseModel

from mailmcp.documents.extractor import Extractor
from mailmcp.imap.account import Account
from mailmcp.imap.pool import Pool, ResultT
from mailmcp.imap.session import Session
from mailmcp.imap.telemetry import Telemetry
from mailmcp.imap.uid_cache import UidCache
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.issues import advise_listing
from mailmcp.tools.message_id_cache import KnownIds
from mailmcp.tools.names import LIST_ACCOUNTS
from mailmcp.tools.preferences import Preferences
from mcp_envelope import BaseReason, InvalidInputError, NextAction, NotFoundError, Tool

_DEFAULT = "default"
"""The account that is meant where several are there and none is named."""

Report = Callable[[int, int, str], None]
"""Tells the client how far a call is: done, of how many in all (0 for unknown), and of what in a few words.

From any thread; it never fails and never waits. The words carry no text of a message.
"""


@dataclass(slots=True, kw_only=True)
class Call:
    """What one call works with."""

    pool: Pool
    uid_cache: UidCache
    deadline: float
    """On the event loop's clock; the call is over by then."""

    today: date
    """In the zone of the preferences."""

    lean_rows: bool
    """Whether listed messages leave out what their id says already."""

    preferences: Preferences
    report: Report
    extractor: Extractor
    """Of the whole server: it remembers texts from call to call."""

    known_ids: KnownIds
    """Of the whole server, likewise."""

    telemetry: Telemetry = field(default_factory=Telemetry)
    account_id: str = ""
    """The account the call turned out to be about; for the log."""

    mailbox: str = ""
    """The mailbox likewise; several with commas, `*` for all."""

    def choose_account(self, account_id: str, *, or_all: str = "") -> Account:
        """Find the account meant; where there is only one, or one called `default`, it need not be named.

        Args:
            account_id: "" for none named.
            or_all: What may be sent for all accounts, for the error to say; "" if nothing may.

        Raises:
            InvalidInputError: None is named, there are several, and none of them is called `default`.
            NotFoundError: With reason `account_unknown`.
        """
        accounts = self.pool.accounts
        if not account_id:
            if len(accounts) != 1 and all(each.account_id != _DEFAULT for each in accounts):
                known = ", ".join(account.account_id for account in accounts)
                one_of = f"{known}{f', or {or_all} for all' if or_all else ''}"
                raise InvalidInputError.of(
                    "account_id", BaseReason.MISSING_PARAM, f"is missing. Send one of: {one_of}."
                )
            account_id = accounts[0].account_id if len(accounts) == 1 else _DEFAULT
        try:
            account = self.pool.sessions_of(account_id).account
        except NotFoundError as error:
            alike = [each.account_id for each in accounts if each.account_id.lower() == account_id.lower()]
            owned = self._accounts_of(account_id)
            if alike or owned:
                what = "Ids are case-sensitive" if alike else f"That is an address or login of {owned}"
                message = f"{error.message} {what}: send {', '.join(alike) if alike else 'the id'}."
                raise NotFoundError(
                    message, reason=error.reason, details=error.details, resource=error.resource
                ) from None
            error.next_action = NextAction(instruction="List the accounts.", tool=LIST_ACCOUNTS)
            raise
        self.account_id = account.account_id
        return account

    def choose_account_of(self, ref: MessageRef, account_id: str) -> Account:
        """Choose the account of a message; `account_id`, if it was sent too, must name the same one.

        Raises:
            InvalidInputError: It names another.
            NotFoundError: As `choose_account`.
        """
        if account_id not in {"", ref.account_id}:
            raise InvalidInputError.of(
                "account_id",
                BaseReason.EXCLUSIVE_PARAMS,
                f"contradicts message_id, which is of account {ref.account_id}. Leave it out.",
            )
        return self.choose_account(ref.account_id)

    def _accounts_of(self, address: str) -> str:
        """Name the accounts that an address or a login name is of; "" if there are none."""
        wanted, owner_of = address.strip().lower(), self.preferences.owner_of
        return ", ".join(
            each.account_id
            for each in self.pool.accounts
            if wanted in {name.lower() for name in (each.user, *owner_of(each.account_id).addresses)}
        )

    async def ask(
        self,
        work: Callable[[Session], ResultT],
        *,
        mailbox: str = "",
        account_id: str = "",
        deadline: float | None = None,
    ) -> ResultT:
        """Run `work` on a session of an account, in a thread.

        Args:
            work: As `Pool.run` takes it.
            mailbox: What it opens.
            account_id: "" for the chosen account.
            deadline: If it is earlier than the call's.

        Raises:
            ToolError: As `Pool.run`.
        """
        account_id = account_id or self.account_id
        try:
            return await self.pool.run(
                account_id,
                work,
                mailbox=mailbox,
                telemetry=self.telemetry,
                deadline=self.deadline if deadline is None else min(deadline, self.deadline),
            )
        except NotFoundError as error:
            advise_listing(error, account_id)
            raise


@dataclass(frozen=True, slots=True, kw_only=True)
class MailTool(Tool[Call]):
    """One tool of mailmcp, and what of it the user's settings change."""

    lean_data: type[BaseModel] | None = None
    """Its data with lean rows, where that makes a difference."""

    read_only: bool = True
    """Whether it leaves everything on the server as it is."""

    saves_files: bool = False
    """Whether it can write a file on this machine, where the user has named a folder for that."""
