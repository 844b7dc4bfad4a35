"""The reply to a search: one page of messages, how far it can be trusted, and what to do next."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.candidates import BLOCK_MESSAGES
from mailmcp.imap.search.order import RankBy
from mailmcp.model.cursor import Way
from mailmcp.model.mail_kind import MailKind
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.columns import row_lines
from mailmcp.tools.errors import all_failed_error, message_issue
from mailmcp.tools.evidence import search_terms
from mailmcp.tools.fetch_parts import fetch_parts
from mailmcp.tools.names import GET_MESSAGE, SEARCH_MESSAGES
from mailmcp.tools.people import SentMail
from mailmcp.tools.rows import MessageRow, build_row, row_items
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.awaiting import find_unanswered
from mailmcp.tools.search.coverage import Coverage
from mailmcp.tools.search.data import LeanSearchMessagesData, SearchMessagesData
from mailmcp.tools.search.failures import explain_failures, search_warnings, source_issues
from mailmcp.tools.search.nothing_found import Counts, look_around, suggest_search
from mailmcp.tools.search.page import SearchPage, make_page
from mailmcp.tools.search.row_details import fetch_details
from mailmcp.tools.search.sources import Searches, brings_texts, search_sources
from mailmcp.tools.search.state import Search, format_cursor, repeat_search
from mailmcp.tools.tool import Call
from mailmcp.wording import counted
from mcp_envelope import NextAction, Outcome, Page

_MISORDERED: Final = {
    Way.UID: "Some messages are in the order in which they were added to the mailbox, not of arrival.",
    Way.SORT: "Some messages are out of order: the server sorts them differently.",
    Way.BLOCK: f"The server can't sort: each {BLOCK_MESSAGES} messages are in order, "
    "starting with those that were added to the mailbox last.",
}


async def reply_with_messages(
    search: Search, sent: SearchMessagesArguments, call: Call
) -> Outcome[LeanSearchMessagesData]:
    """Reply with a page of messages: two round trips, or one for a next page whose search is remembered."""
    awaited = search.query.awaiting_reply
    if awaited is None:
        searches = await search_sources(call, search)
        await explain_failures(call, searches)
        page = make_page(searches, size=search.page_size)
    else:
        searches, page = await find_unanswered(call, search, awaited, sent)
    search = searches.search
    rows = await _build_rows(call, searches, page)
    failed = [message_issue(each.ref, each.failure) for each in page.found if each.failure is not None]
    counts = Counts()
    coverage = Coverage(searches=searches, unread=bool(failed), caveats=page.caveats)
    if not page.found and page.following is None and search.is_first_page:
        counts = await look_around(call, coverage)
    cursor = None if page.following is None else format_cursor(page.following)
    if counts_only := sent.limit == 0 and bool(rows):
        rows, cursor = [], None
    next_action = _next_action(coverage, page, rows, cursor, counts)
    if counts_only:
        next_action = repeat_search(search, "List the messages.", without=["limit"])
    if not rows and page.found and not counts_only:
        raise all_failed_error(failed, next_action)
    what = page.what
    if failed:
        what += f", {counted(len(failed), 'message')} could not be fetched"
    shown = "" if counts_only else f"{len(rows)} of "
    at_most = "" if page.total_exact else "at most "
    summary = coverage.summarize(
        f"{shown}{at_most}{counted(page.total, 'message')} in {coverage.where}{what}",
        call.preferences.zone,
        verb="searched",
    )
    empty = not (rows or counts_only)
    if empty and (page.failed_only or page.following is None):
        summary = coverage.summarize_nothing_found()
    data = LeanSearchMessagesData if call.lean_rows else SearchMessagesData
    sizes = search.order.by is RankBy.SIZE
    return Outcome(
        summary=summary,
        data=data(
            account_id=search.arguments.account_id,
            mailbox=", ".join(search.arguments.names),
            total=page.total,
            total_at_most=None if page.total_exact else True,
            attempted=len(rows) + len(failed),
            returned=len(rows),
            failed=len(failed),
            messages=tuple(rows),
            coverage=coverage.data,
        ),
        blocks=(
            *(line for row in rows for line in row_lines(row, zone=call.preferences.zone, sizes=sizes)),
            *coverage.lines(empty=empty, short=cursor is not None and len(rows) < search.page_size),
        ),
        issues=(*source_issues(searches), *page.issues, *failed),
        warnings=(
            *search_warnings(searches, sent, call.today),
            *_order_warnings(searches, rows, has_more=cursor is not None),
            *counts.sentences,
        ),
        page=Page(page_size=search.page_size, total_count=page.total, cursor=cursor),
        next_action=next_action,
    )


async def _build_rows(call: Call, searches: Searches, page: SearchPage) -> list[MessageRow]:
    """Build the rows of a page; up to two round trips for what the search didn't fetch."""
    search, zone = searches.search, call.preferences.zone
    terms, chars = search_terms(search.query), search.arguments.snippet_max_chars
    texts: Mapping[MessageRef, FetchedMessage] = {}
    if chars and not brings_texts(search):
        choose, refs = row_items(snippets=True, terms=terms), [each.ref for each in page.found]
        texts = (await fetch_parts(call, refs, lambda session, _ref: choose(session))).messages
    is_invitation = bool(search.query.kind and search.query.kind.kind is MailKind.INVITATION)
    details = await fetch_details(call, page.found, zone, invitations=is_invitation)
    sent_mail = SentMail(owner_of=call.preferences.owner_of, listings=searches.listings)
    rows = [
        build_row(
            each.ref,
            message,
            snippet_chars=chars,
            terms=terms,
            places=each.places,
            sent_mail=sent_mail,
        ).model_copy(update=details.get(each.ref, {}))
        for each in page.found
        if (message := texts.get(each.ref, each.row)) is not None
    ]
    for row in rows:
        call.message_id_cache.remember(row.message_id, row.header_message_id or "")
    call.note_read(row.message_id for row in rows if row.snippet)
    return rows


def _order_warnings(searches: Searches, rows: Sequence[MessageRow], *, has_more: bool) -> Iterator[str]:
    """Say what the order goes by, where it isn't the one that was asked for or expected."""
    pages = searches.pages.values()
    yield from (_MISORDERED[way] for way in {each.position.way for each in pages if not each.in_order})
    late = sum(bool(each.arrived) and each.arrived != each.date for each in rows)
    query = searches.search.query
    chosen_by_time = has_more or query.since or query.before
    if chosen_by_time and 2 * late > max(len(rows), 2) and searches.search.order.by is RankBy.ARRIVED:
        yield "Most of these were written long before they arrived; dates=written uses the Date header."


def _next_action(
    coverage: Coverage, page: SearchPage, rows: Sequence[MessageRow], cursor: str | None, counts: Counts
) -> NextAction | None:
    if cursor is not None:
        instruction = "Search again where it failed." if page.failed_only else "Get the next page."
        return NextAction(instruction=instruction, tool=SEARCH_MESSAGES, arguments={"cursor": cursor})
    if not rows:
        return suggest_search(coverage, counts) if coverage.searches.search.is_first_page else None
    if len(rows) > 1:
        return None  # which one to read is for the reader to choose
    return NextAction(instruction="Read it.", tool=GET_MESSAGE, arguments={"message_id": rows[0].message_id})
