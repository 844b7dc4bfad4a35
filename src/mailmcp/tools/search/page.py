"""One page of a search: the messages of all mailboxes in one order, each once, and where to continue.

Whatever the size of the pages, each match of each mailbox is on exactly one page, as a message or as another
place of one. They are ordered by rank, as far as each mailbox knew its matches when the page was made. A copy
is folded into its message if both were among the rows of one page, or if an earlier page remembered it
(`Position.skip`). Copies further apart than that are two messages.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

from mailmcp.imap.fetch import FetchFailure
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.values import MailboxPage
from mailmcp.model.cursor import Position
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.copies import Folded, copy_keys
from mailmcp.tools.search.sources import Searches
from mailmcp.tools.search.state import Search
from mcp_envelope import Issue


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMessage:
    """One message of a page."""

    ref: MessageRef
    row: FetchedMessage | None
    """What was fetched of it; None if it could not be fetched."""

    failure: FetchFailure | None
    places: tuple[MessageRef, ...] = ()
    """Where copies of it are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage:
    """The messages of a page in order, and the rest of the search."""

    found: tuple[PageMessage, ...]
    total: int
    total_exact: bool
    following: Search | None
    """The search for the next page; None on the last one."""

    failed_only: bool = False
    """Whether only mailboxes that failed for now are left: the others are finished."""

    what: str = ""
    """What the messages have in common, as the end of a sentence."""

    caveats: tuple[str, ...] = ()
    """As `Coverage.caveats`."""

    issues: tuple[Issue, ...] = ()
    """What could not be looked at, besides the sources."""


def make_page(searches: Searches, *, size: int) -> SearchPage:
    """Merge what the mailboxes returned into one page of up to `size` messages."""
    search, failures = searches.search, searches.failures
    first = search.is_first_page
    several = len(searches.pages) > 1
    queues = [_Queue(source, page, has_copies=several) for source, page in searches.pages.items()]
    found = []
    for places in _merge(queues, size, ascending=search.order.ascending):
        (number, uid), *others = sorted(places.items())
        copies = tuple(ref_of(queues[other].page, copy) for other, copy in others)
        page, fetched = queues[number].page, queues[number].page.fetched
        row, failure = fetched.messages.get(uid), fetched.failures.get(uid)
        found.append(PageMessage(ref=ref_of(page, uid), row=row, failure=failure, places=copies))
    begun = [each.page for each in queues if first or not each.source.is_begun]
    exact = all(page.total_exact for page in begun) and (len(queues) == 1 or search.one_mailbox)
    shown = [each.page.matches[each.taken - 1].rank for each in queues if each.taken]
    edge = min(shown, default=0)  # of the last message, where newer or larger ones come first
    continued = {each.source: each.rest(edge) for each in queues if each.has_more}
    if continued or any(error.retryable for error in failures.values()):
        # The others fail on the next page, too, which must say so.
        continued |= {source: source for source in failures}
    rest = tuple(continued[each] for each in searches.results if each in continued)
    if first and not rest:  # all messages were counted, copies once
        return SearchPage(found=tuple(found), total=len(found), total_exact=True, following=None)
    following = replace(
        search,
        sources=rest,
        total=search.total + sum(page.total for page in begun),
        total_exact=exact if first else search.total_exact and not begun,
        incomplete=search.incomplete
        or searches.cut
        or any(not error.retryable for error in failures.values())
        or not all(each.page.complete for each in queues),
        is_first_page=False,
    )
    return SearchPage(
        found=tuple(found),
        total=following.total,
        total_exact=following.total_exact,
        following=following if rest else None,
        failed_only=bool(rest) and set(rest) <= failures.keys(),
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


def _merge(queues: Sequence[_Queue], size: int, *, ascending: bool) -> list[dict[int, int]]:
    """Take matches by rank until the page is full, or a mailbox does not know what comes next.

    Returns:
        For each message the UIDs of its copies, by number of the queue.
    """
    folded = Folded[int, int]()

    def adds_nothing(number: int, uid: int) -> bool:
        queue = queues[number]
        return uid in queue.skip or folded.find(number, queue.keys[uid]) is not None

    def take(number: int, uid: int) -> None:
        queue = queues[number]
        queue.taken += 1
        if uid not in queue.skip:
            folded.add(number, uid, queue.keys[uid])

    sign = 1 if ascending else -1
    while heads := [
        (sign * each.head, number) for number, each in enumerate(queues) if each.head is not None
    ]:
        _, number = min(heads)
        match = queues[number].next
        if match is None or (len(folded.messages) == size and not adds_nothing(number, match.uid)):
            break
        take(number, match.uid)
    for number, queue in enumerate(queues):
        while queue.next and adds_nothing(number, queue.next.uid):
            take(number, queue.next.uid)
        queue.skip -= {each.uid for each in queue.page.matches[: queue.taken]}
        for each in queue.page.matches[queue.taken :]:
            if each.uid not in queue.skip and adds_nothing(number, each.uid):
                folded.add(number, each.uid, queue.keys[each.uid])
                queue.skip.add(each.uid)
    return folded.messages


def ref_of(page: MailboxPage, uid: int) -> MessageRef:
    """Return the id of a message that a mailbox returned."""
    place = page.position
    return MessageRef(
        account_id=place.account_id, mailbox=place.mailbox, uidvalidity=place.uidvalidity, uid=uid
    )
