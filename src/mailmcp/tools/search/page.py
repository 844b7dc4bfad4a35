"""One page of a search: which messages it holds, and the cursor that goes on after them."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from mailmcp.imap.fetch import FetchedMessage
from mailmcp.imap.search.order import Order
from mailmcp.imap.search.page import MailboxPage
from mailmcp.mail.duplicates import server_keys, stored_key
from mailmcp.mail.header.fields import parse_headers
from mailmcp.model.cursor import SourceCursor
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.search.merge import Merged, Source, Waiting, merge
from mailmcp.tools.search.sources import Searched, Searches, top_of
from mailmcp.tools.search.state import Search, format_cursor
from mcp_envelope import ToolError


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMessage:
    """One message of a page: where it is shown, and where it is too."""

    ref: MessageRef
    searched: MailboxPage
    places: tuple[MessageRef, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage:
    """The messages of a page in order, and the rest of the search."""

    found: tuple[PageMessage, ...]
    total: int
    total_exact: bool
    rest: tuple[SourceCursor, ...]
    """Where to go on; empty on the last page."""

    failed_only: bool = False
    """Whether only mailboxes that failed for now are left: the others have been given wholly."""

    incomplete: bool = False
    """Whether something could not be seen on this page or an earlier one that no later page will show."""


def make_page(search: Search, searches: Searches) -> SearchPage:
    """Merge what the mailboxes returned."""
    first = search.is_first_page
    order = search.order
    seen = [each for each in searches.searched if isinstance(each.found, MailboxPage)]
    scans = [each.found for each in seen if isinstance(each.found, MailboxPage)]
    sources = [_source(each.source, scan) for each, scan in zip(seen, scans, strict=True)]
    merged = merge(sources, size=search.page_size, ascending=order is Order.OLDEST_ARRIVAL)
    refs = [
        [_ref(seen[number].source, scans[number], uid) for number, uid in entry.places]
        for entry in merged.entries
    ]
    begun = [scan for each, scan in zip(seen, scans, strict=True) if first or not each.source.uidvalidity]
    exact = all(scan.total_exact for scan in begun) and (len(scans) == 1 or search.one_mailbox)
    rest = tuple(_rest(searches.searched, sources, merged, order))
    failed = [each.source for each in searches.searched if isinstance(each.found, ToolError)]
    total = search.total + sum(len(scan.candidates.uids) for scan in begun)
    alone = first and not rest
    lost = any(not each.found.retryable for each in searches.searched if isinstance(each.found, ToolError))
    return SearchPage(
        found=tuple(
            PageMessage(ref=places[0], searched=scans[entry.places[0][0]], places=tuple(places[1:]))
            for places, entry in zip(refs, merged.entries, strict=True)
        ),
        # A page that is the only one has counted all of its messages, copies once.
        total=len(merged.entries) if alone else total,
        total_exact=alone or (exact if first else search.total_exact and not begun),
        rest=rest,
        failed_only=bool(rest) and all(source in failed for source in rest),
        incomplete=search.incomplete or searches.cut or lost or not all(scan.complete for scan in scans),
    )


def _source(source: SourceCursor, found: MailboxPage) -> Source:
    """Give the rows of a mailbox, with what makes copies of them known."""
    rows: list[Waiting] = []
    for uid in found.uids:
        rank = found.ranks.get(uid, rows[-1].rank if rows else source.rank)
        message = found.fetched.messages.get(uid)
        keys = _keys(source.account_id, message) if message is not None else ()
        rows.append(Waiting(uid=uid, rank=rank, keys=keys))
    newer = {row.uid for row in rows if _has_come_since(source, row.uid, row.rank)}
    frontier = found.last.rank if found.left and found.last is not None else None
    return Source(rows=rows, skip=frozenset(source.skip) | newer, frontier=frontier)


def _has_come_since(source: SourceCursor, uid: int, rank: int) -> bool:
    """Tell whether a message is new to a search that took nothing here yet.

    High UIDs alone do not: what was moved here meanwhile has one, too, and stands further down.
    """
    return 0 < source.top < uid and rank > source.rank


def _keys(account_id: str, message: FetchedMessage) -> tuple[Hashable, ...]:
    """Say what only copies of a message have in common."""
    by_server = server_keys(account_id=account_id, email_id=message.email_id, gmail_id=message.gmail_id)
    as_stored = stored_key(
        parse_headers(message.sections.get("HEADER.FIELDS", b"")),
        size_octets=message.size_octets,
        internaldate_epoch=message.internaldate_epoch,
        structure=message.body_structure,
    )
    return by_server or (() if as_stored is None else (as_stored,))


def _rest(
    searched: Sequence[Searched], sources: Sequence[Source], merged: Merged, order: Order
) -> Iterator[SourceCursor]:
    """Say where each mailbox goes on; those that have no more, or failed for good, are left out."""
    number = 0
    given = (
        source.rows[taken - 1].rank for source, taken in zip(sources, merged.taken, strict=True) if taken
    )
    edge = min(given, default=order.first_rank)
    for each in searched:
        if isinstance(each.found, ToolError):
            if each.found.retryable:
                yield each.source
            continue
        source = sources[number]
        taken, skip = merged.taken[number], merged.skip[number]
        number += 1
        if taken < len(source.rows) or each.found.left:
            yield _moved(each.source, each.found, taken, skip, order, edge)


def _moved(
    source: SourceCursor, found: MailboxPage, taken: int, skip: Sequence[int], order: Order, edge: int
) -> SourceCursor:
    """Move a mailbox on past the rows that were taken; past all that was looked at, if all were.

    `edge` is the rank of the last message of the page, where newer ones come first.
    """
    moved = replace(source, uidvalidity=found.uidvalidity)
    if taken == len(found.uids) and found.last is not None:
        moved = replace(moved, uid=found.last.uid, rank=found.last.rank, top=0)
    elif taken:
        uid = found.uids[taken - 1]
        moved = replace(moved, uid=uid, rank=found.ranks.get(uid, 0), top=0)
    elif not moved.uid and not moved.top:
        top = top_of(found, order)
        moved = replace(moved, top=top, rank=edge if top else 0)
    kept = (uid for uid in skip if not _has_come_since(moved, uid, found.ranks.get(uid, moved.rank)))
    return replace(moved, skip=tuple(kept))


def _ref(source: SourceCursor, found: MailboxPage, uid: int) -> MessageRef:
    return MessageRef(
        account_id=source.account_id, mailbox=source.mailbox, uidvalidity=found.uidvalidity, uid=uid
    )


def next_cursor(search: Search, page: SearchPage) -> str | None:
    """Write the cursor of the next page; None if there is none."""
    if not page.rest:
        return None
    return format_cursor(
        replace(
            search,
            sources=page.rest,
            total=page.total,
            total_exact=page.total_exact,
            incomplete=page.incomplete,
        )
    )
