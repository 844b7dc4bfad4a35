"""Candidates of earlier pages, which save the next page its SEARCH; see `mailmcp.imap.uid_cache`."""

from mailmcp.imap.search.order import Order, Position
from mailmcp.imap.search.page import CandidateList, MailboxPage, PageRequest
from mailmcp.imap.search.plan import may_change
from mailmcp.imap.uid_cache import SearchKey, UidCache
from mailmcp.model.cursor import SourceCursor
from mailmcp.model.query import SearchQuery

_FIRST = 2**100
"""Above the depth of any message; see `_depth`."""


class RememberedCandidates:
    """The candidates that one call finds and keeps."""

    hits: int = 0
    """Pages that were made of them, without a search."""

    def __init__(self, cache: UidCache) -> None:
        """Use a cache that outlives the call."""
        self._cache = cache

    def find(
        self, source: SourceCursor, query: SearchQuery, order: Order, after: Position | None
    ) -> CandidateList | None:
        """Find the candidates for a page after a position; None if there are none."""
        if not source.uidvalidity or may_change(query):
            return None
        key = _key(source, source.uidvalidity, query, order)
        return self._cache.get(key, position=_depth(order, after))

    def keep(self, source: SourceCursor, request: PageRequest, page: MailboxPage) -> None:
        """Keep the candidates of a page for the next one, unless they are those that it was made of."""
        query = request.query
        if page.candidates is request.known:
            self.hits += 1
        elif page.candidates.uidnext and not (page.fetched.interrupted or may_change(query)):
            below = _depth(page.order, request.after) if request.after else None
            self._cache.put(_key(source, page.uidvalidity, query, page.order), page.candidates, below=below)


def _key(source: SourceCursor, uidvalidity: int, query: SearchQuery, order: Order) -> SearchKey:
    return SearchKey(
        account_id=source.account_id,
        mailbox=source.mailbox,
        uidvalidity=uidvalidity,
        query=query,
        order=order,
    )


def _depth(order: Order, position: Position | None) -> int:
    """Return a number that decreases from message to message in an order."""
    if position is None:
        return _FIRST
    match order:
        case Order.NEWEST:
            return position.uid
        case Order.OLDEST:
            return -position.uid
        case _:
            depth = (position.rank << 32) + position.uid
            return -depth if order.ascending else depth
