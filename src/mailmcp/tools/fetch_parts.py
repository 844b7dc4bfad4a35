"""Parts of messages, fetched wherever the messages are: one round trip for each account, side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from mailmcp.imap.fetch import Fetched, FetchFailure, fetch_steps
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
    """Fetch parts of messages. If a connection fails again and again, what came on one of them counts."""
    by_account: dict[str, list[MessageRef]] = {}
    for ref in refs:
        by_account.setdefault(ref.account_id, []).append(ref)
    kept: dict[str, list[FetchedParts]] = {account_id: [] for account_id in by_account}
    results = await call.ask_accounts(
        {
            account_id: partial(_fetch, refs=some, choose=choose, keep=kept[account_id].append)
            for account_id, some in by_account.items()
        },
        mailboxes={account_id: some[0].mailbox for account_id, some in by_account.items()},
    )
    fetched = FetchedParts()
    for account_id, result in results.items():
        if isinstance(result, ToolError):
            lost = FetchedParts(failures=dict.fromkeys(by_account[account_id], result))
            came = max(kept[account_id], key=lambda each: len(each.messages), default=lost)
        else:
            came = result
        fetched.messages |= came.messages
        fetched.failures |= came.failures
    return fetched


def _fetch(
    session: Session,
    refs: Sequence[MessageRef],
    choose: ChooseItems,
    keep: Callable[[FetchedParts], None],
) -> FetchedParts:
    """Fetch parts of messages of one account, with one FETCH for all in a mailbox that need the same."""
    wanted: dict[str, dict[tuple[str, ...], list[int]]] = {}
    for ref in refs:
        wanted.setdefault(ref.mailbox, {}).setdefault(tuple(choose(session, ref)), []).append(ref.uid)
    uidvalidities = {ref.mailbox: ref.uidvalidity for ref in refs}
    tasks = {
        name: MailboxTask(
            mailbox=name,
            uidvalidity=uidvalidities[name],
            steps=fetch_steps(session, *((uids, items) for items, uids in jobs.items())),
        )
        for name, jobs in wanted.items()
    }
    try:
        run_pipelined(session, list(tasks.values()))
    except ToolError:
        keep(_sort_out(refs, tasks))
        raise
    return _sort_out(refs, tasks)


def _sort_out(refs: Sequence[MessageRef], tasks: Mapping[str, MailboxTask[list[Fetched]]]) -> FetchedParts:
    parts = FetchedParts()
    for ref in refs:
        outcome = tasks[ref.mailbox].outcome
        if isinstance(outcome, ToolError):
            parts.failures[ref] = outcome
            continue
        for fetched in outcome:
            if ref.uid in fetched.messages:
                parts.messages[ref] = fetched.messages[ref.uid]
            elif ref.uid in fetched.failures:
                parts.failures[ref] = fetched.failures[ref.uid]
    return parts
