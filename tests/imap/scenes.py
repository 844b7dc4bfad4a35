"""What the tests of the IMAP layer have in common: accounts, sessions, a running pool, a round of reading."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import anyio
from anyio.from_thread import start_blocking_portal

from mailmcp.imap.account import Account
from mailmcp.imap.connect import connect, log_in
from mailmcp.imap.mailboxes import count_mailboxes, list_mailboxes
from mailmcp.imap.pipeline import Steps, run_steps
from mailmcp.imap.pool import Pool, Telemetry
from mailmcp.imap.search.run import search_mailboxes
from mailmcp.imap.search.values import MailboxPage, PageRequest
from mailmcp.imap.session import Quirks, SelectedMailbox, Session
from mailmcp.model.cursor import Position
from mailmcp.model.query import SearchQuery
from mcp_envelope import ToolError
from servers.dovecot import Login
from servers.logins import plain_account

ResultT = TypeVar("ResultT")

FAKE_LOGIN = Login("fake-user", "fake-password")
"""Of peers and of pymap."""

ROW_ITEMS = ("UID", "FLAGS", "INTERNALDATE", "BODY.PEEK[HEADER.FIELDS (DATE FROM SUBJECT)]")

RESULT_TIMEOUT_S = 60.0
"""Only bounds a failure, as `timeout_s` of a call does."""


class Endpoint(Protocol):
    """Where a server listens."""

    @property
    def host(self) -> str: ...

    @property
    def port(self) -> int: ...


class At(NamedTuple):
    """A server's address, where the server has several."""

    host: str
    port: int


@dataclass
class Clock:
    """Stands still unless told."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


def make_account(endpoint: Endpoint, login: Login = FAKE_LOGIN, **options: Any) -> Account:
    """Make an account: plain text, and more time than a test has, unless told otherwise."""
    known = {"account_id": "main", "connect_timeout_s": 300.0, "command_timeout_s": 300.0}
    return plain_account(endpoint.host, endpoint.port, login.user, login.password, **known | options)


@contextmanager
def session_on(account: Account, quirks: Quirks | None = None) -> Iterator[Session]:
    """Log in; close when the block ends."""
    session = Session(account, quirks or Quirks())
    connect(session)
    log_in(session)
    try:
        yield session
    finally:
        session.discard()


class RunningPool:
    """A pool in an event loop of its own, for one `with` block, used from plain tests."""

    def __init__(self, *accounts: Account, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self.pool = Pool(accounts, clock=self.clock)
        self.account_id = accounts[0].account_id
        self.telemetry = Telemetry()
        """Of the call that began last."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            stack.enter_context(self._portal.wrap_async_context_manager(self.pool.opened()))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the pool, then its event loop; harmless when done."""
        self._stack.close()

    def start(self, work: Callable[[Session], ResultT], *, timeout_s: float = 300.0) -> Future[ResultT]:
        """Begin a call, which may be cancelled."""
        telemetry = self.telemetry = Telemetry()

        async def run() -> ResultT:
            return await self.pool.run(
                self.account_id,
                work,
                telemetry=telemetry,
                deadline=anyio.current_time() + timeout_s,
            )

        return self._portal.start_task_soon(run)

    def run(self, work: Callable[[Session], ResultT], *, timeout_s: float = 300.0) -> ResultT:
        """Make a call and wait for its end."""
        return self.start(work, timeout_s=timeout_s).result(RESULT_TIMEOUT_S)

    def settle(self) -> None:
        """Wait until each call waits for something."""
        self._portal.call(anyio.wait_all_tasks_blocked)


def open_mailbox(session: Session, name: str, *, uidvalidity: int | None = None) -> SelectedMailbox:
    """Choose a mailbox and open it, unless this lease has done so."""
    session.choose(name, uidvalidity=uidvalidity)
    return run_steps(session, _look())


def _look() -> Steps[SelectedMailbox]:
    return (yield []).mailbox


def read_page(session: Session, mailbox: str = "INBOX", **criteria: Any) -> MailboxPage:
    """Make the first page of a search; raises what stands in its place."""
    request = PageRequest(
        position=Position(account_id="work", mailbox=mailbox),
        query=SearchQuery(**criteria),
        size=10,
        items=lambda _session: ROW_ITEMS,
    )
    [found] = search_mailboxes(session, [request])
    if isinstance(found, ToolError):
        raise found
    return found


def newest(session: Session) -> list[int]:
    """Read the UIDs of INBOX, newest first, ten at most: EXAMINE, SEARCH, FETCH."""
    page = read_page(session)
    return [uid for uid in page.uids if uid in page.fetched.messages]


def read_round(session: Session) -> list[int]:
    """Send each command there is: LIST, STATUS, EXAMINE, UID SEARCH, UID FETCH, NOOP."""
    count_mailboxes(session, list_mailboxes(session))
    uids = newest(session)
    session.run("NOOP")
    return uids
