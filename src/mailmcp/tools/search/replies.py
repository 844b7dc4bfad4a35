"""Replies to some messages, looked for by their ids in all mailboxes of all accounts but Junk and Trash.

People answer from another account, and move what they have answered.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import anyio

from mailmcp import limits
from mailmcp.imap.id_search import IdQuery, is_searchable
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

_MARGIN_S: Final = 2 * 86_400
"""SEARCH knows days, in a zone that nobody knows, and clocks differ."""

_ROUNDS_MAX: Final = 3
"""Searches for replies to what was found: a reply to the owner's second message answers the first one too."""

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
        accounts = [each.account_id for each in call.pool.accounts]
        now = anyio.current_time()
        deadline = now + (call.deadline - now) * limits.SEARCH_DEADLINE_SHARE
        self._side = side
        self.related = RelatedMail(call=call, account_ids=accounts, items=_ITEMS, deadline=deadline)
        owners = [call.preferences.owner_of(name) for name in accounts]
        self.own = frozenset(each.lower() for owner in owners for each in owner.addresses)
        """The owner's addresses, in all accounts."""

    async def select_unanswered(self, found: Mapping[MessageRef, FetchedMessage | None]) -> set[MessageRef]:
        """Select the messages without a reply; two round trips. Those without a row are among them."""
        rows = {ref: row for ref, row in found.items() if row is not None}
        unread = found.keys() - rows.keys()
        letters = {ref: each for ref, row in rows.items() if (each := self._letter(ref, row)).may_await}
        moments = [each.written_at for each in letters.values()]
        moments += [float(row.internaldate_epoch or 0) for row in rows.values()]
        earliest = min(filter(None, moments), default=0)
        since = datetime.fromtimestamp(max(earliest - _MARGIN_S, 0), UTC).date()
        # A server that doesn't find a message by its Message-ID finds no reply to it.
        probe = next((ref for ref, each in letters.items() if is_searchable(each.links.own_id)), None)
        probed = {letters[probe].links.own_id} if probe else set[str]()
        asked = set[str]()
        for number in range(_ROUNDS_MAX + 1):
            others = [self._letter(ref, row) for ref, row in self.related.rows.items()]
            threads = dict(zip(letters, find_threads([*letters.values()], others), strict=True))
            letters = {ref: each for ref, each in letters.items() if not is_answered(each, threads[ref])}
            # Replies name the message, the first of its thread, or what it answers itself.
            named = (each.links.ids for ref in letters for each in threads[ref])
            ids = {name: None for every in named for name in (*every[:2], *every[-1:]) if name not in asked}
            if not ids or number == _ROUNDS_MAX:
                break
            query = IdQuery(ids=tuple(ids), known=ids.keys() - probed, since=since)
            await self.related.look(query, probe=None if asked else probe)
            asked.update(ids)
        return unread | letters.keys()

    def _letter(self, ref: MessageRef, row: FetchedMessage) -> Letter:
        headers = parse_headers(row.sections.get("HEADER.FIELDS", b""))
        links, senders = parse_thread_headers(headers), addresses_in(headers, "From")
        use = SentMail(listings=self.related.listings).use_of(ref.account_id, ref.mailbox)
        by_owner = use == "\\Sent" or (bool(senders) and senders <= self.own)
        from_other_side = by_owner == (self._side == FROM_ME)
        is_sent = bool(senders) and not is_draft(row, use)
        invitation = invitation_method(parse_body_structure(row.body_structure).root)
        return Letter(
            links=links,
            written_at=links.date.timestamp() if links.date else float(row.internaldate_epoch or 0),
            by_owner=by_owner,
            is_answer=from_other_side and is_sent and not is_automatic(headers),
            may_await=not is_draft(row, use) and invitation != "reply",
        )
