"""The server of a search: what it is asked, and what stands in for an extension that it refuses."""

from array import array
from collections.abc import Collection
from dataclasses import dataclass

from mailmcp.imap.command import Command, RefusedError
from mailmcp.imap.errors import protocol_error, refused_error
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.quirks import is_unsupported
from mailmcp.imap.rows import parse_rows
from mailmcp.imap.search.doubt import HIDDEN_MESSAGES_MAX
from mailmcp.imap.search.plan import EVERYTHING, Plan, make_plan
from mailmcp.imap.search.uid_search import (
    EVERY_UID,
    Found,
    UidRange,
    format_range,
    part_of,
    uid_count,
    uid_search,
    uid_sort,
)
from mailmcp.imap.session import Session
from mailmcp.model.query import SearchQuery


@dataclass(frozen=True, slots=True)
class SearchServer:
    """A server that searches."""

    session: Session
    """Its mailbox may change while a search waits for its turn."""

    def plan(self, query: SearchQuery, doubted: Collection[str] = ()) -> Plan:
        """Divide a query between the server and us.

        Raises:
            InvalidInputError: The server lacks the capability that a criterion needs.
        """
        ascii_only = not self.session.quirks.allows("CHARSET")
        return make_plan(query, can=self.session.can, doubted=doubted, ascii_only=ascii_only)

    def search(
        self,
        mailbox: str,
        plan: Plan,
        uids: UidRange = EVERY_UID,
        *,
        sort: bytes = b"",
        count: UidRange | None = None,
        doubted: Collection[str] = (),
    ) -> Steps[Found | None]:
        """Search a mailbox; one round trip, and another one where the server refuses an extension.

        Args:
            mailbox: The mailbox of the steps.
            plan: What to search for.
            uids: The UIDs to search; a search that sorts finds others, too.
            sort: A key of SORT, if the server is to sort. The result is unsorted where it can't.
            count: Other UIDs, in which to count the matches at the same time if the server can.
            doubted: With EVERYTHING among them, messages are listed by FETCH.

        Returns:
            None if the search must be planned again: the server refuses text that isn't ASCII.

        Raises:
            InternalError: The server refused the search, or its response makes no sense.
        """
        session, quirks = self.session, self.session.quirks
        if EVERYTHING in doubted:
            return (yield from self._list(uids))
        found: Found | RefusedError | None = (yield from self._sort(plan, sort)) if sort else None
        if found is None:
            extended = session.can("ESEARCH")
            found = yield from uid_search(session, plan, uids, extended=extended, count=count)
            is_right = isinstance(found, Found) and found.is_extended
            if extended and not is_right and not _is_passing(found):
                if not isinstance(found, Found):
                    found = yield from uid_search(session, plan, uids, extended=False)
                if isinstance(found, Found):
                    quirks.refuse("ESEARCH")
        account_id = session.account.account_id
        if isinstance(found, RefusedError):
            if plan.needs_utf8 and is_unsupported(found):
                quirks.refuse("CHARSET")
                return None
            raise refused_error(account_id, found) from found
        if found is None:
            raise protocol_error(account_id, "sent a search result that can't be read")
        if not plan.keys and uids == EVERY_UID and found.complete and found.uids:
            quirks.shown[mailbox] = len(found.uids)
        return found

    def _sort(self, plan: Plan, key: bytes) -> Steps[Found | None]:
        """Let the server sort; None if it turns out that it can't."""
        found = yield from uid_sort(self.session, plan, key)
        if not isinstance(found, RefusedError):
            is_whole = found is not None and (plan.keys or len(found.uids) >= found.exists)
            return found if is_whole else None
        if is_unsupported(found) and not plan.needs_utf8:
            self.session.quirks.refuse("SORT")
        return None

    def _list(self, uids: UidRange) -> Steps[Found]:
        """Find all messages by FETCH, where SEARCH doesn't (Strato)."""
        responses = yield [Command(name="FETCH", arguments=[format_range(uids), b"(UID)"], uid=True)]
        [reply] = responses.replies
        if isinstance(reply, RefusedError):
            raise refused_error(self.session.account.account_id, reply)
        rows, _ = parse_rows(reply)
        # `n:*` includes the highest UID even if it is below n.
        in_range = part_of(array("I", sorted(rows)), uids)
        return Found(uids=in_range, exists=responses.mailbox.exists)

    def describe_hidden(self, mailbox: str, exists: int) -> str:
        """Write a sentence about messages that the server is known to hide (Yahoo); "" if it hides none."""
        shown = self.session.quirks.shown.get(mailbox, exists)
        if exists - shown <= HIDDEN_MESSAGES_MAX:
            return ""
        return f"The server shows {shown} of the {exists} messages that it says are in the mailbox."

    def count(self, plan: Plan, uids: UidRange) -> Steps[int | None]:
        """Count the matches in a range of UIDs; one round trip. None if the server can't."""
        if not self.session.can("ESEARCH"):
            return None
        return (yield from uid_count(plan, uids))


def _is_passing(found: Found | RefusedError | None) -> bool:
    """Return whether a search was refused for a reason that says nothing about the extension."""
    return isinstance(found, RefusedError) and not is_unsupported(found)
