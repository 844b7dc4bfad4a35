# ruff: noqa: ARG002 - what is not needed here is needed by the subclass
"""The server of a search, taken at its word: it does what RFC 9051 says.

The seam between searching and what servers get wrong. A search asks its server only through
`SearchServer`; `mailmcp.imap.workarounds.server` has the subclass that checks the answers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mailmcp.imap.command import Command, RefusedError
from mailmcp.imap.errors import protocol_error, refused_error
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.opaque import looks_inside, opaque_search, without_words
from mailmcp.imap.search.order import Position
from mailmcp.imap.search.page import Candidates, PageRequest
from mailmcp.imap.search.plan import Plan, make_plan
from mailmcp.imap.search.uid_search import (
    EVERY_UID,
    Found,
    UidRange,
    uid_count,
    uid_search,
    uid_sort,
    uid_sort_largest,
)
from mailmcp.imap.search.visible import NO_VISIBLE_SEARCH, VisibleSearch, search_visible
from mailmcp.imap.session import Session
from mailmcp.model.query import SearchQuery


@dataclass(frozen=True, slots=True)
class SearchServer:
    """A server that searches as it should."""

    session: Session
    """Its mailbox may change while a search waits for its turn."""

    def prepare(self, requests: Sequence[PageRequest]) -> None:
        """Find out what the searches depend on. Blocks; runs before the first of them."""

    def plan(self, query: SearchQuery) -> Plan:
        """Divide a query between the server and us.

        Raises:
            InvalidInputError: The server can't search for one of the criteria.
        """
        return make_plan(query, can=self.session.can)

    def search(
        self,
        mailbox: str,
        plan: Plan,
        uids: UidRange = EVERY_UID,
        *,
        sort: bytes = b"",
        expected: Sequence[int] = (),
        count: UidRange | None = None,
        begins: bool = False,
    ) -> Steps[Found | None]:
        """Search a mailbox; one round trip.

        Args:
            mailbox: The mailbox of the steps.
            plan: What to search for.
            uids: The UIDs to search; a search that sorts finds others, too.
            sort: A key of SORT, if the server is to sort. The result is unsorted where it can't.
            expected: UIDs that the same search found just now, in another order.
            count: Other UIDs, in which to count the matches at the same time if the server can.
            begins: Whether this is the first search for a first page.

        Returns:
            None if the search must be planned again: the server turned out not to support the plan.

        Raises:
            InternalError: The server refused the search, or its response makes no sense.
        """
        found = (yield from uid_sort(self.session, plan, sort)) if sort else None
        if found is None:
            extended = self.session.can("ESEARCH")
            found = yield from uid_search(self.session, plan, uids, extended=extended, count=count)
        account_id = self.session.account.account_id
        if isinstance(found, RefusedError):
            raise refused_error(account_id, found) from found
        if found is None:
            raise protocol_error(account_id, "sent a search result that can't be read")
        return found

    def search_visible(self, query: SearchQuery, uids: Sequence[int], *, share: int) -> VisibleSearch:
        """Plan which candidates to search for the words of a query in visible text; see `visible`.

        None on servers whose responses don't name their command (without ESEARCH), and on Gmail, which finds
        whole words and none in technical header fields.

        Args:
            query: What was searched for.
            uids: The candidates after the position, in order.
            share: How many pages share a burst.
        """
        session = self.session
        if not session.can("ESEARCH") or session.can("X-GM-EXT-1") or session.can("MESSAGELIMIT"):
            return NO_VISIBLE_SEARCH
        planned = search_visible(query.query, uids, share=share)
        at_once = all(map(session.connection.sends_at_once, planned.commands))
        return planned if at_once else NO_VISIBLE_SEARCH

    def sort_largest(self, plan: Plan, after: Position | None, limit: int) -> Steps[Found | None]:
        """Find the largest messages after a position; one round trip. None if the server can't."""
        can = self.session.can
        if not (can("SORT") and can("ESORT") and (can("CONTEXT=SORT") or can("CONTEXT=SEARCH"))):
            return None
        found = yield from uid_sort_largest(self.session, plan, after, limit)
        return None if isinstance(found, RefusedError) else found

    def count(self, plan: Plan, uids: UidRange) -> Steps[int | None]:
        """Count the matches in a range of UIDs; one round trip. None if the server can't."""
        if not self.session.can("ESEARCH"):
            return None
        return (yield from uid_count(plan, uids))

    def search_opaque(self, mailbox: str, query: SearchQuery) -> tuple[Command, ...]:
        """Return the search for mail that a search for words doesn't see into; none if that isn't one.

        None without ESEARCH: several plain responses in one burst don't say whose they are.
        """
        session = self.session
        exists = session.quirks.sizes.get(mailbox, 0)
        if not exists or not session.can("ESEARCH") or not any(map(looks_inside, query.criteria)):
            return ()
        command = opaque_search(self.plan(without_words(query)).keys, exists=exists)
        return (command,) if session.connection.sends_at_once(command) else ()

    def accepts(
        self,
        wanted: PageRequest,
        candidates: Candidates,
        rows: Mapping[int, FetchedMessage],
        *,
        ranks: Sequence[int],
        exists: int,
    ) -> Steps[bool]:
        """Return whether a page's messages agree with the search that found them.

        Args:
            wanted: What the candidates were found for.
            candidates: What the server found just now.
            rows: Messages among them, by UID.
            ranks: Of those among them that the page checked, in order.
            exists: Messages in the mailbox.

        Returns:
            False if the server was caught being wrong: the page must be made again.
        """
        yield from ()
        return True

    def shows_all(self, mailbox: str) -> bool:
        """Return whether the server is known to show all messages of a mailbox."""
        return True

    def unverified(self, query: SearchQuery, *, found: int, exists: int) -> str:
        """Describe which criteria depend on what nothing has shown to work; "" for none."""
        return ""
