"""Warnings about criteria and orders that can mislead."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from mailmcp.imap.search.find import BLOCK_MESSAGES
from mailmcp.imap.search.order import Rank
from mailmcp.imap.search.page import MailboxPage
from mailmcp.model.cursor import Way
from mailmcp.tools.rows import MessageRow
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.state import Search, repeat_search
from mcp_envelope import NextAction, code

LOOSE_WORDS_MATCHES: Final = 100
"""Matches of several words from which a reply suggests the phrase: nobody reads ten pages."""

_MISORDERED: Final = {
    Way.UID: "Some messages are in the order in which they were added to the mailbox, not of arrival.",
    Way.SORT: "Some messages are out of order: the server reads their Date headers differently.",
    Way.BLOCK: f"The server can't sort: each {BLOCK_MESSAGES} messages are in order, "
    "starting with those that were added to the mailbox last.",
}


def search_warnings(
    search: Search,
    sent: SearchMessagesArguments,
    pages: Sequence[MailboxPage],
    *,
    total: int,
    imported: bool,
    today: date,
) -> tuple[str, ...]:
    """Describe what a criterion or an order does, where its name can mislead.

    Args:
        search: What was searched for.
        sent: The arguments as sent.
        pages: What was found.
        total: Matches; 0 if nothing was found.
        imported: Whether imported mail may bury what is looked for; see `is_imported`.
        today: In the zone of the settings.
    """
    warnings = []
    empty = not total
    if "last_days" in sent.model_fields_set and not (sent.last_days or sent.cursor):
        warnings.append(f"last_days 0 is no filter; for today send since {today}.")
    if search.query.unanswered_only and search.query.awaiting_reply is None:
        warnings.append("Answered is a flag that mail programs set; imap_get_thread shows replies.")
    if empty and (search.query.since or search.query.before):
        warnings.append("Searches by time use the time of arrival; dates=written uses the Date header.")
    words = search.query.query
    is_loose = len(words) > 1 and all(word.isalnum() for word in words)
    if is_loose and search.is_first_page and total >= LOOSE_WORDS_MATCHES:
        phrase = code(f'"{" ".join(words)}"')
        warnings.append(f"The words may be far apart in these messages; query {phrase} finds the phrase.")
    if imported:
        warnings.append(
            "Most of these were written long before they arrived; dates=written uses the Date header."
        )
    ways = {each.source.way for each in pages if not each.in_order}
    warnings += [warning for way, warning in _MISORDERED.items() if way in ways]
    return tuple(warnings)


def is_imported(search: Search, rows: Sequence[MessageRow], *, has_more: bool) -> bool:
    """Return whether most messages of a first page were written long before they arrived.

    That matters if times or the order by arrival decide which messages are on it.
    """
    by_time = bool(search.query.since or search.query.before)
    decides = (by_time and len(rows) > 1) or (has_more and search.order.rank is not Rank.SIZE)
    late = [each for each in rows if each.arrived and each.arrived > each.date]
    return search.is_first_page and decides and not search.by_written and 2 * len(late) > len(rows)


def suggest_written(search: Search) -> NextAction:
    """Suggest the same search by the Date header."""
    return repeat_search(search, "Search by the Date header.", dates="written")
