"""Replies to some messages, looked for by their ids in all mailboxes of all accounts but Junk and Trash.

People answer from another account, and move what they have answered.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Final

import anyio

from mailmcp.imap.id_search import IdQuery
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.special_use import is_draft
from mailmcp.mail.awaited_reply import Letter, find_threads, is_answered, is_automatic
from mailmcp.mail.calendar.invitation import invitation_method
from mailmcp.mail.header.address import addresses_in
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.thread import parse_thread_headers
from mailmcp.model.awaited_reply import FROM_ME, AwaitedReply
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.people import SentMail
from mailmcp.tools.related import RelatedMail
from mailmcp.tools.tool import Call

_MARGIN: Final = timedelta(days=2)
"""SEARCH knows days, in a zone that nobody knows, and clocks differ."""

_ROUNDS_MAX: Final = 3
"""Searches for replies to what was found: a reply to the owner's second message answers the first one too."""

_DEADLINE_SHARE: Final = 0.75
"""Share of a call's time after which an account that doesn't answer is given up."""

_ITEMS: Final = (
    "UID",
    "FLAGS",
    "INTERNALDATE",
    f"BODY.PEEK[HEADER.FIELDS ({' '.join(AwaitedReply.header_fields).upper()})]",
)


class ReplySearch:
    """The search for replies of one call."""

    def __init__(self, call: Call, side: str) -> None:
        """`side` is that of the search: `FROM_OTHERS` or `FROM_ME`."""
        owner_of = call.preferences.owner_of
        accounts = [each.account_id for each in call.pool.accounts]
        now = anyio.current_time()
        deadline = now + (call.deadline - now) * _DEADLINE_SHARE
        self._side = side
        self.related = RelatedMail(call=call, account_ids=accounts, items=_ITEMS, deadline=deadline)
        self.own = frozenset(each.lower() for name in accounts for each in owner_of(name).addresses)
        """The owner's addresses, in all accounts."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """Sentences: where replies weren't looked for."""
        is_missing = bool(self.related.issues)
        missing = ("Some may have replies in places that couldn't be searched.",) if is_missing else ()
        return (*self.related.statements, *missing)

    async def select_unanswered(self, found: Mapping[MessageRef, FetchedMessage | None]) -> set[MessageRef]:
        """Select the messages without a reply; two round trips. Those without a row are among them."""
        unread = {ref for ref, row in found.items() if row is None}
        letters = {
            ref: self._letter(ref, row)
            for ref, row in found.items()
            if row is not None and self._may_await(ref, row)
        }
        since = _day_before(letters.values())
        # A server that doesn't find a message by its Message-ID finds no reply to it.
        probe = next((ref for ref, each in letters.items() if each.links.own_id.isascii()), None)
        probed = letters[probe].links.own_id if probe else ""
        asked: set[str] = set()
        for number in range(_ROUNDS_MAX + 1):
            others = [self._letter(ref, row) for ref, row in self.related.rows.items()]
            threads = dict(zip(letters, find_threads([*letters.values()], others), strict=True))
            letters = {ref: each for ref, each in letters.items() if not is_answered(each, threads[ref])}
            # Replies name the message, the first of its thread, or what it answers itself.
            named = (each.links.ids for ref in letters for each in threads[ref])
            ids = dict.fromkeys(name for every in named for name in (*every[:2], *every[-1:]))
            new = [each for each in ids if each not in asked]
            if not new or number == _ROUNDS_MAX:
                break
            query = IdQuery(ids=new, known={*new} - {probed}, since=since)
            await self.related.look(query, probe=None if asked else probe)
            asked.update(new)
        return unread | letters.keys()

    def _may_await(self, ref: MessageRef, row: FetchedMessage) -> bool:
        if is_draft(row, self._use(ref)):
            return False
        return invitation_method(parse_body_structure(row.body_structure).root) != "reply"

    def _use(self, ref: MessageRef) -> str:
        return SentMail(listings=self.related.listings).use_of(ref.account_id, ref.mailbox)

    def _letter(self, ref: MessageRef, row: FetchedMessage) -> Letter:
        headers = parse_headers(row.sections.get("HEADER.FIELDS", b""))
        links, senders = parse_thread_headers(headers), addresses_in(headers, "From")
        use = self._use(ref)
        by_owner = use == "\\Sent" or (bool(senders) and senders <= self.own)
        from_other_side = by_owner == (self._side == FROM_ME)
        received = float(row.internaldate_epoch or 0)
        return Letter(
            links=links,
            written_at=links.date.timestamp() if links.date else received,
            received_at=received,
            by_owner=by_owner,
            is_answer=from_other_side and bool(senders) and not (is_draft(row, use) or is_automatic(headers)),
        )


def _day_before(letters: Collection[Letter]) -> date:
    """Return the day from which replies to some messages may have arrived."""
    moments = (moment for each in letters for moment in (each.written_at, each.received_at) if moment)
    earliest = max(min(moments, default=0), _MARGIN.total_seconds())
    return (datetime.fromtimestamp(earliest, UTC) - _MARGIN).date()
