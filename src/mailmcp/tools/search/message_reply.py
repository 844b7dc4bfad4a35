"""The reply to a search: one page of messages, how far it can be trusted, and what to do next."""

from collections.abc import Mapping, Sequence
from datetime import tzinfo

from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.order import RankBy
from mailmcp.model.mail_kind import MailKind
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.columns import row_lines
from mailmcp.tools.errors import all_failed_error
from mailmcp.tools.evidence import search_terms
from mailmcp.tools.fetch_parts import fetch_parts
from mailmcp.tools.names import GET_MESSAGE, SEARCH_MESSAGES
from mailmcp.tools.people import SentMail
from mailmcp.tools.rows import MessageRow, RowDetails, build_row, row_items
from mailmcp.tools.search.advice import IMPORTED, is_imported, search_warnings, suggest_written
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.awaiting import find_unanswered
from mailmcp.tools.search.coverage import Coverage
from mailmcp.tools.search.data import LeanSearchMessagesData, SearchMessagesData
from mailmcp.tools.search.failures import (
    excluded_in_vain,
    explain_failures,
    message_issues,
    source_issues,
)
from mailmcp.tools.search.nothing_found import NO_COUNTS, Counts, look_around, suggest_search
from mailmcp.tools.search.page import FoundMessages, SearchPage, make_page, next_cursor
from mailmcp.tools.search.row_details import fetch_details
from mailmcp.tools.search.sources import brings_texts, choose_items, search_sources
from mailmcp.tools.search.state import Search, repeat_search
from mailmcp.tools.tool import Call
from mailmcp.wording import counted
from mcp_envelope import NextAction, Outcome, Page


async def reply_with_messages(
    search: Search, sent: SearchMessagesArguments, call: Call
) -> Outcome[LeanSearchMessagesData]:
    """Reply with a page of messages: two round trips, or one for a next page whose search is remembered."""
    awaited = search.query.awaiting_reply
    if awaited is None:
        searches = await search_sources(call, search, choose_items(search))
        search = searches.as_made(search)
        await explain_failures(call, search, searches)
        found = FoundMessages(search=search, searches=searches, page=make_page(search, searches))
    else:
        found = await find_unanswered(call, search, awaited, sent)
    search, searches, page = found.search, found.searches, found.page
    zone, terms = call.preferences.zone, search_terms(search.query)
    texts: Mapping[MessageRef, FetchedMessage] = {}
    if search.arguments.snippet_max_chars and not brings_texts(search):
        choose, refs = row_items(snippets=True, terms=terms), [each.ref for each in page.found]
        texts = (await fetch_parts(call, refs, lambda session, _ref: choose(session))).messages
    is_invitation = bool(search.query.kind and search.query.kind.kind is MailKind.INVITATION)
    details = await fetch_details(call, page.found, zone, invitations=is_invitation)
    failed, counts = tuple(message_issues(page.found)), NO_COUNTS
    coverage = Coverage(
        search=search,
        searches=searches,
        unread=bool(failed),
        caveats=found.caveats,
    )
    if not page.found and not page.rest and search.is_first_page:
        counts = await look_around(call, coverage)
    sent_mail = SentMail(owner_of=call.preferences.owner_of, listings=searches.listings)
    rows = [
        build_row(
            each.ref,
            message,
            snippet_chars=search.arguments.snippet_max_chars,
            terms=terms,
            places=each.places,
            sent_mail=sent_mail,
            details=details.get(each.ref, RowDetails()),
        )
        for each in page.found
        if (message := texts.get(each.ref, each.row)) is not None
    ]
    for row in rows:
        call.message_id_cache.remember(row.message_id, row.header_message_id or "")
    if counts_only := sent.limit == 0 and bool(rows):
        rows = []
    cursor = None if counts_only else next_cursor(search, page)
    imported = is_imported(search, rows, has_more=cursor is not None)
    next_action = _next_action(coverage, page, rows, cursor, counts, imported=imported)
    if counts_only:
        next_action = repeat_search(search, "List the messages.", without=["limit"])
    if not rows and page.found and not counts_only:
        raise all_failed_error(failed, next_action)
    what = found.what
    if failed:
        what += f", {counted(len(failed), 'message')} could not be fetched"
    data = LeanSearchMessagesData if call.lean_rows else SearchMessagesData
    sizes = search.order.by is RankBy.SIZE
    empty = not (rows or counts_only)
    return Outcome(
        summary=_summary(coverage, page, shown=None if counts_only else len(rows), zone=zone, what=what),
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
            *(line for row in rows for line in row_lines(row, zone=zone, sizes=sizes)),
            *coverage.lines(empty=empty, short=cursor is not None and len(rows) < search.page_size),
        ),
        issues=(*source_issues(searches), *found.issues, *failed),
        warnings=(
            *search_warnings(search, sent, coverage.seen, empty=empty, today=call.today),
            *([IMPORTED] if imported else []),
            *excluded_in_vain(search, searches),
            *filter(None, [counts.sentence]),
        ),
        page=Page(page_size=search.page_size, total_count=page.total, cursor=cursor),
        next_action=next_action,
    )


def _summary(coverage: Coverage, page: SearchPage, *, shown: int | None, zone: tzinfo, what: str) -> str:
    """Write the summary; `shown` is None if messages were only to be counted."""
    if shown == 0 and (page.failed_only or not page.rest):
        return coverage.summarize_nothing_found()
    at_most = "" if page.total_exact else "at most "
    of = "" if shown is None else f"{shown} of "
    found = f"{of}{at_most}{counted(page.total, 'message')} in {coverage.where}{what}"
    return coverage.summarize(found, zone, verb="searched")


def _next_action(
    coverage: Coverage,
    page: SearchPage,
    rows: Sequence[MessageRow],
    cursor: str | None,
    counts: Counts,
    *,
    imported: bool,
) -> NextAction | None:
    if cursor is not None:
        instruction = "Search again where it failed." if page.failed_only else "Get the next page."
        return NextAction(instruction=instruction, tool=SEARCH_MESSAGES, arguments={"cursor": cursor})
    if not rows:
        return suggest_search(coverage, counts) if coverage.search.is_first_page else None
    if len(rows) > 1:
        # Which one to read is for the reader to choose.
        return suggest_written(coverage.search) if imported else None
    return NextAction(instruction="Read it.", tool=GET_MESSAGE, arguments={"message_id": rows[0].message_id})
