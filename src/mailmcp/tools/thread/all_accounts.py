"""A conversation in all accounts: it is found in its own account, then in the others in parallel."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf

import anyio

from mailmcp import limits
from mailmcp.mail.thread import unasked_ids
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.errors import message_issue
from mailmcp.tools.thread.member import Member
from mailmcp.tools.thread.search import FoundThread, extend_thread, find_thread
from mailmcp.tools.thread.texts import ReadTexts, read_texts
from mailmcp.tools.tool import Call
from mcp_envelope import ToolError

_NOT_FOLLOWED = "References were not followed any further from account to account."


async def find_in_all_accounts(call: Call, ref: MessageRef) -> FoundThread:
    """Find the conversation of a message in all accounts.

    The accounts that fail are among `FoundThread.failed`.

    Raises:
        ToolError: As for `find_thread`.
    """
    kept: list[FoundThread] = []
    now = anyio.current_time()
    deadline = now + (call.deadline - now) * limits.SEARCH_DEADLINE_SHARE
    try:
        own = await call.ask(
            lambda session: find_thread(session, ref, call.report, keep=kept.append),
            message=ref,
            deadline=deadline,
        )
    except ToolError:
        if not kept:
            raise
        own = max(kept, key=lambda each: len(each.members))
    start = next(each for each in own.members if ref in (each.ref, *each.copies))
    parts: dict[str, list[FoundThread]] = {ref.account_id: [own]}
    for account in call.pool.accounts:
        parts.setdefault(account.account_id, [])
    failed: dict[tuple[str, str | None], ToolError] = {}

    async def extend(account_id: str, known: Sequence[Member]) -> None:
        asked = frozenset[str]().union(*(each.asked for each in parts[account_id]))
        try:
            found = await call.ask(
                lambda session: extend_thread(session, account_id, start, known, call.report, asked=asked),
                account_id=account_id,
                deadline=deadline,
            )
        except ToolError as error:
            failed[account_id, None] = error
        else:
            parts[account_id].append(found)

    for _ in range(limits.THREAD_ACCOUNT_ROUNDS_MAX):
        known = _merge(parts)
        waiting = [
            name for name, found in parts.items() if (name, None) not in failed and _is_due(known, found)
        ]
        if not waiting:
            return _join(own, parts, failed)
        async with anyio.create_task_group() as tasks:
            for account_id in waiting:
                tasks.start_soon(extend, account_id, known)
    statements = (_NOT_FOLLOWED,) if any(_is_due(_merge(parts), found) for found in parts.values()) else ()
    return _join(own, parts, failed, statements)


def _is_due(known: Sequence[Member], found: Sequence[FoundThread]) -> bool:
    """Return whether an account must be searched: not yet, or not for all the ids that are known now."""
    asked = frozenset[str]().union(*(each.asked for each in found))
    return not found or bool(unasked_ids((each.links for each in known), asked))


def _merge(parts: Mapping[str, Sequence[FoundThread]]) -> list[Member]:
    """Return the messages of all accounts, oldest first; copies that are proven to be are one."""
    merged: dict[Hashable, Member] = {}
    for each in (member for found in parts.values() for part in found for member in part.members):
        key = each.identity or each.ref
        first = merged.get(key)
        if first is not None and first.ref.account_id == each.ref.account_id:
            key, first = each.ref, None  # two equal messages of one account are two
        copies = () if first is None else (*first.copies, each.ref, *each.copies)
        merged[key] = each if first is None else replace(first, copies=copies)
    return sorted(merged.values(), key=lambda each: each.place)


def _join(
    own: FoundThread,
    parts: Mapping[str, Sequence[FoundThread]],
    failed: Mapping[tuple[str, str | None], ToolError],
    statements: Iterable[str] = (),
) -> FoundThread:
    """Make one conversation of what was found in each account; mailboxes are named with their account."""
    members = _merge(parts)
    found = [(name, part) for name, several in parts.items() for part in several]
    said = dict.fromkeys([*(each for _, part in found for each in part.statements), *statements])
    if len(members) > limits.THREAD_MESSAGES_MAX:
        said[f"Only the first {limits.THREAD_MESSAGES_MAX} of its messages are shown."] = None
    ids = {each.links.own_id for each in members}
    end = max((each.place for each in members), default=(0, inf))
    return FoundThread(
        members=members[: limits.THREAD_MESSAGES_MAX],
        continuations=[
            each for each in own.continuations if each.links.own_id not in ids and each.place > end
        ],
        method=own.method,
        mailboxes=tuple(dict.fromkeys(f"{name}: {each}" for name, part in found for each in part.mailboxes)),
        left_out=tuple(dict.fromkeys(f"{name}: {each}" for name, part in found for each in part.left_out)),
        failed=dict(failed) | {key: error for _, part in found for key, error in part.failed.items()},
        issues=tuple(each for _, part in found for each in part.issues),
        statements=tuple(said),
    )


async def read_in_all_accounts(call: Call, members: Sequence[Member]) -> ReadTexts:
    """Fetch and read the texts of messages, the accounts side by side; each has a text or an issue."""
    by_account: dict[str, list[Member]] = {}
    for each in members:
        by_account.setdefault(each.ref.account_id, []).append(each)
    read = ReadTexts()

    async def read_account(account_id: str, some: Sequence[Member]) -> None:
        kept: list[ReadTexts] = []
        try:
            came = await call.ask(
                lambda session: read_texts(session, some, keep=kept.append),
                mailbox=some[0].ref.mailbox,
                account_id=account_id,
            )
        except ToolError as error:
            lost = ReadTexts(issues=[message_issue(each.ref, error) for each in some])
            came = max(kept, key=lambda each: len(each.texts), default=lost)
        read.texts.update(came.texts)
        read.issues.extend(came.issues)

    async with anyio.create_task_group() as tasks:
        for account_id, some in by_account.items():
            tasks.start_soon(read_account, account_id, some)
    return read
