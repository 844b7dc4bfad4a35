"""Warnings about criteria and orders that can mislead."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from mailmcp.imap.search.candidates import BLOCK_MESSAGES
from mailmcp.imap.search.order import RankBy
from mailmcp.imap.search.values import MailboxPage
from mailmcp.model.cursor import Way
from mailmcp.tools.rows import MessageRow
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.state import Search, repeat_search
from mcp_envelope import NextAction

_MISORDERED: Final = {
    Way.UID: "Some messages are in the order in which they were added to the mailbox, not of arrival.",
    Way.SORT: "Some messages are out of order: the server reads their Date headers differently.",
    Way.BLOCK: f"The server can't sort: each {BLOCK_MESSAGES} messages are in order, "
    "starting with those that were added to the mailbox last.",
}


def search_warnings(
    search: Search, sent: SearchMessagesArguments, pages: Sequence[MailboxPage], *, empty: bool, today: date
) -> Iterator[str]:
    """Describe what a criterion or an order does, where its name can mislead."""
    if "last_days" in sent.model_fields_set and not (sent.last_days or sent.cursor):
        yield f"last_days 0 is no filter; for today send since {today}."
    if search.query.unanswered_only and search.query.awaiting_reply is None:
        yield "Answered is a flag that mail programs set; awaiting_reply looks for replies."
    if empty and (search.query.since or search.query.before):
        yield "Searches by time use the time of arrival; dates=written uses the Date header."
    yield from (_MISORDERED[way] for way in {each.position.way for each in pages if not each.in_order})


IMPORTED: Final = "Most of these were written long before they arrived; dates=written uses the Date header."


def is_imported(search: Search, rows: Sequence[MessageRow], *, has_more: bool) -> bool:
    """Return whether most messages of a first page were written long before they arrived.

    That matters if times or the order by arrival decide which messages are on it.
    """
    by_time = bool(search.query.since or search.query.before)
    decides = (by_time and len(rows) > 1) or (has_more and search.order.by is not RankBy.SIZE)
    late = [each for each in rows if each.arrived and each.arrived > each.date]
    return search.is_first_page and decides and not search.by_written and 2 * len(late) > len(rows)


def suggest_written(search: Search) -> NextAction:
    """Suggest the same search by the Date header."""
    return repeat_search(search, "Search by the Date header.", dates="written")
