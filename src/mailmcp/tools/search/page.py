"""One page of a search: the messages of all mailboxes in one order, each once, and where to continue.

Whatever the size of the pages, each match of each mailbox is on exactly one page, as a message or as another
place of one. They are ordered by rank, as far as each mailbox knew its matches when the page was made. A copy
is folded into its message if both were among the rows of one page, or if an earlier page remembered it
(`Position.skip`). Copies further apart than that are two messages.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.values import MailboxPage
from mailmcp.model.cursor import Position
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.copies import Folded, copy_keys
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.sources import Searches
from mailmcp.tools.search.state import Search, format_cursor
from mcp_envelope import Issue


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
    rest: tuple[Position, ...]
    """Where to continue; empty on the last page."""

    failed_only: bool = False
    """Whether only mailboxes that failed for now are left: the others are finished."""

    incomplete: bool = False
    """Whether something is missing from this page or an earlier one that no later page will show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMessages:
    """What a search found for one page."""

    search: Search
    """The search as it was made."""

    searches: Searches
    page: SearchPage
    what: str = ""
    """What the messages have in common, as the end of a sentence."""

    caveats: tuple[str, ...] = ()
    """As `Coverage.caveats`."""

    issues: tuple[Issue, ...] = ()
    """What could not be looked at, besides the sources."""


def make_page(search: Search, searches: Searches) -> SearchPage:
    """Merge what the mailboxes returned into one page."""
    first, failures = search.is_first_page, searches.failures
    several = len(searches.pages) > 1
    queues = [_Queue(source, page, has_copies=several) for source, page in searches.pages]
    merge = _Merge(queues, ascending=search.order.ascending)
    merge.fill(search.page_size)
    found = []
    for places in merge.folded.messages:
        (number, uid), *others = sorted(places.items())
        copies = tuple(queues[other].ref_of(copy) for other, copy in others)
        found.append(PageMessage(ref=queues[number].ref_of(uid), searched=queues[number].page, places=copies))
    begun = [each.page for each in queues if first or not each.source.is_begun]
    exact = all(page.total_exact for page in begun) and (len(queues) == 1 or search.one_mailbox)
    shown = [each.page.matches[each.taken - 1].rank for each in queues if each.taken]
    edge = min(shown, default=0)  # of the last message, where newer or larger ones come first
    continued = {each.source: each.rest(edge) for each in queues if each.has_more}
    continued |= {source: source for source, error in failures if error.retryable}
    if continued:  # the others fail on the next page, too, which must say so
        continued |= {source: source for source, _ in failures if source.account_id != EVERYTHING}
    rest = tuple(continued[each.source] for each in searches.searched if each.source in continued)
    # If this is the only page, all messages were counted, copies once.
    alone = first and not rest
    return SearchPage(
        found=tuple(found),
        total=len(found) if alone else search.total + sum(page.total for page in begun),
        total_exact=alone or (exact if first else search.total_exact and not begun),
        rest=rest,
        failed_only=bool(rest) and set(rest) <= {source for source, _ in failures},
        incomplete=search.incomplete
        or searches.cut
        or any(not error.retryable for _, error in failures)
        or not all(each.page.complete for each in queues),
    )


@dataclass(slots=True)
class _Queue:
    """The matches of one mailbox, and how many of them are on the page."""

    source: Position
    page: MailboxPage
    has_copies: bool
    """Whether other mailboxes may have copies."""

    taken: int = 0
    skip: set[int] = field(init=False)
    """Matches that were shown before, as copies of others."""

    keys: dict[int, tuple[Hashable, ...]] = field(init=False)
    """What only copies of a match share; empty if nothing would prove a copy."""

    def __post_init__(self) -> None:
        self.skip = set(self.source.skip)
        self.keys = dict.fromkeys(self.page.uids, ())
        if self.has_copies:
            rows, account_id = self.page.fetched.messages, self.source.account_id
            self.keys |= {uid: copy_keys(account_id, row) for uid, row in rows.items()}

    @property
    def next(self) -> Position | None:
        """The next match; None if all that are known were taken."""
        return self.page.matches[self.taken] if self.taken < len(self.page.matches) else None

    @property
    def head(self) -> int | None:
        """The rank of the next match, or the one after which more may come; None if there are no more."""
        return self.next.rank if self.next else self.page.frontier

    @property
    def has_more(self) -> bool:
        """Whether a later page has to continue here."""
        return self.next is not None or self.page.left > 0

    def rest(self, edge: int) -> Position:
        """Return where a later page continues; see `MailboxPage.place_after`."""
        place = self.page.place_after(self.taken, edge=edge)
        return replace(place, skip=tuple(sorted(self.skip)))

    def ref_of(self, uid: int) -> MessageRef:
        """Return the id of a match."""
        return ref_of(self.source, self.page, uid)


class _Merge:
    """One merge in progress."""

    def __init__(self, queues: list[_Queue], *, ascending: bool) -> None:
        self.queues, self.sign = queues, 1 if ascending else -1
        self.folded = Folded[int, int]()
        """UIDs by number of the queue."""

    def fill(self, size: int) -> None:
        """Take matches by rank until the page is full, or a mailbox does not know what comes next."""
        self._take_by_rank(size)
        for number, queue in enumerate(self.queues):
            while queue.next and self._folds(number, queue.next.uid):
                self._take(number)
            done = {each.uid for each in queue.page.matches[: queue.taken]}
            queue.skip -= done
            for each in queue.page.matches[queue.taken :]:
                if each.uid not in queue.skip and self._folds(number, each.uid):
                    self.folded.add(number, each.uid, queue.keys[each.uid])
                    queue.skip.add(each.uid)

    def _take_by_rank(self, size: int) -> None:
        while heads := [
            (self.sign * queue.head, number)
            for number, queue in enumerate(self.queues)
            if queue.head is not None
        ]:
            _, number = min(heads)
            match = self.queues[number].next
            if match is None or (not self._folds(number, match.uid) and len(self.folded.messages) == size):
                return
            self._take(number)

    def _take(self, number: int) -> None:
        queue = self.queues[number]
        match = queue.next
        assert match is not None  # noqa: S101 - the caller has seen it
        queue.taken += 1
        if match.uid not in queue.skip:
            self.folded.add(number, match.uid, queue.keys[match.uid])

    def _folds(self, number: int, uid: int) -> bool:
        """Return whether a match adds nothing new."""
        queue = self.queues[number]
        return uid in queue.skip or self.folded.find(number, queue.keys[uid]) is not None


def ref_of(source: Position, page: MailboxPage, uid: int) -> MessageRef:
    """Return the id of a message that a mailbox returned."""
    return MessageRef(
        account_id=source.account_id, mailbox=source.mailbox, uidvalidity=page.uidvalidity, uid=uid
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
