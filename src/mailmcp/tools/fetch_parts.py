"""Parts of messages, fetched wherever the messages are: one round trip for each account, side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from mailmcp.imap.fetch import FetchFailure, fetch_steps
from mailmcp.imap.pipeline import MailboxTask, run_pipelined
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.tool import Call
from mcp_envelope import ToolError

ChooseItems = Callable[[Session, MessageRef], Sequence[str]]
"""Chooses the data items to fetch of a message."""


@dataclass(slots=True, kw_only=True)
class FetchedParts:
    """What came; each message is in one of these."""

    messages: dict[MessageRef, FetchedMessage] = field(default_factory=dict)
    failures: dict[MessageRef, FetchFailure | ToolError] = field(default_factory=dict)


async def fetch_parts(call: Call, refs: Sequence[MessageRef], choose: ChooseItems) -> FetchedParts:
    """Fetch parts of messages. If the connection to an account fails for good, so do all of its messages."""
    by_account: dict[str, list[MessageRef]] = {}
    for ref in refs:
        by_account.setdefault(ref.account_id, []).append(ref)
    works = {each: partial(_fetch, refs=some, choose=choose) for each, some in by_account.items()}
    fetched = FetchedParts()
    for account_id, result in (await call.ask_accounts(works)).items():
        if isinstance(result, ToolError):
            fetched.failures |= dict.fromkeys(by_account[account_id], result)
        else:
            fetched.messages |= result.messages
            fetched.failures |= result.failures
    return fetched


def _fetch(session: Session, refs: Sequence[MessageRef], choose: ChooseItems) -> FetchedParts:
    """Fetch parts of messages of one account, with one FETCH for all in a mailbox that need the same."""
    wanted: dict[tuple[str, int], dict[tuple[str, ...], list[int]]] = {}
    for ref in refs:
        jobs = wanted.setdefault((ref.mailbox, ref.uidvalidity), {})
        jobs.setdefault(tuple(choose(session, ref)), []).append(ref.uid)
    tasks = {
        (name, uidvalidity): MailboxTask(
            mailbox=name,
            uidvalidity=uidvalidity,
            steps=fetch_steps(session, *((uids, items) for items, uids in jobs.items())),
        )
        for (name, uidvalidity), jobs in wanted.items()
    }
    run_pipelined(session, list(tasks.values()))
    parts = FetchedParts()
    for ref in refs:
        outcome = tasks[ref.mailbox, ref.uidvalidity].outcome
        if isinstance(outcome, ToolError):
            parts.failures[ref] = outcome
            continue
        for fetched in outcome:
            if ref.uid in fetched.messages:
                parts.messages[ref] = fetched.messages[ref.uid]
            elif ref.uid in fetched.failures:
                parts.failures[ref] = fetched.failures[ref.uid]
    return parts
