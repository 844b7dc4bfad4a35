"""The account or accounts of a conversation: its own comes first, then all others, side by side."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import inf

import anyio

from mailmcp import limits
from mailmcp.mail.thread import unasked_ids
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.copies import Folded
from mailmcp.tools.thread.member import Member
from mailmcp.tools.thread.search import FoundThread, extend_thread, find_thread
from mailmcp.tools.tool import Call
from mcp_envelope import ToolError

_NOT_FOLLOWED = "References were not followed any further from account to account."


async def find_in_account(call: Call, ref: MessageRef, *, deadline: float | None = None) -> FoundThread:
    """Find the conversation of a message in its account.

    Raises:
        ToolError: As for `find_thread`, if nothing was found.
    """
    kept: list[FoundThread] = []
    try:
        return await call.ask(
            lambda session: find_thread(session, ref, call.report, keep=kept.append),
            message=ref,
            deadline=deadline,
        )
    except ToolError:
        if not kept:
            raise
        return max(kept, key=lambda each: len(each.members))


async def find_in_all_accounts(call: Call, ref: MessageRef) -> FoundThread:
    """Find the conversation of a message in all accounts.

    The accounts that fail are among `FoundThread.failed`.

    Raises:
        ToolError: As for `find_in_account`.
    """
    now = anyio.current_time()
    deadline = now + (call.deadline - now) * limits.SEARCH_DEADLINE_SHARE
    own = await find_in_account(call, ref, deadline=deadline)
    start = next(each for each in own.members if ref in each.refs)
    parts: dict[str, list[FoundThread]] = {ref.account_id: [own]}
    for account in call.pool.accounts:
        parts.setdefault(account.account_id, [])
    failed: dict[tuple[str, str | None], ToolError] = {}

    for _ in range(limits.THREAD_ACCOUNT_ROUNDS_MAX):
        known = _merge(parts)
        waiting = [
            name for name, found in parts.items() if (name, None) not in failed and _is_due(known, found)
        ]
        if not waiting:
            return _join(own, parts, failed)
        extended = await call.ask_accounts(
            {
                name: partial(
                    extend_thread, start=start, known=known, report=call.report, asked=_asked(parts[name])
                )
                for name in waiting
            },
            deadline=deadline,
        )
        for name, found in extended.items():
            if isinstance(found, ToolError):
                failed[name, None] = found
            else:
                parts[name].append(found)
    statements = (_NOT_FOLLOWED,) if any(_is_due(_merge(parts), found) for found in parts.values()) else ()
    return _join(own, parts, failed, statements)


def _is_due(known: Sequence[Member], found: Sequence[FoundThread]) -> bool:
    """Return whether an account must be searched: not yet, or not for all the ids that are known now."""
    return not found or bool(unasked_ids((each.links for each in known), _asked(found)))


def _asked(found: Sequence[FoundThread]) -> frozenset[str]:
    """Return the ids that an account was searched for."""
    return frozenset[str]().union(*(each.asked for each in found))


def _merge(parts: Mapping[str, Sequence[FoundThread]]) -> list[Member]:
    """Return the messages of all accounts, oldest first; copies that are proven to be are one."""
    folded = Folded[str, Member]()
    for each in (member for found in parts.values() for part in found for member in part.members):
        folded.add(each.ref.account_id, each, each.copy_keys)  # in each account copies are one already
    merged = (first.with_copies(others) for first, *others in map(dict.values, folded.messages))
    return sorted(merged, key=lambda each: each.place)


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
