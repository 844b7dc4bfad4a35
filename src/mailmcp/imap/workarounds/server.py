"""The server of a search that may get it wrong: its answers are checked, and what it fails at is avoided.

| server | what it gets wrong | what we do |
|---|---|---|
| Strato | finds no message by any key, nor by ALL | list the UIDs by FETCH, verify the criteria here |
| Yahoo | shows some of a large mailbox, in SEARCH and FETCH | count, and say so |
| Proton Bridge, Purelymail | mislabel ESEARCH responses, or send none | plain SEARCH |
| Exchange | refuses CHARSET UTF-8 with BAD and no reason | search for ASCII only, verify headers here |
| several | advertise SORT and refuse it, or sort wrongly | sort here |

What else a server's keys get wrong is found out by `probes`, wrong flags and sizes by `flags_and_sizes`.
Each is played by a trap in `tests/search`.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from typing_extensions import override

from mailmcp import limits
from mailmcp.imap.command import Command, RefusedError
from mailmcp.imap.errors import protocol_error, refused_error
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.quirks import Verdict, Visibility, is_unsupported
from mailmcp.imap.rows import FetchedMessage, parse_rows
from mailmcp.imap.search.order import Order
from mailmcp.imap.search.page import Candidates, PageRequest
from mailmcp.imap.search.plan import Plan
from mailmcp.imap.search.search_response import parse_count
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.uid_search import (
    COUNT_ALL,
    EVERY_UID,
    Found,
    UidRange,
    format_range,
    part_of,
    uid_search,
    uid_sort,
)
from mailmcp.imap.search.visible import NO_VISIBLE_SEARCH, VisibleSearch
from mailmcp.imap.session import quoted_mailbox
from mailmcp.imap.workarounds.flags_and_sizes import check_false_negatives, check_false_positives
from mailmcp.imap.workarounds.plan import describe_unverified, find_probed, plan_around
from mailmcp.imap.workarounds.probes import probe_once
from mailmcp.model.feature import Feature
from mailmcp.model.query import SearchQuery

_ALL_MESSAGES = Plan(keys=())
_VISIBLE = (Feature.TEXT, Feature.SUBJECT, Feature.FROM, Feature.TO, Feature.CC)
_TWO_DAYS_S = 2 * 86_400
"""Servers may sort by days, in a zone of their own."""


@dataclass(frozen=True, slots=True)
class CheckedServer(SearchServer):
    """A server whose answers are checked."""

    @override
    def prepare(self, requests: Sequence[PageRequest]) -> None:
        """Probe the server before the first search that depends on it; see `probe_once`."""
        for request in requests:
            if request.known is None and find_probed(request.query):
                probe_once(self.session, request.mailbox)
                return

    @override
    def plan(self, query: SearchQuery) -> Plan:
        """Leave out the keys that the server gets wrong."""
        return plan_around(query, quirks=self.session.quirks, can=self.session.can)

    @override
    def shows_all(self, mailbox: str) -> bool:
        """Return whether the messages shown were counted, and are all there are."""
        visibility = self.session.quirks.visibility.get(mailbox)
        return visibility is not None and not visibility.is_partial

    @override
    def unverified(self, query: SearchQuery, *, found: int, exists: int) -> str:
        """Name the criteria that rest on features without a verdict."""
        return describe_unverified(query, self.session.quirks, found=found, exists=exists)

    @override
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
        """Search without what the server is known to fail at, and check what it found.

        One round trip. One more in a mailbox larger than any that is known to be shown whole, to
        count what is shown; one or two where the server refuses an extension that it advertises.
        """
        quirks = self.session.quirks
        found = (yield from self._sort(plan, sort)) if sort else None
        if found is None:
            if not plan.keys and not quirks.trusts(Feature.ALL):
                return (yield from self._list(uids))
            found = yield from self._search(plan, uids, count)
            if found is None or not (begins or uids == EVERY_UID):
                return found
            if uids != EVERY_UID and not plan.keys:
                return (yield from self._believe_window(mailbox, uids, found))
        believed = yield from self._believe(mailbox, plan, found)
        if believed and believed.is_sorted and expected:
            missing = set(expected).difference(believed.uids)
            if len(missing) > limits.VIEW_SLACK_MESSAGES or len(missing) >= len(expected) / 2:
                quirks.distrust(Feature.SORT)
                merged = array("I", sorted({*expected, *believed.uids}))
                return replace(believed, uids=merged, is_sorted=False)
        return believed

    def _sort(self, plan: Plan, key: bytes) -> Steps[Found | None]:
        """Let the server sort; None if it turns out that it can't."""
        found = yield from uid_sort(self.session, plan, key)
        if isinstance(found, RefusedError):
            if is_unsupported(found) and not plan.needs_utf8:
                self.session.quirks.distrust(Feature.SORT)
            return None
        fewest = found.exists if found and not plan.keys else 1
        return found if found and len(found.uids) >= fewest else None  # else SEARCH shows what is wrong

    def _search(self, plan: Plan, uids: UidRange, count: UidRange | None = None) -> Steps[Found | None]:
        """Search in the extended form if that works; None if the plan needs a charset that is refused."""
        session, quirks = self.session, self.session.quirks
        extended = session.can("ESEARCH")
        found = yield from uid_search(session, plan, uids, extended=extended, count=count)
        if extended and isinstance(found, Found) and not found.is_extended:
            quirks.distrust(Feature.ESEARCH)
        if extended and (found is None or (isinstance(found, RefusedError) and is_unsupported(found))):
            unreadable = found is None
            found = yield from uid_search(session, plan, uids, extended=False)
            if unreadable or isinstance(found, Found):
                quirks.distrust(Feature.ESEARCH)
        if isinstance(found, RefusedError):
            if plan.needs_utf8 and is_unsupported(found):
                quirks.distrust(Feature.CHARSET)
                return None
            raise refused_error(session.account.account_id, found) from found
        return found

    def _list(self, uids: UidRange) -> Steps[Found]:
        """Find all messages by FETCH, where SEARCH doesn't (Strato)."""
        account_id = self.session.account.account_id
        responses = yield [Command(name="FETCH", arguments=[format_range(uids), b"(UID)"], uid=True)]
        [reply] = responses.replies
        if isinstance(reply, RefusedError):
            raise refused_error(account_id, reply)
        rows, _ = parse_rows(reply)
        # `n:*` includes the highest UID even if it is below n.
        in_range = part_of(array("I", sorted(rows)), uids)
        return Found(uids=in_range, exists=responses.mailbox.exists)

    def _believe(self, mailbox: str, plan: Plan, found: Found) -> Steps[Found | None]:
        """Check that a search was of all messages: the server may find none, or hide some.

        A search that finds nothing is believed once the server has found all messages.

        Returns:
            None if the plan must change: ALL or ESEARCH turned out not to work.
        """
        quirks = self.session.quirks
        if not plan.keys:
            return (yield from self._believe_all(mailbox, found))
        is_doubtful = (
            not (found.uids or found.counted)
            and found.exists > 0
            and quirks.verdict(Feature.ALL) is Verdict.UNKNOWN
        )
        if is_doubtful or (yield from self._may_hide(mailbox, found.exists)):
            trusted = quirks.trusts(Feature.ESEARCH)
            everything = yield from self.search(mailbox, _ALL_MESSAGES)
            if not everything or not quirks.trusts(Feature.ALL) or quirks.trusts(Feature.ESEARCH) != trusted:
                return None
            if everything.complete:
                quirks.learn(Feature.ALL, Verdict.OK)
            if not found.uids:
                statements = tuple(dict.fromkeys(found.statements + everything.statements))
                complete = found.complete and everything.complete
                return replace(found, statements=statements, complete=complete)
        visibility = quirks.visibility.get(mailbox)
        if visibility is None or not visibility.is_partial:
            return found
        return replace(found, statements=(*found.statements, visibility.statement), complete=False)

    def _believe_window(self, mailbox: str, uids: UidRange, found: Found) -> Steps[Found | None]:
        """Check a window of a search for all messages: the server must show all in it and outside of it."""
        if self.shows_all(mailbox):
            return found
        if len(found.uids) + (found.counted or 0) >= found.exists:
            whole = Visibility(shown=found.exists, exists=found.exists)
            self.session.quirks.learn_visibility(mailbox, whole)
            return found
        everything = yield from self.search(mailbox, _ALL_MESSAGES)
        if everything is None:
            return None
        inside = part_of(everything.uids, uids)
        return replace(everything, uids=inside, counted=len(everything.uids) - len(inside))

    def _believe_all(self, mailbox: str, found: Found) -> Steps[Found]:
        """Find out why a search for all messages found fewer than there are, if it did."""
        session, quirks, exists = self.session, self.session.quirks, found.exists
        whole = Visibility(shown=exists, exists=exists)
        if len(found.uids) >= exists:
            quirks.learn_visibility(mailbox, whole)
            return found
        if session.can("ESEARCH"):
            before = quirks.verdict(Feature.ESEARCH)
            quirks.distrust(Feature.ESEARCH)
            plain = yield from self._search(_ALL_MESSAGES, EVERY_UID)
            assert plain is not None  # noqa: S101 - the search for all messages needs no charset
            if len(plain.uids) >= exists:
                quirks.learn_visibility(mailbox, whole)
                return plain
            if len(plain.uids) > len(found.uids):
                found = plain
            else:
                quirks.learn(Feature.ESEARCH, before)
        if not found.uids:
            quirks.distrust(Feature.ALL)
            listed = yield from self._list(EVERY_UID)
            if not listed.uids:
                account_id = session.account.account_id
                raise protocol_error(account_id, "found no message in a mailbox that it says is not empty")
            return listed
        if not found.complete:  # its statement says so, and it needn't be counted each time
            quirks.visibility.setdefault(mailbox, whole)
            return found
        # Messages may have gone since the mailbox was opened: open it again.
        responses = yield [Command(name="EXAMINE", arguments=[quoted_mailbox(quirks, mailbox)])]
        visibility = Visibility(shown=len(found.uids), exists=responses.mailbox.exists)
        quirks.learn_visibility(mailbox, visibility)
        if visibility.shown >= visibility.exists:
            return found
        return replace(found, statements=(visibility.statement,), complete=False)

    def _may_hide(self, mailbox: str, exists: int) -> Steps[bool]:
        """Return whether to search for all messages, to see how many are shown (Yahoo shows 10,000).

        Limits are on large mailboxes. So one that is no larger than a mailbox that is shown whole counts
        as whole, too, until the account is found to hide messages. With ESEARCH, messages are counted first.
        """
        quirks = self.session.quirks
        visibility = quirks.visibility.get(mailbox)
        if not exists or not quirks.trusts(Feature.ALL):
            return False
        if visibility is None:
            is_open = exists > quirks.largest_shown_whole or not quirks.trusts(Feature.VIEW)
        else:
            is_open = visibility.is_partial and (visibility.exists != exists or quirks.trusts(Feature.VIEW))
        if not is_open or not self.session.can("ESEARCH"):
            return is_open
        responses = yield [COUNT_ALL]
        [reply] = responses.replies
        if isinstance(reply, RefusedError):
            return False
        shown = parse_count(reply.untagged.get("ESEARCH", ()), tag=reply.tag)
        if shown is None:
            return True
        visibility = Visibility(shown=shown, exists=responses.mailbox.exists)
        if not visibility.is_partial:
            quirks.learn_visibility(mailbox, visibility)
        return visibility.is_partial

    @override
    def search_visible(self, query: SearchQuery, uids: Sequence[int], *, share: int) -> VisibleSearch:
        """Believe the search in visible text only if all its keys were tested and work."""
        quirks = self.session.quirks
        tested = quirks.verdict(Feature.BODY) is Verdict.OK and all(map(quirks.trusts, _VISIBLE))
        if not tested or not (quirks.trusts(Feature.CHARSET) or all(map(str.isascii, query.query))):
            return NO_VISIBLE_SEARCH
        return super(CheckedServer, self).search_visible(query, uids, share=share)

    @override
    def search_opaque(self, mailbox: str, query: SearchQuery) -> tuple[Command, ...]:
        """Search for opaque mail only by a HEADER that isn't known to be wrong."""
        if not self.session.quirks.trusts(Feature.HEADER):
            return ()
        return super(CheckedServer, self).search_opaque(mailbox, query)

    @override
    def accepts(
        self,
        wanted: PageRequest,
        candidates: Candidates,
        rows: Mapping[int, FetchedMessage],
        *,
        ranks: Sequence[int],
        exists: int,
    ) -> Steps[bool]:
        """Check flags and sizes against the rows, or against the newest messages if none were found.

        No round trip where rows agree, and none without flags among the criteria.
        """
        query, local = wanted.query, candidates.plan.local.criteria
        trusted = query.only(row for row in query.criteria if row not in local)
        if not candidates.uids:
            caught = yield from check_false_negatives(self, wanted.mailbox, trusted, exists)
        else:
            caught = yield from check_false_positives(self, wanted.mailbox, trusted, rows)
        if candidates.is_sorted and wanted.order.items == ("INTERNALDATE",):
            ascending = ranks if wanted.order is Order.OLDEST_ARRIVAL else ranks[::-1]
            if any(before > after + _TWO_DAYS_S for before, after in pairwise(ascending)):
                self.session.quirks.distrust(Feature.SORT)
                return False
        return not caught
