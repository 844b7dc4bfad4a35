"""One page of a search: the messages on it, and the cursor that continues after them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.order import Order
from mailmcp.imap.search.page import MailboxPage
from mailmcp.model.cursor import SourceCursor
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.copies import copy_keys
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.merge import Merged, Source, Waiting, merge
from mailmcp.tools.search.sources import Searches, top_of
from mailmcp.tools.search.state import Search, format_cursor


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMessage:
    """One message of a page."""

    ref: MessageRef
    searched: MailboxPage
    """What its mailbox returned."""

    places: tuple[MessageRef, ...] = ()
    """Where copies of it are."""

    @property
    def row(self) -> FetchedMessage | None:
        """What was fetched of it; None if it could not be fetched."""
        return self.searched.fetched.messages.get(self.ref.uid)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage:
    """The messages of a page in order, and the rest of the search."""

    found: tuple[PageMessage, ...]
    total: int
    total_exact: bool
    rest: tuple[SourceCursor, ...]
    """Where to continue; empty on the last page."""

    failed_only: bool = False
    """Whether only mailboxes that failed for now are left: the others are finished."""

    incomplete: bool = False
    """Whether something is missing from this page or an earlier one that no later page will show."""


def make_page(search: Search, searches: Searches) -> SearchPage:
    """Merge what the mailboxes returned into one page."""
    first, order = search.is_first_page, search.order
    answers, failures = searches.pages, searches.failures
    sources = [_source(source, answer) for source, answer in answers]
    merged = merge(sources, size=search.page_size, ascending=order.ascending)
    found = []
    for entry in merged.entries:
        ref, *places = (ref_of(*answers[number], uid) for number, uid in entry.places)
        searched = answers[entry.places[0][0]][1]
        found.append(PageMessage(ref=ref, searched=searched, places=tuple(places)))
    begun = [answer for source, answer in answers if first or not source.uidvalidity]
    exact = all(answer.total_exact for answer in begun) and (len(answers) == 1 or search.one_mailbox)
    continued = dict(_continue(answers, sources, merged, order))
    continued |= {source: source for source, error in failures if error.retryable}
    if continued:  # the others fail on the next page, too, which must say so
        continued |= {source: source for source, _ in failures if source.account_id != EVERYTHING}
    rest = tuple(continued[each.source] for each in searches.searched if each.source in continued)
    # If this is the only page, all messages were counted, copies once.
    alone = first and not rest
    return SearchPage(
        found=tuple(found),
        total=len(found) if alone else search.total + sum(each.total for each in begun),
        total_exact=alone or (exact if first else search.total_exact and not begun),
        rest=rest,
        failed_only=bool(rest) and set(rest) <= {source for source, _ in failures},
        incomplete=search.incomplete
        or searches.cut
        or any(not error.retryable for _, error in failures)
        or not all(answer.complete for _, answer in answers),
    )


def _source(source: SourceCursor, answer: MailboxPage) -> Source:
    """Return the rows of a mailbox for the merge."""
    rows: list[Waiting] = []
    for uid in answer.uids:
        rank = answer.ranks.get(uid, rows[-1].rank if rows else source.rank)
        message = answer.fetched.messages.get(uid)
        keys = copy_keys(source.account_id, message) if message is not None else ()
        rows.append(Waiting(uid=uid, rank=rank, keys=keys))
    newer = {row.uid for row in rows if _has_arrived_since(source, row.uid, row.rank)}
    return Source(rows=rows, skip=frozenset(source.skip) | newer, frontier=answer.frontier)


def _has_arrived_since(source: SourceCursor, uid: int, rank: int) -> bool:
    """Return whether a message arrived after the start of a search that has taken nothing here yet.

    A high UID alone doesn't prove it: a message that was moved here has one, too, but a lower rank.
    """
    return 0 < source.top < uid and rank > source.rank


def _continue(
    answers: Sequence[tuple[SourceCursor, MailboxPage]],
    sources: Sequence[Source],
    merged: Merged,
    order: Order,
) -> Iterator[tuple[SourceCursor, SourceCursor]]:
    """Yield each mailbox that has more messages, with where to continue there."""
    shown = (
        source.rows[taken - 1].rank for source, taken in zip(sources, merged.taken, strict=True) if taken
    )
    edge = min(shown, default=order.first_rank)  # rank of the page's last message, where newer come first
    for (source, answer), taken, skip in zip(answers, merged.taken, merged.skip, strict=True):
        if taken == len(answer.uids) and not answer.left:
            continue
        moved = replace(source, uidvalidity=answer.uidvalidity)
        if taken == len(answer.uids) and answer.last is not None:
            # All its rows are on the page: continue after everything that was checked.
            moved = replace(moved, uid=answer.last.uid, rank=answer.last.rank, top=0)
        elif taken:
            position = answer.position_of(answer.uids[taken - 1])
            moved = replace(moved, uid=position.uid, rank=position.rank, top=0)
        elif not moved.uid and not moved.top:
            top = top_of(answer, order)
            moved = replace(moved, top=top, rank=edge if top else 0)
        kept = (uid for uid in skip if not _has_arrived_since(moved, uid, answer.ranks.get(uid, moved.rank)))
        yield source, replace(moved, skip=tuple(kept))


def ref_of(source: SourceCursor, answer: MailboxPage, uid: int) -> MessageRef:
    """Return the id of a message that a mailbox returned."""
    return MessageRef(
        account_id=source.account_id, mailbox=source.mailbox, uidvalidity=answer.uidvalidity, uid=uid
    )


def continue_after(search: Search, page: SearchPage) -> Search | None:
    """Return the search for the next page; None if there is none."""
    if not page.rest:
        return None
    return replace(
        search,
        sources=page.rest,
        total=page.total,
        total_exact=page.total_exact,
        incomplete=page.incomplete,
        is_first_page=False,
    )


def next_cursor(search: Search, page: SearchPage) -> str | None:
    """Write the cursor of the next page; None if there is none."""
    following = continue_after(search, page)
    return None if following is None else format_cursor(following)
