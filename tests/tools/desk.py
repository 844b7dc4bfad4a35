"""A desk to call tools from, as the server calls them: arguments in, outcome or error out.

Synchronous, so that a test may change mailboxes between two calls; the calls run in an
event loop of the desk's own.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, NamedTuple, Self, TypeVar

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from mailmcp.documents.extractor import Extractor
from mailmcp.imap.account import Account
from mailmcp.imap.pool import Pool, Telemetry
from mailmcp.imap.search.cache import UidCache
from mailmcp.tools.journal import Journal
from mailmcp.tools.journal_files import JournalFiles
from mailmcp.tools.message_id import MessageIdCache
from mailmcp.tools.preferences import DEFAULTS
from mailmcp.tools.registry import load_tools
from mailmcp.tools.tool import READ_IDS_MAX, Call
from mcp_envelope import Confirmations, Dialect, Meta, Outcome, check_reply, read_arguments
from mcp_envelope.dialects import summary
from mcp_envelope.render import render_outcome
from mcp_envelope.values import data_value

ResultT = TypeVar("ResultT")

CALL_TIMEOUT_S = 30.0

META = Meta(
    tool="", version="mailmcp/1", now=datetime(2026, 11, 5, tzinfo=UTC), duration_ms=0, request_id="r"
)

_BY_NAME = {tool.name: tool for tool in load_tools()}


class Reply(NamedTuple):
    """A success, whole or partial."""

    outcome: Outcome[Any]
    telemetry: Telemetry
    has_status: bool = True

    @property
    def data(self) -> dict[str, Any]:
        """What goes to `data` of the reply."""
        return data_value(self.outcome, summary.spell, has_status=self.has_status)

    @property
    def text(self) -> str:
        """The text channel."""
        return render_outcome(self.outcome, marker="marker")

    @property
    def uids(self) -> list[int]:
        """UIDs of the messages of a page, in their order."""
        return [row["uid"] for row in self.data["messages"]]

    @property
    def places(self) -> list[int]:
        """Which messages they are, from 1: pymap counts UIDs from 101, Dovecot from 1."""
        return [uid % 100 for uid in self.uids]


class Desk:
    """Calls tools on a pool of its own, for one `with` block."""

    def __init__(
        self,
        accounts: Sequence[Account],
        *,
        today: date | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.accounts = tuple(accounts)
        self.clock = clock
        self.today = today or datetime.now(UTC).date()
        """Changes only when a test says so."""

        self.uid_cache = UidCache()
        self.preferences = DEFAULTS
        """Those of the calls that follow."""

        self.timeout_s = CALL_TIMEOUT_S
        self.extractor = Extractor()
        self.message_id_cache = MessageIdCache()
        self.confirmations = Confirmations()
        self.read_ids: deque[str] = deque(maxlen=READ_IDS_MAX)
        self.reports: list[tuple[int, int, str]] = []
        """What the calls told of their progress."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.journal_folder = Path(stack.enter_context(TemporaryDirectory()))
            self.journal = Journal(store=JournalFiles(folder=self.journal_folder))
            self._portal: BlockingPortal = stack.enter_context(start_blocking_portal())
            opened = Pool(self.accounts, clock=self.clock).opened()
            self.pool = stack.enter_context(self._portal.wrap_async_context_manager(opened))
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._cleanup.close()

    def call(self, tool: str, arguments: dict[str, Any] | None = None) -> Reply:
        """Call a tool.

        Raises:
            ToolError: What the caller would be told.
        """
        reply: Reply = self._portal.call(self._call, tool, arguments or {})
        return reply

    def search(self, **arguments: object) -> Reply:
        """Search; `from_` stands for `from`."""
        return self.call("imap_search_messages", {name.rstrip("_"): each for name, each in arguments.items()})

    def get(self, message_id: str, **arguments: object) -> Reply:
        """Get a message."""
        return self.call("imap_get_message", {"message_id": message_id, **arguments})

    def message(self, message_id: str, **arguments: object) -> dict[str, Any]:
        """Get `message` of the data of a message."""
        message: dict[str, Any] = self.get(message_id, **arguments).data["message"]
        return message

    def message_ids(self) -> list[str]:
        """Return the ids of the messages in INBOX, in the order in which they arrived."""
        rows = self.search(mailbox="INBOX", sort="oldest", limit=50).data["messages"]
        return [row["message_id"] for row in rows]

    def forget(self) -> None:
        """Lose the cache of search results."""
        self.uid_cache = UidCache()

    def run(self, work: Callable[[Call], Awaitable[ResultT]]) -> ResultT:
        """Do what is no tool but works with a call as one does."""
        return self._portal.call(self._run, work)

    async def _run(self, work: Callable[[Call], Awaitable[ResultT]]) -> ResultT:
        return await work(self._new_call())

    async def _call(self, name: str, raw: dict[str, Any]) -> Reply:
        tool = _BY_NAME[name]
        call = self._new_call()
        running = tool.run(read_arguments(tool.arguments, raw, context={"call": call}), call)
        assert not isinstance(running, Outcome), "the tools of mailmcp are coroutine functions"
        reply = Reply(await running, call.telemetry, tool.has_status)
        envelope = summary.success(reply.outcome, META, has_status=reply.has_status)
        assert check_reply(envelope, Dialect.SUMMARY) == []
        return reply

    def _new_call(self) -> Call:
        return Call(
            pool=self.pool,
            uid_cache=self.uid_cache,
            deadline=anyio.current_time() + self.timeout_s,
            today=self.today,
            lean_rows=False,
            preferences=self.preferences,
            extractor=self.extractor,
            message_id_cache=self.message_id_cache,
            journal=self.journal,
            confirmations=self.confirmations,
            read_ids=self.read_ids,
            report=lambda done, total, what: self.reports.append((done, total, what)),
        )
