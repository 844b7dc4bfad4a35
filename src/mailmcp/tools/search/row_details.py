"""What rows show beyond what the search has fetched: snippets of texts, and times of invitations.

One round trip for each account. A detail that can't be fetched is left out: the rows are complete without it.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo

import anyio

from mailmcp import limits
from mailmcp.imap.fetch_response import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.imap.thread import TextRequest, fetch_texts
from mailmcp.mail.calendar.invitation import invitation_part, invitation_times
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.evidence import SearchTerms
from mailmcp.tools.rows import row_items
from mailmcp.tools.search.page import PageMessage
from mailmcp.tools.tool import Call
from mcp_envelope import ToolError

ChooseItems = Callable[[Session, MessageRef], Sequence[str]]
"""Chooses what to fetch of a message."""


async def fetch_snippets(
    call: Call, refs: Sequence[MessageRef], terms: SearchTerms
) -> Mapping[MessageRef, FetchedMessage]:
    """Fetch the starts of the texts of some messages, and the rest of their rows with them."""
    choose = row_items(snippets=True, terms=terms)
    return await _fetch(call, refs, lambda session, _ref: choose(session))


async def fetch_invitation_times(
    call: Call, found: Sequence[PageMessage], zone: tzinfo
) -> Mapping[MessageRef, str]:
    """Fetch the calendar objects of invitations, and return when each takes place."""
    parts = {}
    for each in found:
        row = each.searched.fetched.messages.get(each.ref.uid)
        part = invitation_part(parse_body_structure(row.body_structure).root) if row else None
        if part is not None:
            parts[each.ref] = part

    def choose(_session: Session, ref: MessageRef) -> Sequence[str]:
        return "UID", f"BODY.PEEK[{parts[ref].part_id}]<0.{limits.ROW_CALENDAR_OCTETS}>"

    fetched = await _fetch(call, list(parts), choose)
    return {
        ref: invitation_times(message.sections.get(parts[ref].part_id, b""), parts[ref], zone)
        for ref, message in fetched.items()
    }


async def _fetch(
    call: Call, refs: Sequence[MessageRef], choose: ChooseItems
) -> Mapping[MessageRef, FetchedMessage]:
    """Fetch items of messages; those that can't be fetched are missing from the result."""
    by_account: dict[str, dict[str, list[MessageRef]]] = {}
    for ref in refs:
        by_account.setdefault(ref.account_id, {}).setdefault(ref.mailbox, []).append(ref)
    found: dict[MessageRef, FetchedMessage] = {}

    async def fetch(account_id: str, mailboxes: Mapping[str, Sequence[MessageRef]]) -> None:
        def requests(session: Session) -> dict[str, TextRequest]:
            return {name: _request(session, inside, choose) for name, inside in mailboxes.items()}

        try:
            results = await call.ask(
                lambda session: fetch_texts(session, requests(session)),
                mailbox=next(iter(mailboxes)),
                account_id=account_id,
            )
        except ToolError:
            return
        for name, inside in mailboxes.items():
            fetched = results[name]
            if not isinstance(fetched, ToolError):
                rows = {uid: row for each in fetched for uid, row in each.messages.items()}
                found.update((ref, rows[ref.uid]) for ref in inside if ref.uid in rows)

    async with anyio.create_task_group() as tasks:
        for account_id, mailboxes in by_account.items():
            tasks.start_soon(fetch, account_id, mailboxes)
    return found


def _request(session: Session, refs: Sequence[MessageRef], choose: ChooseItems) -> TextRequest:
    """Request items of messages in one mailbox: one FETCH for all that need the same."""
    jobs: dict[tuple[str, ...], list[int]] = {}
    for ref in refs:
        jobs.setdefault(tuple(choose(session, ref)), []).append(ref.uid)
    return TextRequest(
        uidvalidity=refs[0].uidvalidity, jobs=tuple((uids, items) for items, uids in jobs.items())
    )
